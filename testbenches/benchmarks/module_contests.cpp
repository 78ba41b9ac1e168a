// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_platform.h>

#include "contest.h"
#include "opponents.h"
#include "signal_omega.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

/// Bounds of G5 and G6.
constexpr double most_of_loop = 1.25;
constexpr double least_at_1024 = 15;
constexpr double least_at_64 = 4;

contest against_loop(const bench_case& chosen) {
  contest row;
  row.id = "G5." + chosen.id;
  row.title = "modules of one process each, compared with the plain loop, " + chosen.id;
  row.judged = comparison::cost;
  row.goal = most_of_loop;
  row.ours = timed<stepped<ultracomputer_platform>>(chosen);
  row.other = timed<ultracomputer>(chosen);
  return row;
}

/// `signal_cycles`: how many the signal-level model simulates, which needs longer for each.
contest against_signals(std::uint32_t elements, std::uint64_t signal_cycles, double goal) {
  bench_case chosen = short_uniform_case(elements);
  chosen.warmup = 250;
  contest row;
  row.id = "G6." + std::to_string(elements);
  row.title = "the network in one process, compared with a module a switch and a signal a link, " +
              chosen.id;
  row.judged = comparison::speed;
  row.goal = goal;
  row.other_share = static_cast<double>(signal_cycles) / static_cast<double>(chosen.cycles);
  row.ours = timed<stepped<ultracomputer_platform>>(chosen);
  chosen.cycles = signal_cycles;
  row.other = timed<signal_machine>(chosen);
  return row;
}

}  // namespace

std::vector<contest> module_contests() {
  return {against_loop(short_uniform_case(64)), against_loop(short_uniform_case(1024)),
          against_loop(polling_case("improved")), against_signals(64, 5'000, least_at_64),
          against_signals(1024, 200, least_at_1024)};
}

}  // namespace tributary::benchmarks
