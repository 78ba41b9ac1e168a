// SPDX-License-Identifier: Apache-2.0
// What coherence costs a whole application.
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include <flash/flash_machine.h>
#include <tributary/algorithms/water.h>
#include <tributary/memory/address_map.h>

#include "contest.h"
#include "ideal_memory.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_ideal = 10;
constexpr std::uint32_t nodes = 64;
constexpr std::uint32_t molecules = 512;  // as published (FLASH Table 6.10)

/// The machine of FLASH chapter 6: network and caches of the preset `water`, with more nodes.
flash_config machine() {
  flash_config config;
  config.machine.nodes = nodes;
  message_network_config& network = config.machine.network;
  network.topology = topology_kind::hypercube;
  network.base_latency = 3;
  network.hop_latency = 4;
  network.bandwidth = 800;
  network.header_bytes = 16;
  config.machine.node.protocol_bytes = std::uint64_t{2} << 20;
  config.machine.node.caches.present = true;
  config.machine.node.caches.invalidation_cycles = 4;
  config.processor.turnaround = 4;
  config.processor.start_window = 1;
  config.processor.posted_stores = true;
  config.processor.loops_ask_to_write = true;
  config.workload.choice.kind = workload_kind::program;
  config.workload.choice.program.run.replay_limit = 0;
  config.workload.choice.program.name = program_kind::water;
  config.workload.choice.program.water.molecules = molecules;
  config.workload.choice.program.water.steps = 1;
  return config;
}

void time_on_nodes(benchmark::State& state) {
  flash_machine simulated(machine(), 1);
  for (auto _ : state) simulated.run_until(never - 1);
  if (!simulated.finished()) state.SkipWithError("the application does not end");
}

void time_on_ideal_memory(benchmark::State& state) {
  const flash_config config = machine();
  const address_map map(config.regions(), nodes);
  ideal_memory simulated(map, config.processor,
                         make_water_program(config.workload.choice.program.water, map, {}));
  for (auto _ : state) simulated.run();
}

}  // namespace

std::vector<contest> application_contests() {
  contest row;
  row.id = "G12.water";
  row.title = "water of 512 molecules on 64 nodes, compared with the same on ideal memory";
  row.judged = comparison::cost;
  row.goal = most_of_ideal;
  row.ours = time_on_nodes;
  row.other = time_on_ideal_memory;
  return {row};
}

}  // namespace tributary::benchmarks
