// SPDX-License-Identifier: Apache-2.0
// Water: molecules of a liquid, each pair of which is looked at, as SPLASH-2's of that name.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/application_process.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program.
struct water_config {
  application_config meeting;
  std::uint32_t molecules = 512;
  std::uint32_t steps = 3;
  /// Locks of molecules: molecule m has lock m mod `locks`.
  std::uint32_t locks = 512;
  /// Cycles in which a processor computes the forces between two molecules.
  std::uint64_t interaction_cycles = 6500;

  void bind(parameter_set& parameters);
};

/// The structure of SPLASH-2's Water, N-squared: each process owns n / N molecules, and computes
/// what they and the n / 2 behind each of them do to each other, in memory of its own. Then it adds
/// that to the molecules' forces, each under its lock, and goes on behind a barrier. Sums over all
/// molecules have locks of their own. The molecules lie at their owners.
///
/// Forces and sums are whole numbers of small units, so that the end is bit by bit what one
/// processor computes, in any order of arrival; throws `simulation_error` if it is not.
/// Source: Woo et al., "The SPLASH-2 programs", ISCA 1995; FLASH 6.3.2.
///
/// Throws `configuration_error` for locks or barriers that the machine does not have, and for more
/// molecules than its memories hold.
std::unique_ptr<program> make_water_program(const water_config& config, const address_map& map,
                                            const kept_synchronization& machine);

/// Acquisitions that the program makes on so many processes.
std::uint64_t water_acquisitions(const water_config& config, std::uint32_t processes);

}  // namespace tributary
