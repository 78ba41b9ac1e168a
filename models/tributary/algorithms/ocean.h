// SPDX-License-Identifier: Apache-2.0
// Ocean: currents on a grid, by a multigrid solver, as SPLASH-2's of that name.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/application_process.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program.
struct ocean_config {
  application_config meeting;
  /// Inner points of a side of the grid; two more are its edges.
  std::uint32_t points = 256;
  /// Grids of the solver.
  std::uint32_t levels = 5;
  /// Steps, behind a first one that is not measured.
  std::uint32_t steps = 5;
  /// Whether a process asks for all edges of its neighbours before it copies the first.
  bool prefetch = false;
  /// Cycles in which a processor computes a point.
  std::uint64_t point_cycles = 255;

  void bind(parameter_set& parameters);
};

/// Each process owns a block of every grid, in its own memory, with room for the edges of its
/// neighbours. A step moves the vorticity and then solves for the stream function by one V-cycle:
/// red points are relaxed, then black ones, each behind a barrier and a copy of the neighbours'
/// edges of the other colour. So it crosses 6 barriers a level, less 4, and 3 more a step; errors
/// of each level but the last, and the energy, are summed under locks.
///
/// Points of one colour do not see each other, and sums are whole numbers, so that the end is bit
/// by bit what one processor computes; throws `simulation_error` if it is not.
/// Source: Woo et al., "The SPLASH-2 programs", ISCA 1995; FLASH 6.3.4.
///
/// Throws `configuration_error` for processes that are no power of two or that the coarsest grid
/// cannot be shared by, for locks or barriers that the machine does not have, and for grids that do
/// not fit into its memories.
std::unique_ptr<program> make_ocean_program(const ocean_config& config, const address_map& map,
                                            const kept_synchronization& machine);

/// Barriers that each process crosses in a step.
std::uint32_t ocean_barriers(const ocean_config& config);

}  // namespace tributary
