// SPDX-License-Identifier: Apache-2.0
// appbt: a fluid in three dimensions, whose equations are eliminated in wavefronts.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/remote_reading.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program. What is not of Falsafi and Wood's Table 1 is not published: it was
/// chosen with the whole row of their Table 2 in view, and `finding_cycles` fitted to Single by
/// Fixed with interrupts of 1 us.
struct appbt_config {
  /// Points of a side of the cube.
  std::uint32_t points = 24;
  /// Behind a first one that is not measured.
  std::uint32_t iterations = 12;
  /// Cycles of a processor for a point in an iteration, but for the three eliminations.
  std::uint64_t finding_cycles = 1200;
  /// Cycles of a processor for a point in an elimination: seven eighths forward, the rest back.
  std::uint64_t solving_cycles = 400;
  /// Words from one point of a face to the next: its five values, and what lies between.
  std::uint32_t face_words = 16;
  /// Of faces, and of what elimination leaves at them.
  remote_reading reading = remote_reading::copied;
  /// Lines of points at a face of which one lock keeps the values.
  std::uint32_t lock_lines = 12;
  /// Whether a processor spins on a lock, and must be interrupted; else it rests as at a barrier.
  bool spin_locks = true;
  barrier_algorithm barrier = barrier_algorithm::dissemination;

  void bind(parameter_set& parameters);
};

/// Every process owns a box of the cube. In an iteration it reads the faces of its neighbours and
/// finds how its points would change; then equations are eliminated along the lines of each
/// direction, and changes found from their ends on, which go through all boxes of a line: a process
/// waits at a lock until its neighbour has written where its lines go on. All meet behind each
/// direction, and when points have moved. Faces, and what elimination leaves at them, lie in the
/// memory of the process that writes them, each group of lines with a lock in a block of its own;
/// points inside are read by nobody else, and take no references.
///
/// What flows is what one processor computes, bit by bit; throws `simulation_error` if it is not.
/// The sample `time` is that of the measured iterations.
/// Source: Falsafi and Wood, section 6, Table 1; Bailey et al., "The NAS parallel benchmarks",
/// 1991 (BT), of which the equations here are a smaller example.
///
/// Throws `configuration_error` for fewer points than processes in a direction, and for memories
/// that are too small.
std::unique_ptr<program> make_appbt_program(const appbt_config& config, const address_map& map,
                                            const kept_synchronization& machine);

}  // namespace tributary
