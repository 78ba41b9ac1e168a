// SPDX-License-Identifier: Apache-2.0
// Level Q of SMP nodes beside a plain queueing loop of the same rules, and level B beside level Q.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <smp/smp_simulation.h>

#include "contest.h"
#include "smp_work.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_loop = 1.5;
constexpr double most_of_constants = 10;
constexpr std::uint64_t requests = 30'000;  // of a node
constexpr std::uint64_t fewer_requests = 3'000;

void time_machine(benchmark::State& state, const smp_config& config) {
  constexpr cycle_t patience = 1'000'000'000;
  smp_simulation machine(config, 1);
  for (auto _ : state) machine.run_until(patience);
  if (!machine.finished()) state.SkipWithError("the programs do not end");
}

contest against_loop(const smp_case& chosen) {
  contest row;
  row.id = "smp.loop." + std::string(chosen.id);
  row.title = "null requests of two SMP nodes, schedule and processors " + std::string(chosen.id) +
              ", compared with a plain queueing loop of the same rules";
  row.judged = comparison::cost;
  row.goal = most_of_loop;
  smp_case longer = chosen;
  longer.plain.requests = requests;
  row.ours = [longer](benchmark::State& state) { time_machine(state, longer.machine()); };
  row.other = [longer](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(plain_smp::run(longer.plain).cycles);
  };
  return row;
}

contest against_constants(const smp_case& chosen) {
  contest row;
  row.id = "smp.bus." + std::string(chosen.id);
  row.title = "the same of " + std::string(chosen.id) +
              " at level B, with caches and a bus, compared with level Q";
  row.judged = comparison::cost;
  row.goal = most_of_constants;
  smp_case shorter = chosen;
  shorter.plain.requests = fewer_requests;
  smp_config on_bus = shorter.machine();
  on_bus.machine.node.level = node_level::bus;
  row.ours = [on_bus](benchmark::State& state) { time_machine(state, on_bus); };
  row.other = [shorter](benchmark::State& state) { time_machine(state, shorter.machine()); };
  return row;
}

}  // namespace

std::vector<contest> smp_contests() {
  std::vector<contest> contests;
  for (const smp_case& each : smp_cases()) contests.push_back(against_loop(each));
  for (const smp_case& each : smp_cases()) contests.push_back(against_constants(each));
  return contests;
}

}  // namespace tributary::benchmarks
