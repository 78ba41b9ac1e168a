// SPDX-License-Identifier: Apache-2.0
// gauss: a system of linear equations, by Gaussian elimination.
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
struct gauss_config {
  /// Equations, and unknowns.
  std::uint32_t equations = 960;
  /// Cycles of a processor that the change of an element takes: fitted to Table 2 of Falsafi and
  /// Wood, Single by Fixed with interrupts of 1 us.
  std::uint64_t element_cycles = 12;
  /// Of the pivot's row (not published).
  remote_reading reading = remote_reading::as_needed;
  barrier_algorithm barrier = barrier_algorithm::dissemination;
  /// Names the system; it is the same for every seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// Rows are dealt to the processes in turn, and lie in the memory of their owner. In a step of the
/// elimination the owner of a row writes it, all processes meet, and change their rows behind it;
/// they read the row while they change the first of them. Then unknowns are found from the last one
/// on: the owner of its row writes it, all meet, read it, and change their right sides. A row that
/// no other process reads yet takes no references. The diagonal dominates, so that no rows are
/// swapped.
///
/// Unknowns are what one processor computes, bit by bit, and near those of which the system was
/// made; throws `simulation_error` if they are not. The sample `time` is that of both parts.
/// Source: Falsafi and Wood, section 6, Table 1.
///
/// Throws `configuration_error` for fewer equations than processes, and for memories that are too
/// small.
std::unique_ptr<program> make_gauss_program(const gauss_config& config, const address_map& map,
                                            const kept_synchronization& machine);

}  // namespace tributary
