// SPDX-License-Identifier: Apache-2.0
// halo3d: the faces of blocks of a grid in three dimensions.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct halo3d_config {
  /// Points of an edge of the grid.
  std::uint32_t side = 32;
  std::uint32_t iterations = 10;
  /// Blocks along the first two directions; so many along the third that each node has a block.
  std::uint32_t blocks_x = 2;
  std::uint32_t blocks_y = 2;
  std::uint32_t reduce_bytes = 8;
  /// Cycles of a processor between the gets and the reduction.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// In each iteration every node gets the faces of its neighbours next to its block, by as few gets
/// as there are pieces in memory: a word a point along x, a row along y, a plane along z. A barrier
/// follows, then the next values and a reduction. The grid has no neighbours beyond its faces.
///
/// Throws `configuration_error` for blocks that are not all equal.
std::unique_ptr<kernel> make_halo3d(const halo3d_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
