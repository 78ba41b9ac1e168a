// SPDX-License-Identifier: Apache-2.0
// colshift: gets of a word and sends of whole columns to a neighbour, as shallow has them.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator. By default half of the packets of 32 bytes are of sends: two of
/// a get, 16 of a send.
struct colshift_config {
  std::uint32_t phases = 30;
  /// Of a word, of each node in a phase.
  std::uint32_t gets = 64;
  /// Of a column, of each node in a phase.
  std::uint32_t sends = 8;
  /// Words of a column.
  std::uint32_t words = 64;
  /// Cycles of a processor in a phase.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// In each phase every node gets words from its right neighbour in a ring, and sends columns to it;
/// a barrier follows. Columns land in two sets in turn: the set that was sent to in the phase
/// before is written by its node. Source: section 6 of the specification; Klaiber 5.4
/// (shallow), 5.5.2.
///
/// Throws `configuration_error` for a single node.
std::unique_ptr<kernel> make_colshift(const colshift_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
