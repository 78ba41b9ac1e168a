// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <benchmark/benchmark.h>

#include <ultracomputer/ultracomputer_platform.h>

#include "contest.h"
#include "opponents.h"
#include "socket_parts.h"

namespace tributary::benchmarks {
namespace {

/// Bounds of G10.
constexpr double least_of_engine = 0.5;
constexpr double most_of_pair = 2;
constexpr double most_extra_nanoseconds = 50;

constexpr std::uint64_t blocking_reads = 1'000'000;

void run_platform(benchmark::State& state, const bench_case& chosen) {
  ultracomputer_platform machine(chosen.machine, 1);
  machine.run_until(chosen.warmup);
  for (auto _ : state) machine.run_until(chosen.warmup + chosen.cycles);
}

void run_sockets(benchmark::State& state, const bench_case& chosen) {
  socket_machine machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  for (auto _ : state) machine.step(chosen.cycles);
}

/// As many transactions as there are requests in the case, by as many pairs as it has elements.
void run_pairs(benchmark::State& state, const bench_case& chosen) {
  bare_pairs pairs(chosen.machine.network.processing_elements);
  pairs.run(10);
  const double each = chosen.machine.workload.open_loop.load * static_cast<double>(chosen.cycles);
  for (auto _ : state) pairs.run(static_cast<std::uint64_t>(each));
}

contest against_engine(const bench_case& chosen, const std::string& name) {
  contest made;
  made.id = "G10.engine." + name;
  made.what =
      "initiators and memories behind sockets at every port, beside the engine alone, " + chosen.id;
  made.judged = comparison::speed;
  made.goal = least_of_engine;
  made.ours = [chosen](benchmark::State& state) { run_sockets(state, chosen); };
  made.other = [chosen](benchmark::State& state) { run_platform(state, chosen); };
  return made;
}

contest against_pair(const bench_case& chosen) {
  contest made = against_engine(chosen, "");
  made.id = "G10.pair";
  made.what =
      "what a transaction takes more than the engine, beside that of a bare AT pair, " + chosen.id;
  made.judged = comparison::overhead;
  made.goal = most_of_pair;
  made.unit = [chosen](benchmark::State& state) { run_pairs(state, chosen); };
  return made;
}

void run_reads(benchmark::State& state, bool through_network) {
  blocking_machine machine(uniform_case(64).machine, through_network);
  machine.read(blocking_reads / 10);
  for (auto _ : state) machine.read(blocking_reads);
}

contest blocking() {
  contest made;
  made.id = "G10.b_transport";
  made.what = "a read by b_transport through a network of 64, beside one of the memory alone";
  made.judged = comparison::extra_time;
  made.goal = most_extra_nanoseconds;
  made.items = static_cast<double>(blocking_reads);
  made.ours = [](benchmark::State& state) { run_reads(state, true); };
  made.other = [](benchmark::State& state) { run_reads(state, false); };
  return made;
}

}  // namespace

std::vector<contest> socket_contests() {
  bench_case small = uniform_case(64);
  small.cycles /= 2;
  bench_case large = uniform_case(1024);
  large.cycles /= 2;
  return {against_engine(small, "64"), against_engine(large, "1024"), against_pair(small),
          blocking()};
}

}  // namespace tributary::benchmarks
