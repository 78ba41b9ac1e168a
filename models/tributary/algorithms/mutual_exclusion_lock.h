// SPDX-License-Identifier: Apache-2.0
// What every lock that one element holds at a time offers; synchronization.h makes one by name.
#pragma once

#include <cstdint>

namespace tributary {

/// One element's end of a lock: each element makes one, over the same words, which start as 0.
class mutual_exclusion_lock {
 public:
  mutual_exclusion_lock() = default;
  mutual_exclusion_lock(const mutual_exclusion_lock&) = delete;
  mutual_exclusion_lock& operator=(const mutual_exclusion_lock&) = delete;
  virtual ~mutual_exclusion_lock() = default;

  /// Returns when this element alone holds the lock.
  virtual void acquire() = 0;
  /// Gives the lock back, by the element that holds it. What it did before, posted references too,
  /// is over before anybody else gets in (`program_context::fence`).
  virtual void release() = 0;
};

/// Locks that a program can be asked to use.
enum class lock_algorithm : std::uint8_t {
  test_and_set,
  ticket,
  mcs_queue,
  ll_sc,  ///< of a machine whose processors have caches
  flash   ///< of a machine whose controllers keep it
};

}  // namespace tributary
