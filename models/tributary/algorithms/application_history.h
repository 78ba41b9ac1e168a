// SPDX-License-Identifier: Apache-2.0
// What has happened at the locks and barriers of an application, for the figures of FLASH 6.1.1
// and 6.2.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Counts and latest times only, so that it is the same in whatever order processes are replayed.
class lock_history {
 public:
  void reset(std::size_t locks) { locks_.assign(locks, {}); }

  void acquired(std::size_t lock) { ++locks_.at(lock).acquired; }
  void released(std::size_t lock, cycle_t now) {
    one& that = locks_.at(lock);
    ++that.released;
    that.last_release = std::max(that.last_release, now);
  }

  /// What an acquisition that begins finds, for `waited` at its end.
  word_t found(std::size_t lock) const {
    const one& that = locks_.at(lock);
    return that.acquired << 1U | (that.acquired > that.released ? 1U : 0U);
  }
  /// Of an acquisition that ends in cycle `now`: 0 if no other has had the lock since it began,
  /// else one more than the cycles since the last holder came back from its release (0 if it is
  /// still in it).
  word_t waited(std::size_t lock, word_t found_at_begin, cycle_t now) const {
    const one& that = locks_.at(lock);
    if (found_at_begin == that.acquired << 1U) return 0;
    return that.acquired > that.released ? 1 : 1 + now - that.last_release;
  }

 private:
  struct one {
    std::uint64_t acquired = 0;
    std::uint64_t released = 0;
    cycle_t last_release = 0;
  };
  std::vector<one> locks_;
};

/// The crossings of one barrier, by number; the same holds here.
class barrier_history {
 public:
  /// Of one crossing, when all have left.
  struct crossing {
    cycle_t first_arrival = std::numeric_limits<cycle_t>::max();
    cycle_t last_arrival = 0;
    cycle_t last_but_one = 0;  ///< of the arrivals
    cycle_t first_release = std::numeric_limits<cycle_t>::max();
    cycle_t last_release = 0;
  };

  void reset() { crossings_.clear(); }

  void arrived(std::size_t number, cycle_t now) {
    crossing& that = at(number);
    that.first_arrival = std::min(that.first_arrival, now);
    that.last_but_one = std::max(that.last_but_one, std::min(that.last_arrival, now));
    that.last_arrival = std::max(that.last_arrival, now);
  }
  void left(std::size_t number, cycle_t now) {
    crossing& that = at(number);
    that.first_release = std::min(that.first_release, now);
    that.last_release = std::max(that.last_release, now);
  }
  const crossing& of(std::size_t number) const { return crossings_.at(number); }

 private:
  crossing& at(std::size_t number) {
    if (crossings_.size() <= number) crossings_.resize(number + 1);
    return crossings_[number];
  }

  std::vector<crossing> crossings_;
};

}  // namespace tributary
