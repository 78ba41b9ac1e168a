// SPDX-License-Identifier: Apache-2.0
// What FLASH Tables 6.2 and 6.3 measure of a lock, whoever keeps it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <support/synchronizing_machine.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/processor/program.h>
#include <tributary/sim/cycle.h>

namespace tributary::validation {

/// A lock under test.
struct measured_lock {
  std::function<std::unique_ptr<mutual_exclusion_lock>(program_context&,
                                                       const testing::synchronizing_machine&)>
      make;
  /// What a call computes before its first access, in cycles of the processor.
  std::uint64_t call_cycles = 0;
};

/// The lock that the controllers keep, whose home is node 0. What a call computes is fitted to a
/// lock that is found in the caches, in SV10.
measured_lock measured_flash_lock(flash_lock::manner how = flash_lock::manner::normal);

/// Where the others keep their words: the lock's on node 0, those of each element on its own.
inline constexpr memory_place lock_words_place{0, 4, 4};
measured_lock measured_ll_sc_lock(ll_sc_lock::reading how = ll_sc_lock::reading::first_exclusive);
/// As appendix B of the publication has it, which clears an element's node in its `acquire`.
measured_lock measured_mcs_lock();

/// Something to be done at a moment of a measurement.
using at_moment = std::function<void(testing::synchronizing_machine&)>;

/// Each of `wants` acquires and releases a lock in turn, all else at rest: what each acquisition
/// takes, in microseconds. `between` is called before each turn, and after the last.
std::vector<double> acquire_in_turn(const testing::synchronizing_config& config,
                                    const measured_lock& lock,
                                    const std::vector<std::uint32_t>& wants,
                                    const at_moment& between = {});

/// Turns with each case of FLASH Table 6.2, on a lock whose home is node 0.
inline const std::vector<std::uint32_t> turns_of_table_6_2 = {0, 1, 0, 1, 2, 2};
/// The cases, and their places among these turns.
inline constexpr std::array<std::pair<const char*, std::size_t>, 4> cases_of_table_6_2{
    {{"home_to_remote", 1}, {"remote_to_home", 2}, {"third", 4}, {"cached", 5}}};

/// FLASH's controlled contention (Table 6.3): the home has the lock, all others wait for it, and
/// each releases it at once.
struct contention {
  double first = 0;      ///< from the end of the home's unlock to the next holder's return
  double hand_over = 0;  ///< the same of all unlocks but the last: the mean
  double all = 0;        ///< from the home's unlock to the last
  bool in_order = true;  ///< in the order in which they asked
};

/// What else is asked of a contention.
struct contention_watch {
  at_moment begins;  ///< called before the home unlocks
  at_moment ended;   ///< called when all is at rest again
  /// Whether all others wait; asked after each has asked, until it is so.
  std::function<bool(testing::synchronizing_machine&)> all_wait;
};

contention measured_contention(const testing::synchronizing_config& config,
                               const measured_lock& lock, const contention_watch& watch = {});

}  // namespace tributary::validation
