// SPDX-License-Identifier: Apache-2.0
// What every lock that one element holds at a time offers, and those of the library by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

class program_context;
struct memory_place;

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

/// Those of every machine with their names in run files.
std::vector<std::pair<std::string, lock_algorithm>> lock_algorithms();

/// Words that a lock takes: at its place, and of each element.
struct lock_words {
  std::uint32_t central = 0;
  std::uint32_t own = 0;
};
/// Those of one of these for so many elements.
lock_words words_of(lock_algorithm algorithm, std::uint32_t elements);

/// This element's end of one of these at `place`; every element makes the same one.
std::unique_ptr<mutual_exclusion_lock> make_lock(lock_algorithm algorithm, program_context& context,
                                                 const memory_place& place);

}  // namespace tributary
