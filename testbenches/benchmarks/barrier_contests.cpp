// SPDX-License-Identifier: Apache-2.0
// What a message of the controllers' barrier costs: a join or a release.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <flash/flash_machine.h>

#include "contest.h"
#include "dispatch_time.h"

namespace tributary::benchmarks {
namespace {

constexpr std::uint64_t messages = 60'000;

/// Crossings of which so many messages are made: each node but the root sends a join and gets a
/// release.
std::uint64_t crossings(std::uint32_t nodes) { return messages / (2 * (std::uint64_t{nodes} - 1)); }

flash_config machine_of(std::uint32_t nodes) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.network.topology = topology_kind::hypercube;
  config.machine.node.caches.present = true;
  config.machine.node.addresses.space_bits = barrier_command::space_bits;
  config.machine.node.jump_table.candidates = 5;
  config.processor.turnaround = 1;
  config.barriers.count = 1;
  config.workload.choice.kind = workload_kind::program;
  config.workload.choice.program.name = program_kind::supersteps;
  config.workload.choice.program.supersteps.barrier = barrier_algorithm::flash;
  config.workload.choice.program.supersteps.count = crossings(nodes);
  return config;
}

void time_crossings(benchmark::State& state, std::uint32_t nodes) {
  flash_machine machine(machine_of(nodes), 1);
  for (auto _ : state) machine.run_until(never - 1);
  if (!machine.finished()) state.SkipWithError("the crossings do not end");
}

contest barrier_contest(std::uint32_t nodes, double goal) {
  contest row;
  row.id = "G12.barrier." + std::to_string(nodes);
  row.title = "a message of the controllers' barrier, " + std::to_string(nodes) +
              " nodes, compared with an empty handler (G12.dispatches)";
  row.judged = comparison::cost;
  row.goal = goal;
  row.ours = [nodes](benchmark::State& state) { time_crossings(state, nodes); };
  row.other = [](benchmark::State& state) { time_dispatches(state, messages); };
  return row;
}

}  // namespace

std::vector<contest> barrier_contests() {
  return {barrier_contest(16, 6), barrier_contest(128, 10)};
}

}  // namespace tributary::benchmarks
