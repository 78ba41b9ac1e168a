// SPDX-License-Identifier: Apache-2.0
// evsim: events for random nodes and a global time, as a simulator of logic has them.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator.
struct evsim_config {
  std::uint32_t phases = 100;
  /// Combining sends of a node in a phase, on average: the number is geometric.
  double mean_sends = 2;
  /// Of a combining send: 4 or 8.
  std::uint32_t send_bytes = 4;
  std::uint32_t reduce_bytes = 4;
  /// Words of a node that sends combine with.
  std::uint32_t slots = 16;
  /// Cycles of a processor in a phase.
  std::uint64_t compute_cycles = 0;
  /// Names the sends, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// In each phase combining sends to random words of random other nodes, a reduction, and a barrier.
/// Between the last two each node compares its words with the sum of what all sent, and clears
/// them. Source: section 6 of the specification; Klaiber 5.4 (misra, of which he gives no circuit).
///
/// Throws `configuration_error` for a single node.
std::unique_ptr<kernel> make_evsim(const evsim_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
