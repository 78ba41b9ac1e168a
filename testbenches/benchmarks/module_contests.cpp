// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <benchmark/benchmark.h>

#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_platform.h>

#include "contest.h"
#include "opponents.h"
#include "signal_omega.h"

namespace tributary::benchmarks {
namespace {

/// Bounds of G5 and G6.
constexpr double most_of_loop = 1.25;
constexpr double least_at_1024 = 15;
constexpr double least_at_64 = 4;

void run_loop(benchmark::State& state, const bench_case& chosen) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  for (auto _ : state) machine.step(chosen.cycles);
}

void run_platform(benchmark::State& state, const bench_case& chosen) {
  ultracomputer_platform machine(chosen.machine, 1);
  machine.run_until(chosen.warmup);
  for (auto _ : state) machine.run_until(chosen.warmup + chosen.cycles);
}

void run_signals(benchmark::State& state, const bench_case& chosen, std::uint64_t cycles) {
  signal_machine machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  for (auto _ : state) machine.step(cycles);
}

contest against_loop(const bench_case& chosen) {
  contest made;
  made.id = "G5." + chosen.id;
  made.what = "modules of one process each, beside the plain loop, " + chosen.id;
  made.judged = comparison::cost;
  made.goal = most_of_loop;
  made.ours = [chosen](benchmark::State& state) { run_platform(state, chosen); };
  made.other = [chosen](benchmark::State& state) { run_loop(state, chosen); };
  return made;
}

/// `signal_cycles`: how many the signal-level model simulates, which needs longer for each.
contest against_signals(std::uint32_t elements, std::uint64_t signal_cycles, double goal) {
  bench_case chosen = short_uniform_case(elements);
  chosen.warmup = 250;
  contest made;
  made.id = "G6." + std::to_string(elements);
  made.what =
      "the network in one process, beside a module a switch and a signal a link, " + chosen.id;
  made.judged = comparison::speed;
  made.goal = goal;
  made.other_share = static_cast<double>(signal_cycles) / static_cast<double>(chosen.cycles);
  made.ours = [chosen](benchmark::State& state) { run_platform(state, chosen); };
  made.other = [=](benchmark::State& state) { run_signals(state, chosen, signal_cycles); };
  return made;
}

}  // namespace

std::vector<contest> module_contests() {
  return {against_loop(short_uniform_case(64)), against_loop(short_uniform_case(1024)),
          against_loop(polling_case("improved")), against_signals(64, 5'000, least_at_64),
          against_signals(1024, 200, least_at_1024)};
}

}  // namespace tributary::benchmarks
