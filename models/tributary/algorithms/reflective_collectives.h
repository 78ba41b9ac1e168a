// SPDX-License-Identifier: Apache-2.0
// The program by which reflective memory is measured: a collective operation, again and again.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/reflective_broadcast.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// What the nodes do together.
enum class reflective_operation : std::uint8_t {
  broadcast,   ///< of node 0's words to all
  barrier,     ///< a crossing
  all_reduce,  ///< the sum of all nodes' words, to all
  stream       ///< stores, without waiting for anyone
};

/// Ways of crossing a barrier.
enum class reflective_barrier_algorithm : std::uint8_t { radix, root_collect };

/// Configuration of the program.
struct reflective_collectives_config {
  reflective_operation operation = reflective_operation::broadcast;
  reflective_broadcast_algorithm broadcast = reflective_broadcast_algorithm::radix;
  reflective_barrier_algorithm barrier = reflective_barrier_algorithm::radix;
  std::uint32_t radix = 4;
  std::uint64_t words = 0;
  std::uint32_t writers = 0;
  std::uint64_t repetitions = 20;
  std::uint64_t interval = 1000000;
  std::uint64_t skew = 950;
  std::uint64_t overhead = 0;

  void bind(parameter_set& parameters);
  /// Words of the ring that the program needs on so many nodes.
  std::uint64_t memory_words(std::uint32_t nodes) const;
  /// Writers of a stream.
  std::uint32_t streaming(std::uint32_t nodes) const { return writers == 0 ? nodes : writers; }
  /// Throws `configuration_error` for values out of range, for more flags and messages than
  /// `available` words hold, and for more writers than nodes.
  void validate(std::uint32_t nodes, std::uint64_t available) const;
};

/// Each node does the operation `repetitions` times, each after the next multiple of `interval`
/// cycles and a delay below `skew` cycles that is drawn. The sample `operation` is the time of
/// each: from when the last node has begun (of a broadcast: the root) until the last node has its
/// result. The program checks results, and that no node leaves a barrier before the last has come;
/// throws `simulation_error` if not.
/// The configuration is valid for the machine.
std::unique_ptr<program> make_reflective_collectives(const reflective_collectives_config& config);

}  // namespace tributary
