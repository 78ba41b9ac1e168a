// SPDX-License-Identifier: Apache-2.0
// Barnes: bodies that attract each other, by an octree, as SPLASH-2's of that name.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/barnes_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program.
struct barnes_config {
  application_config meeting;
  barnes::tree_config tree;
  std::uint32_t bodies = 8192;
  /// Steps that are not measured: in the first one the work is not shared by its cost yet.
  std::uint32_t first_steps = 1;
  std::uint32_t steps = 1;
  /// Locks of cells; cells are numbered as they are made.
  std::uint32_t locks = 512;
  /// Cycles in which a processor computes what one body or cell does to a body.
  std::uint64_t interaction_cycles = 540;

  void bind(parameter_set& parameters);
};

/// The structure of SPLASH-2's Barnes. In a step all processes put their bodies into one octree,
/// each change of a cell under the cell's lock; sum masses and costs from the leaves up, where a
/// word of each node says that it is done; take the next bodies of equal costs in the order of the
/// tree; compute their accelerations, for which they read the tree; and move them. Four barriers
/// stand between and behind these parts, as no process waits before it computes accelerations.
/// Bodies lie at the process that put them there first, cells and leaves at the one that made them.
///
/// The tree depends on where bodies are, not on who comes first, so that the end is bit by bit what
/// one processor computes; throws `simulation_error` if it is not.
/// Source: Woo et al., "The SPLASH-2 programs", ISCA 1995; FLASH 6.3.3.
///
/// Throws `configuration_error` for locks or barriers that the machine does not have, and for more
/// bodies than its memories hold.
std::unique_ptr<program> make_barnes_program(const barnes_config& config, const address_map& map,
                                             const kept_synchronization& machine);

}  // namespace tributary
