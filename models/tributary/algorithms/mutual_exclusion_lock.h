// SPDX-License-Identifier: Apache-2.0
// What every lock that one element holds at a time offers.
#pragma once

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

}  // namespace tributary
