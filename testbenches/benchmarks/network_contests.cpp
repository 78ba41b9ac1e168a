// SPDX-License-Identifier: Apache-2.0
// Networks of clusters: the formula of wormhole networks compared with flits, and the cost of a hop
// by the number of hosts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <tributary/network/graph/distances.h>
#include <tributary/sim/random_stream.h>

#include <cluster/cluster_simulation.h>

#include "contest.h"
#include "support/flit_network.h"
#include "support/wormhole_cases.h"

namespace tributary::benchmarks {
namespace {

constexpr double least_of_formula = 10;
constexpr double most_of_size = 1.5;
constexpr std::size_t random_cases = 300;
constexpr std::uint32_t flits_of_p4 = 32;
constexpr double packet_hops = 1e6;
constexpr std::uint32_t least_hosts = 64;

std::vector<testing::drawn_case> drawn_cases() {
  random_stream draws(1, 0U, 1102U);
  std::vector<testing::drawn_case> made;
  made.reserve(random_cases);
  for (std::size_t i = 0; i < random_cases; ++i) {
    made.push_back(testing::draw_case(draws));
    for (testing::sent_packet& each : made.back().packets) each.flits = flits_of_p4;
  }
  return made;
}

void time_formula(benchmark::State& state) {
  std::vector<testing::drawn_case> cases = drawn_cases();
  for (auto _ : state) {
    for (testing::drawn_case& each : cases) {
      testing::sender sends(each.config, each.channels, each.packets);
      if (sends.run() != 0) state.SkipWithError("packets do not arrive");
    }
  }
}

void time_flits(benchmark::State& state) {
  constexpr cycle_t patience = 100'000;
  const std::vector<testing::drawn_case> cases = drawn_cases();
  for (auto _ : state) {
    for (const testing::drawn_case& each : cases) {
      testing::flit_network network(each.config, each.channels);
      for (const testing::sent_packet& sent : each.packets) {
        network.add(sent.flits, sent.route, sent.at);
      }
      if (!network.run(patience)) state.SkipWithError("packets do not arrive");
    }
  }
}

contest of_formula() {
  contest row;
  row.id = "cluster.formula";
  row.title = "wormhole packets by formula, compared with the flit-by-flit reference of the tests";
  row.judged = comparison::speed;
  row.goal = least_of_formula;
  row.ours = time_formula;
  row.other = time_flits;
  return row;
}

/// A light load on a mesh of switches with four hosts each: of 1,024 hosts the links in the middle
/// are busy for a twelfth of the time.
cluster_config loaded_mesh(cluster_network_kind kind, std::uint32_t switches_a_side) {
  cluster_config config;
  const std::string side = std::to_string(switches_a_side);
  config.network.graph.kind = cluster_graph_kind::mesh;
  config.network.graph.sizes = side + "x" + side;
  config.network.graph.hosts_per_switch = 4;
  config.network.routing.kind = cluster_routing_kind::dimension_order;
  config.traffic.kernel = cluster_kernel::load;
  config.traffic.load = 0.005;
  config.traffic.bytes = 128;
  config.network.kind = kind;
  if (kind == cluster_network_kind::buffered) return config;
  message_network_config& links = config.network.links;
  links.clock.period = 6250;
  links.bandwidth = 160;
  links.header_bytes = 1;
  links.least_payload = 0;
  links.gap_bytes = 0;
  links.payload_bytes = 2048;
  links.base_latency = 25;
  links.hop_latency = 24;
  return config;
}

/// Channels that a message crosses, mean of all pairs of switches, those of hosts included.
double mean_hops(const network_graph& graph) {
  const distance_table distances(graph);
  double links = 0;
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    links += distances.average_from(switch_id{i});
  }
  const double switches = graph.switches();
  const double mean = links / switches * (switches - 1) / switches;
  return mean + 2;
}

/// In which all hosts together cause about `packet_hops`.
cycle_t cycles_of(const cluster_config& config) {
  const network_graph graph = config.network.graph.made();
  const traffic_place place{graph, config.clock(), config.network.links.bandwidth};
  const double messages = config.traffic.load * place.link_bytes() /
                          static_cast<double>(config.traffic.bytes) * graph.hosts();
  return static_cast<cycle_t>(packet_hops / mean_hops(graph) / messages);
}

void time_load(benchmark::State& state, const cluster_config& config) {
  cluster_simulation machine(config, 1);
  const cycle_t last = cycles_of(config);
  for (auto _ : state) machine.run_until(last);
  if (machine.traffic().messages().count() == 0) state.SkipWithError("no message arrives");
}

contest of_hosts(const std::string& id, cluster_network_kind kind, std::uint32_t side) {
  constexpr std::uint32_t hosts_a_switch = 4;
  const std::uint32_t hosts = side * side * hosts_a_switch;
  contest row;
  row.id = "cluster.hosts." + id + "." + std::to_string(hosts);
  row.title = "a packet's hop in a mesh (" + id + ") of " + std::to_string(hosts) +
              " hosts, compared with one of " + std::to_string(least_hosts);
  row.judged = comparison::cost;
  row.goal = most_of_size;
  const cluster_config ours = loaded_mesh(kind, side);
  const cluster_config other = loaded_mesh(kind, 4);
  row.ours = [ours](benchmark::State& state) { time_load(state, ours); };
  row.other = [other](benchmark::State& state) { time_load(state, other); };
  return row;
}

}  // namespace

std::vector<contest> network_contests() {
  std::vector<contest> rows{of_formula()};
  const std::vector<std::pair<std::string, cluster_network_kind>> kinds{
      {"buffered", cluster_network_kind::buffered}, {"wormhole", cluster_network_kind::wormhole}};
  for (const auto& [id, kind] : kinds) {
    for (const std::uint32_t side : {8U, 16U}) rows.push_back(of_hosts(id, kind, side));
  }
  return rows;
}

}  // namespace tributary::benchmarks
