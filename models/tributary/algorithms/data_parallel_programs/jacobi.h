// SPDX-License-Identifier: Apache-2.0
// jacobi: a grid that relaxes, each point to the mean of the four next to it.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct jacobi_config {
  /// Points of a side of the grid.
  std::uint32_t side = 128;
  std::uint32_t iterations = 18;
  /// Rows of blocks; so many columns that each node has a block.
  std::uint32_t block_rows = 2;
  /// A get for each edge of a neighbour instead of one for each of its points (Klaiber 6.5.5).
  bool aggregated = false;
  /// Cycles of a processor that a point takes.
  std::uint64_t point_cycles = 0;
  /// Names the grid before the first iteration, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// In an iteration each node gets the points of its neighbours next to its own, all meet at a
/// barrier, and each node changes its points; the greatest change is reduced. Beyond the edges of
/// the grid all is 1. Points that a neighbour needs are in memory, the others in variables.
/// Points and changes are what one processor computes, bit by bit.
/// Source: Klaiber 5.4, 5.5.2; the blocks are derived from his counts.
///
/// Throws `configuration_error` for blocks that are not all equal.
std::unique_ptr<kernel> make_jacobi(const jacobi_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
