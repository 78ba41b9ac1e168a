// SPDX-License-Identifier: Apache-2.0
// SMP nodes whose processors compute and ask each other, as a queueing model would write them down.
#pragma once

#include <cstdint>

namespace tributary::benchmarks::plain_smp {

enum class schedule { fixed, floating, single };

/// Null requests with the constants of the specification's section 8, in cycles.
struct options {
  schedule kind = schedule::fixed;
  std::uint32_t nodes = 2;
  std::uint32_t processors = 2;
  std::uint64_t requests = 6000;  ///< of each node's processors together
  double utilisation = 0.3;
  std::uint64_t seed = 1;

  std::uint64_t submit = 105;
  std::uint64_t handler = 65;  ///< each of three
  std::uint64_t resume = 100;
  std::uint64_t network = 100;
  std::uint64_t interrupt = 200;
  std::uint64_t acquire = 100;
  std::uint64_t activation = 50;
  std::uint64_t migration = 30;
};

struct outcome {
  std::uint64_t cycles = 0;  ///< until the last program has ended
  std::uint64_t requests = 0;
  double round_trip = 0;  ///< mean
  std::uint64_t interrupts = 0;
};

/// Runs all programs to their ends: a heap of events and a switch, without fibers, agendas, tables
/// of transitions or messages. The rules are those of `protocol_role` with its usual readings.
outcome run(const options& chosen);

}  // namespace tributary::benchmarks::plain_smp
