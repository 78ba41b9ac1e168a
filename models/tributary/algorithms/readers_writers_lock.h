// SPDX-License-Identifier: Apache-2.0
// What every readers-writers lock offers.
#pragma once

namespace tributary {

/// One element's end of a lock that any number of readers hold, or one writer: each element makes
/// one, over the same words, which start as 0. A release gives back what this element holds; what
/// the element did before, posted references too, is over before anybody gets in whom it kept out
/// (`program_context::fence`).
class readers_writers_lock {
 public:
  readers_writers_lock() = default;
  readers_writers_lock(const readers_writers_lock&) = delete;
  readers_writers_lock& operator=(const readers_writers_lock&) = delete;
  virtual ~readers_writers_lock() = default;

  /// Returns when this element holds the lock with no writer.
  virtual void acquire_read() = 0;
  virtual void release_read() = 0;
  /// Returns when this element alone holds the lock.
  virtual void acquire_write() = 0;
  virtual void release_write() = 0;
};

}  // namespace tributary
