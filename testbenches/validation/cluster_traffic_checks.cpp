// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T: section 14 of the specification of CANPC 2000) under the kernels of
// Chen and Wyckoff: conventional Gigabit Ethernet.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/network/switching/wormhole_network.h>
#include <tributary/network/traffic/fan.h>
#include <tributary/network/traffic/grid_exchange.h>
#include <tributary/network/traffic/token_pass.h>
#include <tributary/network/traffic/traffic_run.h>

#include <support/gigabit_ethernet.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

constexpr std::uint64_t period_ps = 500;
constexpr double cycles_a_microsecond = 1e6 / period_ps;
constexpr std::uint64_t myrinet_period_ps = 1250;

/// Myrinet of Sandia (spec 1.4, 13.4): 6.25 ns a byte, 0.38 us over one switch, 0.24 us for each
/// further one, 0.195 us between packets at a host; all of these but the first are fitted. A cycle
/// is a fifth of a byte.
message_network_config myrinet() {
  message_network_config config;
  config.clock.period = myrinet_period_ps;
  config.bandwidth = 160;
  // The source counts payload alone; a packet has a byte in front (the route) that times leave out.
  config.header_bytes = 1;
  config.payload_bytes = 65536;
  config.base_latency = 299;
  config.hop_latency = 192;
  config.gap_bytes = 31;
  return config;
}

/// A torus of 8 by 4 switches with 8 hosts and two cables to each neighbour, by up*/down* routes:
/// there are no virtual channels (spec 1.5).
wormhole_network myrinet_torus() {
  const grid_config torus{{8, 4}, true, 8, 2};
  auto graph = std::make_shared<const network_graph>(grid_graph(torus));
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  return wormhole_network(myrinet(), 64, graph, up_down_table(routes));
}

latency_spread myrinet_latencies(traffic_kernel& kernel) {
  wormhole_network network = myrinet_torus();
  traffic_run run(network, kernel);
  run.run();
  return run.messages();
}

/// Edge switches around one, with so many hosts each.
routed_network star_network(const message_network_config& config, std::uint32_t edges,
                            std::uint32_t hosts_each) {
  auto graph = std::make_shared<const network_graph>(star_graph(edges, hosts_each));
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  return routed_network(config, graph, up_down_table(routes));
}

latency_spread token_latencies(const message_network_config& config, std::uint64_t bytes = 1,
                               std::uint32_t edges = 4, std::uint32_t hosts_each = 64) {
  routed_network network = star_network(config, edges, hosts_each);
  token_pass kernel({bytes, 1, 0});
  traffic_run run(network, kernel);
  run.run();
  return run.messages();
}

/// Of the frames, as the source's tables have them.
latency_spread frame_latencies(traffic_kernel& kernel) {
  routed_network network = star_network(testing::gigabit_ethernet(), 4, 64);
  traffic_run run(network, kernel);
  run.run();
  return run.packets();
}

double us(cycle_t cycles) { return static_cast<double>(cycles) / cycles_a_microsecond; }
double least_us(const latency_spread& of) { return us(of.min()); }
double mean_us(const latency_spread& of) { return of.mean() / cycles_a_microsecond; }
double greatest_us(const latency_spread& of) { return us(of.max()); }
double deviation_us(const latency_spread& of) {
  return of.standard_deviation() / cycles_a_microsecond;
}

/// Of cycles of Myrinet.
double myrinet_us(double cycles) { return cycles * myrinet_period_ps / 1e6; }

/// Collects rows; each measures by itself.
class traffic_rows {
 public:
  explicit traffic_rows(const claims& all) : all_(all) {}

  void add(const std::string& id, const std::function<double()>& measure) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("network", json_value("conventional Gigabit Ethernet"));
    row.measure = [measure](const point_results&) { return measure(); };
    rows_.push_back(std::move(row));
  }

  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

void add_token_rows(traffic_rows& rows) {
  rows.add("T01.min", [] { return least_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.mean", [] { return mean_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.max", [] { return greatest_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.deviation",
           [] { return deviation_us(token_latencies(testing::gigabit_ethernet())); });
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024, 2048}) {
    rows.add("T02." + std::to_string(bytes),
             [=] { return least_us(token_latencies(testing::gigabit_ethernet(), bytes, 1, 2)); });
  }
  // Switches of 10 us.
  message_network_config slow = testing::gigabit_ethernet();
  slow.router_latency = static_cast<std::uint32_t>(10 * cycles_a_microsecond);
  rows.add("T05.min", [=] {
    return least_us(token_latencies(slow)) - least_us(token_latencies(testing::gigabit_ethernet()));
  });
  rows.add("T05.max", [=] {
    return greatest_us(token_latencies(slow)) -
           greatest_us(token_latencies(testing::gigabit_ethernet()));
  });
  // What the framing leaves of the link's rate; 15 MB between hosts of all switches.
  rows.add("T06.ethernet", [] {
    constexpr std::uint64_t bytes = 15'000'000;
    const message_network_config config = testing::gigabit_ethernet();
    const double frame = config.payload_bytes + config.header_bytes + config.gap_bytes;
    const double possible = config.bandwidth * config.payload_bytes / frame;
    return bytes / mean_us(token_latencies(config, bytes, 4, 4)) / possible;
  });
}

