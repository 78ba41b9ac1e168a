// SPDX-License-Identifier: Apache-2.0
// halo2d: the communication of jacobi, of words that say where they come from.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator.
struct halo2d_config {
  /// Points of a side of the grid.
  std::uint32_t side = 128;
  std::uint32_t iterations = 18;
  /// Rows of blocks; so many columns that each node has a block.
  std::uint32_t block_rows = 2;
  /// 1: a barrier comes between the gets of an iteration and the next values. 2: iterations use two
  /// grids in turn, and have no barrier but the reduction.
  std::uint32_t grids = 1;
  /// A get for each edge of a neighbour instead of one for each of its points.
  bool aggregated = false;
  std::uint32_t reduce_bytes = 8;
  /// Cycles of a processor between the gets and the reduction.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// In each iteration a get of a word for each point of a neighbour that is next to one of this
/// node's, and a reduction. Source: section 6 of the specification; Klaiber 5.4. `aggregated`, of
/// whole edges: Klaiber 6.5.5.
///
/// Throws `configuration_error` for blocks that are not all equal.
std::unique_ptr<kernel> make_halo2d(const halo2d_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
