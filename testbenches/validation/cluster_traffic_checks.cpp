// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T: section 14 of the specification of CANPC 2000) under the kernels of
// Chen and Wyckoff: conventional Gigabit Ethernet, Myrinet, and the fabric of Avici.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/fabric_network.h>
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
constexpr std::uint64_t avici_period_ps = 30000;
constexpr const char* ethernet_name = "conventional Gigabit Ethernet";
constexpr const char* myrinet_name = "Myrinet";
constexpr const char* fabric_name = "Avici fabric";
constexpr const char* avici_name = "Avici with Gigabit Ethernet";
constexpr const char* all_names = "Ethernet, Myrinet, Avici";

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

/// The links of Avici's hosts, in cycles of a unit, 30 ns (spec 1.4, 13.4): the printed times are
/// multiples of it.
message_network_config avici_links() {
  message_network_config config = testing::gigabit_ethernet();
  config.clock.period = avici_period_ps;
  config.base_latency = 5;
  config.hop_latency = 1;
  return config;
}

/// Sixteen line cards in quadrants of five, with so many hosts each.
fabric_network avici_network(bool ports, std::uint32_t hosts_each = 16) {
  grid_config cards{{5, 2, 2}, true, hosts_each, 1};
  cards.equipped = 16;
  message_network_config links = avici_links();
  if (!ports) links.payload_bytes = 65536;
  fabric_config fabric;
  fabric.ports = ports;
  return fabric_network(links, fabric, std::make_shared<const network_graph>(grid_graph(cards)));
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

  void add(const std::string& id, const char* network, const std::function<double()>& measure) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("network", json_value(network));
    row.measure = [measure](const point_results&) { return measure(); };
    rows_.push_back(std::move(row));
  }

  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

void add_token_rows(traffic_rows& rows) {
  rows.add("T01.min", ethernet_name,
           [] { return least_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.mean", ethernet_name,
           [] { return mean_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.max", ethernet_name,
           [] { return greatest_us(token_latencies(testing::gigabit_ethernet())); });
  rows.add("T01.deviation", ethernet_name,
           [] { return deviation_us(token_latencies(testing::gigabit_ethernet())); });
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024, 2048}) {
    rows.add("T02." + std::to_string(bytes), ethernet_name,
             [=] { return least_us(token_latencies(testing::gigabit_ethernet(), bytes, 1, 2)); });
  }
  // Switches of 10 us.
  message_network_config slow = testing::gigabit_ethernet();
  slow.router_latency = static_cast<std::uint32_t>(10 * cycles_a_microsecond);
  rows.add("T05.min", ethernet_name, [=] {
    return least_us(token_latencies(slow)) - least_us(token_latencies(testing::gigabit_ethernet()));
  });
  rows.add("T05.max", ethernet_name, [=] {
    return greatest_us(token_latencies(slow)) -
           greatest_us(token_latencies(testing::gigabit_ethernet()));
  });
  // What the framing leaves of the link's rate; 15 MB between hosts of all switches.
  rows.add("T06.ethernet", ethernet_name, [] {
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
  rows.add("T03.min", ethernet_name, [=] { return least_us(in()); });
  rows.add("T03.mean", ethernet_name, [=] { return mean_us(in()); });
  rows.add("T03.max", ethernet_name, [=] { return greatest_us(in()); });
  rows.add("T03.deviation", ethernet_name, [=] { return deviation_us(in()); });
  rows.add("T04.min", ethernet_name, [=] { return least_us(out()); });
  rows.add("T04.mean", ethernet_name, [=] { return mean_us(out()); });
  rows.add("T04.max", ethernet_name, [=] { return greatest_us(out()); });
  rows.add("T04.deviation", ethernet_name, [=] { return deviation_us(out()); });
}

void add_myrinet_rows(traffic_rows& rows) {
  const auto token = [](std::uint64_t bytes) {
    token_pass kernel({bytes, 1, 0});
    return myrinet_latencies(kernel);
  };
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024, 2048}) {
    rows.add("T07." + std::to_string(bytes), myrinet_name,
             [=] { return myrinet_us(static_cast<double>(token(bytes).min())); });
  }
  rows.add("T08.min", myrinet_name,
           [=] { return myrinet_us(static_cast<double>(token(1).min())); });
  rows.add("T08.mean", myrinet_name, [=] { return myrinet_us(token(1).mean()); });
  rows.add("T08.max", myrinet_name,
           [=] { return myrinet_us(static_cast<double>(token(1).max())); });
  rows.add("T08.deviation", myrinet_name,
           [=] { return myrinet_us(token(1).standard_deviation()); });
  const auto in = [] {
    fan_in kernel({2048, 0});
    return myrinet_latencies(kernel);
  };
  const auto out = [] {
    fan_out kernel({2048, 0, false});
    return myrinet_latencies(kernel);
  };
  rows.add("T09.min", myrinet_name, [=] { return myrinet_us(static_cast<double>(in().min())); });
  rows.add("T09.mean", myrinet_name, [=] { return myrinet_us(in().mean()); });
  rows.add("T09.max", myrinet_name, [=] { return myrinet_us(static_cast<double>(in().max())); });
  rows.add("T09.deviation", myrinet_name, [=] { return myrinet_us(in().standard_deviation()); });
  rows.add("T10.mean", myrinet_name, [=] { return myrinet_us(out().mean()); });
  rows.add("T10.max", myrinet_name, [=] { return myrinet_us(static_cast<double>(out().max())); });
}

