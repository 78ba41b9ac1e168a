// SPDX-License-Identifier: Apache-2.0
// shallow: waves of shallow water, in columns.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct shallow_config {
  /// Rows and columns of the grid.
  std::uint32_t side = 64;
  std::uint32_t steps = 10;
  /// Cycles of a processor that a point takes in a step.
  std::uint64_t point_cycles = 0;
  /// Names the ripples that the water begins with, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// Nodes own consecutive columns of a grid without edges. In a step each node
/// - sends its first column of u, v and p to its left neighbour,
/// - sends the fluxes along its last column, two that its right neighbour owns and, of its first
///   one, two that the left neighbour needs, and gets the old v of its right neighbour's first
///   column word by word,
/// - sends the new v of that column there: so it is written by its owner and by the neighbour in
///   turn.
/// A barrier ends each of the three. All points are what one processor computes, bit by bit.
/// Source: Klaiber 5.4, 5.5.2; the equations: Sadourny, "The dynamics of finite-difference models
/// of the shallow-water equations", J. Atmos. Sci. 32, 1975.
///
/// Throws `configuration_error` for a single node, and if nodes would not have equally many
/// columns.
std::unique_ptr<kernel> make_shallow(const shallow_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
