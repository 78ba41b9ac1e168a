// SPDX-License-Identifier: Apache-2.0
// tomcatv: a mesh that fits a given boundary.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/remote_reading.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program.
struct tomcatv_config {
  /// Points of a side of the mesh.
  std::uint32_t points = 960;
  /// Behind a first one that is not measured.
  std::uint32_t iterations = 10;
  /// Cycles of a processor that a point takes in an iteration: fitted to Table 2 of Falsafi and
  /// Wood, Single by Fixed with interrupts of 1 us.
  std::uint64_t point_cycles = 60;
  /// Of the rows of its neighbours (not published).
  remote_reading reading = remote_reading::as_needed;
  barrier_algorithm barrier = barrier_algorithm::dissemination;

  void bind(parameter_set& parameters);
};

/// Every process owns as many rows of the mesh, or one more, one behind the other. In an iteration
/// it reads the rows of its neighbours next to its own, finds what is missing at its points, and
/// the greatest values of that; all meet; it solves a system of equations along each row, then
/// moves all points, and all meet again. The first and the last row of each process lie in its
/// memory; others are read by nobody else, and take no references.
///
/// The mesh and the greatest values are what one processor computes, bit by bit; throws
/// `simulation_error` if they are not. The sample `time` is that of the measured iterations.
/// Source: SPEC CFP92, 047.tomcatv; Falsafi and Wood, section 6, Table 1.
///
/// Throws `configuration_error` for fewer than two rows a process, and for memories that are too
/// small.
std::unique_ptr<program> make_tomcatv_program(const tomcatv_config& config, const address_map& map,
                                              const kept_synchronization& machine);

}  // namespace tributary