grid_exchange::options mesh_options(std::uint64_t bytes) {
  grid_exchange::options options;
  options.bytes = bytes;
  options.compute = static_cast<cycle_t>(10 * cycles_a_microsecond);
  return options;
}

void add_mesh_rows(traffic_rows& rows) {
  // Ten iterations have nine pauses of 10 us.
  rows.add("T18", ethernet_name, [] {
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
  rows.add("T20", ethernet_name, [] {
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

void add_avici_rows(traffic_rows& rows) {
  const auto us_of = [](double cycles) { return cycles * avici_period_ps / 1e6; };
  const auto token = [](bool ports) {
    fabric_network network = avici_network(ports);
    token_pass kernel({1, 1, 0});
    traffic_run run(network, kernel);
    run.run();
    return run.messages();
  };
  for (const bool ports : {false, true}) {
    const std::string id = ports ? "T13.token." : "T11.";
    const char* const name = ports ? avici_name : fabric_name;
    rows.add(id + "min", name, [=] { return us_of(static_cast<double>(token(ports).min())); });
    rows.add(id + "mean", name, [=] { return us_of(token(ports).mean()); });
    rows.add(id + "max", name, [=] { return us_of(static_cast<double>(token(ports).max())); });
    rows.add(id + "deviation", name, [=] { return us_of(token(ports).standard_deviation()); });
  }
  const auto fan_in_to = [](bool ports) {
    fabric_network network = avici_network(ports);
    fan_in kernel({2048, 0});
    traffic_run run(network, kernel);
    run.run();
    return run.packets();
  };
  rows.add("T12.step", fabric_name, [=] {
    const latency_spread all = fan_in_to(false);
    return us_of(static_cast<double>(all.max() - all.min())) / static_cast<double>(all.count() - 1);
  });
  rows.add("T12.max", fabric_name,
           [=] { return us_of(static_cast<double>(fan_in_to(false).max())); });
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024}) {
    rows.add("T13." + std::to_string(bytes), avici_name, [=] {
      fabric_network network = avici_network(true, 2);
      token_pass kernel({bytes, 1, 0});
      traffic_run run(network, kernel);
      run.run();
      return us_of(static_cast<double>(run.messages().min()));
    });
  }
}

void add_bandwidth_rows(traffic_rows& rows) {
  constexpr std::uint64_t bytes = 15'000'000;
  rows.add("T06.myrinet", myrinet_name, [] {
    token_pass kernel({bytes, 1, 0});
    return bytes / myrinet_us(myrinet_latencies(kernel).mean()) / myrinet().bandwidth;
  });
  const auto avici_rate = [](bool ports) {
    fabric_network network = avici_network(ports, 1);
    token_pass kernel({bytes, 1, 0});
    traffic_run run(network, kernel);
    run.run();
    return bytes / (run.messages().mean() * avici_period_ps / 1e6);
  };
  rows.add("T06.fabric", fabric_name, [=] {
    const fabric_config fabric;
    return avici_rate(false) / (fabric.unit_bytes * 1e6 / avici_period_ps);
  });
  rows.add("T06.avici", avici_name, [=] {
    const message_network_config config = avici_links();
    const double frame = config.payload_bytes + config.header_bytes + config.gap_bytes;
    return avici_rate(true) / (config.bandwidth * config.payload_bytes / frame);
  });
}

/// Mean and greatest latency of messages in a mesh, and its completion, in microseconds.
struct mesh_result {
  double mean = 0;
  double greatest = 0;
  double completion = 0;
};

template <class Network>
mesh_result mesh_on(Network& network, std::uint64_t bytes) {
  const auto period = static_cast<double>(network.config().clock.period);
  grid_exchange::options options;
  options.bytes = bytes;
  // 10 us, in whole cycles at least.
  options.compute =
      (10'000'000 + network.config().clock.period - 1) / network.config().clock.period;
  grid_exchange kernel(options);
  traffic_run run(network, kernel);
  run.run();
  const auto in_us = [=](double cycles) { return cycles * period / 1e6; };
  return {in_us(run.messages().mean()), in_us(static_cast<double>(run.messages().max())),
          in_us(static_cast<double>(kernel.completion()))};
}

/// Over five drawings of up*/down* routes from a depth-first tree: the source has none.
mesh_result myrinet_mesh(std::uint64_t bytes) {
  constexpr std::uint64_t drawings = 5;
  const grid_config torus{{8, 4}, true, 8, 2};
  auto graph = std::make_shared<const network_graph>(grid_graph(torus));
  const orientation ends = dfs_orientation(*graph);
  const up_down_routes routes(ends);
  const routing_table table = up_down_table(routes);
  mesh_result sum;
  for (std::uint64_t seed = 1; seed <= drawings; ++seed) {
    wormhole_network network(myrinet(), 64, graph, table, seed);
    const mesh_result each = mesh_on(network, bytes);
    sum.mean += each.mean / drawings;
    sum.greatest += each.greatest / drawings;
    sum.completion += each.completion / drawings;
  }
  return sum;
}

mesh_result ethernet_mesh(std::uint64_t bytes) {
  routed_network network = star_network(testing::gigabit_ethernet(), 4, 64);
  return mesh_on(network, bytes);
}

mesh_result avici_mesh(std::uint64_t bytes) {
  fabric_network network = avici_network(true);
  return mesh_on(network, bytes);
}

void add_comparisons_of_fans(traffic_rows& rows) {
  const auto ethernet_in = [] {
    fan_in kernel({2048, 0});
    return greatest_us(frame_latencies(kernel));
  };
  const auto myrinet_in = [] {
    fan_in kernel({2048, 0});
    return myrinet_us(static_cast<double>(myrinet_latencies(kernel).max()));
  };
  const auto avici_in = [] {
    fabric_network network = avici_network(true);
    fan_in kernel({2048, 0});
    traffic_run run(network, kernel);
    run.run();
    return static_cast<double>(run.packets().max()) * avici_period_ps / 1e6;
  };
  rows.add("T14.ethernet", all_names, [=] { return myrinet_in() / ethernet_in(); });
  rows.add("T14.avici", all_names, [=] { return myrinet_in() / avici_in(); });
  rows.add("T14.maxima", all_names, [=] { return avici_in() / ethernet_in(); });
  const auto avici_out = [] {
    fabric_network network = avici_network(true);
    fan_out kernel({2048, 0, true});
    traffic_run run(network, kernel);
    run.run();
    return run.packets().mean() * avici_period_ps / 1e6;
  };
  rows.add("T15.ethernet", all_names, [=] {
    fan_out kernel({2048, 0, true});
    return mean_us(frame_latencies(kernel)) / avici_out();
  });
  rows.add("T15.avici", all_names, [=] {
    fan_out kernel({2048, 0, false});
    return avici_out() / myrinet_us(myrinet_latencies(kernel).mean());
  });
}

void add_comparisons_of_meshes(traffic_rows& rows) {
  const auto id = [](const char* row, std::uint64_t bytes) {
    return std::string(row) + std::to_string(bytes);
  };
  for (const std::uint64_t bytes : {32, 64, 128, 256}) {
    rows.add(id("T16.myrinet.", bytes), all_names,
             [=] { return myrinet_mesh(bytes).mean / avici_mesh(bytes).mean; });
  }
  for (const std::uint64_t bytes : {1024, 2048}) {
    rows.add(id("T16.avici.", bytes), all_names,
             [=] { return avici_mesh(bytes).mean / myrinet_mesh(bytes).mean; });
  }
  for (const std::uint64_t bytes : {32, 64, 128, 256, 512, 1024, 2048}) {
    rows.add(id("T16.ethernet.", bytes), all_names, [=] {
      return std::max(avici_mesh(bytes).mean, myrinet_mesh(bytes).mean) / ethernet_mesh(bytes).mean;
    });
  }
  const auto worst = [](const mesh_result& of) { return of.greatest / of.mean; };
  rows.add("T17.avici", avici_name, [=] { return worst(avici_mesh(2048)); });
  rows.add("T17.myrinet", myrinet_name, [=] { return worst(myrinet_mesh(2048)); });
  rows.add("T17.ethernet", ethernet_name, [=] { return worst(ethernet_mesh(2048)); });
  rows.add("T18.least", all_names, [] {
    return std::min(
        {ethernet_mesh(32).completion, myrinet_mesh(32).completion, avici_mesh(32).completion});
  });
  for (const std::uint64_t bytes : {32, 2048}) {
    rows.add(id("T19.", bytes), avici_name, [=] { return avici_mesh(bytes).completion; });
  }
}

}  // namespace

std::vector<planned_row> cluster_traffic_checks(const claims& cluster) {
  traffic_rows rows(cluster);
  add_token_rows(rows);
  add_fan_rows(rows);
  add_myrinet_rows(rows);
  add_mesh_rows(rows);
  add_avici_rows(rows);
  add_bandwidth_rows(rows);
  add_comparisons_of_fans(rows);
  add_comparisons_of_meshes(rows);
  return rows.take();
}

}  // namespace tributary::validation
