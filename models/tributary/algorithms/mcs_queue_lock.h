// SPDX-License-Identifier: Apache-2.0
// The MCS list-based queue lock: first come, first served, each spins in its own memory.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/algorithms/queue_nodes.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Elements swap themselves to the tail of a list and tell their predecessor, who wakes them by a
/// store into their own memory. The lock is granted in the order of the swaps.
///
/// MCS clear an element's node in `acquire`; here it is clean already, because `release` leaves it
/// so once the lock is handed over, where none waits for it.
/// Source: Mellor-Crummey and Scott, TOCS 9(1), 1991.
class mcs_queue_lock final : public mutual_exclusion_lock {
 public:
  /// Where an element clears its node. `acquire` clears it as the publication does.
  enum class clearing : std::uint8_t { in_release, in_acquire };

  static constexpr std::uint32_t central_words = 1;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  mcs_queue_lock(program_context& context, const memory_place& place,
                 clearing when = clearing::in_release);

  void acquire() override;
  void release() override;

 private:
  // Words of an element's node.
  static constexpr std::uint32_t next = 0;     ///< who comes after it
  static constexpr std::uint32_t granted = 1;  ///< 1: its turn

  program_context& context_;
  queue_nodes nodes_;
  std::uint64_t tail_;
  word_t self_;
  own_grant grant_;
  clearing when_;
};

}  // namespace tributary
