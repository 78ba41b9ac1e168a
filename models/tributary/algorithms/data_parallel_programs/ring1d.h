// SPDX-License-Identifier: Apache-2.0
// ring1d: gets of one or two words from both neighbours, as an ocean in strips makes them.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator.
struct ring1d_config {
  std::uint32_t phases = 50;
  /// That a node gets from each of its neighbours in a phase.
  std::uint32_t items = 20;
  /// Of the items, those of 16 bytes; the others have 8.
  double wide_share = 0.45;
  /// Cycles of a processor in a phase.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// In each phase every node gets all items of both neighbours in a ring; a barrier follows. No two
/// items share a line of 32 bytes. Items are of two sets in turn, of which one is taken while the
/// other gets the next values. Source: section 6 of the specification; Klaiber 5.4 (ocean, of which
/// he gives no size), 5.5.2.
///
/// Throws `configuration_error` for a single node.
std::unique_ptr<kernel> make_ring1d(const ring1d_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
