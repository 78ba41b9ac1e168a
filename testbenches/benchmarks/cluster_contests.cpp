// SPDX-License-Identifier: Apache-2.0
// Clusters as SystemC modules.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <cluster/cluster_simulation.h>
#include <driver/engine_kind.h>

#include "contest.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_loop = 1.25;

/// An exchange of 256 hosts, as of the presets gige_mesh and myrinet_mesh.
cluster_config exchange(cluster_network_kind kind) {
  cluster_config config;
  config.traffic.kernel = cluster_kernel::exchange;
  config.traffic.bytes = 2048;
  config.traffic.iterations = 40;
  if (kind == cluster_network_kind::buffered) return config;
  config.network.kind = kind;
  config.network.graph.kind = cluster_graph_kind::mesh;
  config.network.graph.sizes = "8x4";
  config.network.graph.hosts_per_switch = 8;
  config.network.graph.cables = 2;
  config.network.links.bandwidth = 160;
  config.network.links.payload_bytes = 2048;
  config.network.links.base_latency = 748;
  config.network.links.hop_latency = 480;
  return config;
}

void time_cluster(benchmark::State& state, const cluster_config& config, engine_kind engine) {
  constexpr cycle_t patience = 1'000'000'000'000;
  cluster_simulation machine(config, 1, engine);
  for (auto _ : state) machine.run_until(patience);
  if (!machine.finished()) state.SkipWithError("the traffic does not end");
}

contest of_modules(const std::string& id, cluster_network_kind kind) {
  contest row;
  row.id = "cluster.modules." + id;
  row.title = "256 hosts of " + id +
              " that exchange messages, as modules that talk through sockets, compared with the "
              "plain loop";
  row.judged = comparison::cost;
  row.goal = most_of_loop;
  const cluster_config config = exchange(kind);
  row.ours = [config](benchmark::State& state) {
    time_cluster(state, config, engine_kind::systemc);
  };
  row.other = [config](benchmark::State& state) { time_cluster(state, config, engine_kind::loop); };
  return row;
}

}  // namespace

std::vector<contest> cluster_contests() {
  return {of_modules("ethernet", cluster_network_kind::buffered),
          of_modules("myrinet", cluster_network_kind::wormhole)};
}

}  // namespace tributary::benchmarks
