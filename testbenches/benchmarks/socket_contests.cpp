// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <ultracomputer/ultracomputer_platform.h>

#include "contest.h"
#include "opponents.h"
#include "socket_parts.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

/// Bounds of G10.
constexpr double least_of_engine = 0.5;
constexpr double most_of_pair = 2;
constexpr double most_extra_nanoseconds = 50;

constexpr double most_of_bare_burst = 1.2;

constexpr double most_of_bare_register = 2;

constexpr std::uint64_t blocking_reads = 1'000'000;
constexpr std::uint64_t blocking_bursts = 20'000;
constexpr unsigned burst_bytes = 4096;

/// As many transactions as there are requests in the case, by as many pairs as it has elements.
void run_pairs(benchmark::State& state, const bench_case& chosen) {
  bare_pairs pairs(chosen.machine.network.processing_elements);
  pairs.run(10);
  const double each = chosen.machine.workload.open_loop.load * static_cast<double>(chosen.cycles);
  for (auto _ : state) pairs.run(static_cast<std::uint64_t>(each));
}

template <class Machine>
contest against_engine(const bench_case& chosen, const std::string& id, const std::string& title) {
  contest row;
  row.id = id;
  row.title = title + ", compared with the engine alone, " + chosen.id;
  row.ours = timed<Machine>(chosen);
  row.other = timed<stepped<ultracomputer_platform>>(chosen);
  return row;
}

contest driven_by_sockets(const bench_case& chosen, const std::string& size) {
  contest row = against_engine<processor_socket_machine>(chosen, "G10.engine." + size,
                                                         "AT initiators at every element's socket");
  row.judged = comparison::speed;
  row.goal = least_of_engine;
  return row;
}

contest against_pair(const bench_case& chosen) {
  contest row = against_engine<processor_socket_machine>(
      chosen, "G10.pair", "what an AT transaction adds, in those of a bare pair");
  row.judged = comparison::overhead;
  row.goal = most_of_pair;
  row.unit = [chosen](benchmark::State& state) { run_pairs(state, chosen); };
  return row;
}

void run_reads(benchmark::State& state, bool through_network) {
  blocking_machine machine(uniform_case(64).machine, through_network, word_bytes);
  machine.read(blocking_reads / 10);
  for (auto _ : state) machine.read(blocking_reads);
}

contest blocking() {
  contest row;
  row.id = "G10.b_transport";
  row.title =
      "a read by b_transport through a network of 64, compared with one of the memory alone";
  row.judged = comparison::extra_time;
  row.goal = most_extra_nanoseconds;
  row.items = static_cast<double>(blocking_reads);
  row.ours = [](benchmark::State& state) { run_reads(state, true); };
  row.other = [](benchmark::State& state) { run_reads(state, false); };
  return row;
}

void run_bursts(benchmark::State& state, bool through_network) {
  blocking_machine machine(uniform_case(64).machine, through_network, burst_bytes);
  machine.read(blocking_bursts / 10);
  for (auto _ : state) machine.read(blocking_bursts);
}

contest blocking_burst() {
  contest row;
  row.id = "G10.burst";
  row.title =
      "4 KiB of one module by b_transport through a network of 64, compared with the memory alone";
  row.judged = comparison::cost;
  row.goal = most_of_bare_burst;
  row.ours = [](benchmark::State& state) { run_bursts(state, true); };
  row.other = [](benchmark::State& state) { run_bursts(state, false); };
  return row;
}

void run_registers(benchmark::State& state, bool of_interface) {
  register_machine machine(of_interface);
  machine.read(blocking_reads / 10);
  for (auto _ : state) machine.read(blocking_reads);
}

contest registers() {
  contest row;
  row.id = "messages.registers";
  row.title = "a register of a message interface by b_transport, compared with a word of a memory";
  row.judged = comparison::cost;
  row.goal = most_of_bare_register;
  row.ours = [](benchmark::State& state) { run_registers(state, true); };
  row.other = [](benchmark::State& state) { run_registers(state, false); };
  return row;
}

}  // namespace

std::vector<contest> socket_contests() {
  const bench_case small = short_uniform_case(64);
  const bench_case large = short_uniform_case(1024);
  return {driven_by_sockets(small, "64"),
          driven_by_sockets(large, "1024"),
          against_pair(small),
          blocking(),
          blocking_burst(),
          registers()};
}

}  // namespace tributary::benchmarks
