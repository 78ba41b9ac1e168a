// SPDX-License-Identifier: Apache-2.0
// Critical sections under locks: what locks are compared by.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the critical sections.
struct critical_sections_config {
  lock_algorithm lock = lock_algorithm::mcs_queue;
  /// Locks, of which an element draws one for each section.
  std::uint32_t locks = 1;
  /// Sections of each element.
  std::uint64_t count = 10;
  /// Cycles in a section, and the mean of those between two, which are drawn evenly.
  std::uint64_t held = 20;
  std::uint64_t idle = 100;
  /// Whether the lock `flash` is asked for before it is looked at.
  bool aggressive = false;

  void bind(parameter_set& parameters);
};

/// Each element acquires a lock, increments the lock's word by a load and a store with `held`
/// cycles between them, releases it and idles, `count` times (FLASH 6.1.8: stochastic contention).
/// The spans `acquire` and `section` are what an acquisition takes, and how long the lock is held.
/// The last element adds up the words; throws `simulation_error` unless they are all sections.
///
/// Throws `configuration_error` for the lock `flash` where controllers keep fewer.
std::unique_ptr<program> make_critical_sections_program(const critical_sections_config& config,
                                                        const address_map& map,
                                                        const kept_synchronization& kept = {});

}  // namespace tributary
