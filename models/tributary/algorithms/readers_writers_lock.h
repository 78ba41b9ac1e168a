// SPDX-License-Identifier: Apache-2.0
// What every readers-writers lock offers, and those of the library by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

class program_context;
struct memory_place;

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

/// Readers-writers locks that a program can be asked to use.
enum class readers_writers_algorithm : std::uint8_t {
  centralized,
  mcs_fair,
  mcs_reader_preference,
  mcs_writer_preference
};

/// All of them with their names in run files.
std::vector<std::pair<std::string, readers_writers_algorithm>> readers_writers_algorithms();

/// This element's end of a lock at `place`; every element makes the same one.
std::unique_ptr<readers_writers_lock> make_readers_writers_lock(readers_writers_algorithm algorithm,
                                                                program_context& context,
                                                                const memory_place& place);

}  // namespace tributary