void add_fan_rows(traffic_rows& rows) {
  const auto in = [] {
    fan_in kernel({2048, 0});
    return frame_latencies(kernel);
  };
  const auto out = [] {
    fan_out kernel({2048, 0, true});
    return frame_latencies(kernel);
  };
  rows.add("T03.min", [=] { return least_us(in()); });
  rows.add("T03.mean", [=] { return mean_us(in()); });
  rows.add("T03.max", [=] { return greatest_us(in()); });
  rows.add("T03.deviation", [=] { return deviation_us(in()); });
  rows.add("T04.min", [=] { return least_us(out()); });
  rows.add("T04.mean", [=] { return mean_us(out()); });
  rows.add("T04.max", [=] { return greatest_us(out()); });
  rows.add("T04.deviation", [=] { return deviation_us(out()); });
}

void add_myrinet_rows(traffic_rows& rows) {
  const auto token = [](std::uint64_t bytes) {
    token_pass kernel({bytes, 1, 0});
    return myrinet_latencies(kernel);
  };
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024, 2048}) {
    rows.add("T07." + std::to_string(bytes),
             [=] { return myrinet_us(static_cast<double>(token(bytes).min())); });
  }
  rows.add("T08.min", [=] { return myrinet_us(static_cast<double>(token(1).min())); });
  rows.add("T08.mean", [=] { return myrinet_us(token(1).mean()); });
  rows.add("T08.max", [=] { return myrinet_us(static_cast<double>(token(1).max())); });
  rows.add("T08.deviation", [=] { return myrinet_us(token(1).standard_deviation()); });
  const auto in = [] {
    fan_in kernel({2048, 0});
    return myrinet_latencies(kernel);
  };
  const auto out = [] {
    fan_out kernel({2048, 0, false});
    return myrinet_latencies(kernel);
  };
  rows.add("T09.min", [=] { return myrinet_us(static_cast<double>(in().min())); });
  rows.add("T09.mean", [=] { return myrinet_us(in().mean()); });
  rows.add("T09.max", [=] { return myrinet_us(static_cast<double>(in().max())); });
  rows.add("T09.deviation", [=] { return myrinet_us(in().standard_deviation()); });
  rows.add("T10.mean", [=] { return myrinet_us(out().mean()); });
  rows.add("T10.max", [=] { return myrinet_us(static_cast<double>(out().max())); });
}

grid_exchange::options mesh_options(std::uint64_t bytes) {
  grid_exchange::options options;
  options.bytes = bytes;
  options.compute = static_cast<cycle_t>(10 * cycles_a_microsecond);
  return options;
}

void add_mesh_rows(traffic_rows& rows) {
  // Ten iterations have nine pauses of 10 us.
  rows.add("T18", [] {
    message_network_config ideal = testing::gigabit_ethernet();
    ideal.topology = topology_kind::point_to_point;
    ideal.switching = switching_kind::cut_through;
    ideal.bandwidth = 100000;
    ideal.header_bytes = 1;
    ideal.least_payload = 0;
    ideal.gap_bytes = 0;
    ideal.base_latency = 2;
    ideal.hop_latency = 1;
    routed_network network(ideal, 256);
    grid_exchange kernel(mesh_options(32));
    traffic_run run(network, kernel);
    run.run();
    return us(kernel.completion());
  });
  rows.add("T20", [] {
    std::uint32_t most = 0;
    for (const std::uint64_t bytes : {32, 256, 2048}) {
      routed_network network = star_network(testing::gigabit_ethernet(), 4, 64);
      grid_exchange kernel(mesh_options(bytes));
      traffic_run run(network, kernel);
      run.run();
      most = std::max(most, kernel.most_apart());
    }
    return static_cast<double>(most);
  });
}

}  // namespace

std::vector<planned_row> cluster_traffic_checks(const claims& cluster) {
  traffic_rows rows(cluster);
  add_token_rows(rows);
  add_fan_rows(rows);
  add_myrinet_rows(rows);
  add_mesh_rows(rows);
  return rows.take();
}

}  // namespace tributary::validation
