// SPDX-License-Identifier: Apache-2.0
// Where a node keeps its part of locks.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>

namespace tributary::locks {

/// The ends of a home's circular deferral queue in one word.
class deferral_ends {
 public:
  constexpr explicit deferral_ends(word_t word) : word_(word) {}
  constexpr word_t word() const { return word_; }

  constexpr bool empty() const { return count.in(word_) == 0; }
  constexpr std::uint64_t first() const { return first_place.in(word_); }
  /// Of a queue with so many places.
  constexpr std::uint64_t place_of_next(std::uint64_t places) const {
    return (first() + count.in(word_)) % places;
  }
  constexpr void add() { word_ = count.put(word_, count.in(word_) + 1); }
  constexpr void drop(std::uint64_t places) {
    word_ = first_place.put(word_, (first() + 1) % places);
    word_ = count.put(word_, count.in(word_)-1);
  }

 private:
  static constexpr bit_field first_place{0, 16};
  static constexpr bit_field count{16, 16};

  word_t word_ = 0;
};

/// Addresses in a node's memory, from `base`, the start of a line, on: the states, which a line
/// without a lock follows; three vectors of a bit a line of states (FLASH 6.1.6); deferral queues
/// with a place a node, since each node has one request of a lock at most; records of what is put
/// off.
struct lock_memory {
  std::uint64_t base = 0;
  line_size line;
  std::uint64_t count = 0;   ///< of locks
  std::uint64_t queues = 0;  ///< of locks whose home this node may be
  std::uint64_t nodes = 1;   ///< of the machine

  constexpr std::uint64_t lines() const { return line.number(line.next_start(count * word_bytes)); }
  /// The last line is that of all numbers which the node does not keep.
  constexpr std::uint64_t state(std::uint64_t number) const {
    if (number < count) return base + number * word_bytes;
    return base + lines() * line.bytes() + number % line.words() * word_bytes;
  }
  constexpr std::uint64_t vector_words() const { return (lines() + 63) / 64; }
  constexpr std::uint64_t installed(std::uint64_t i) const { return vectors() + i * word_bytes; }
  constexpr std::uint64_t aging(std::uint64_t i) const { return installed(vector_words() + i); }
  constexpr std::uint64_t checking(std::uint64_t i) const { return aging(vector_words() + i); }
  constexpr std::uint64_t queues_in_use() const { return checking(vector_words()); }
  constexpr std::uint64_t check_record() const { return queues_in_use() + word_bytes; }
  /// Of a lock: 0 for its deferral queue, 1 for a request that waits for a buffer.
  constexpr std::uint64_t record(std::uint64_t number, std::uint64_t i) const {
    return check_record() + (1 + 2 * number + i) * deferred_record_bytes;
  }
  /// The word with the ends of a queue, which its places follow.
  constexpr std::uint64_t queue(std::uint64_t number) const {
    return record(count, 0) + number * (1 + nodes) * word_bytes;
  }
  constexpr std::uint64_t queue_entry(std::uint64_t number, std::uint64_t place) const {
    return queue(number) + (1 + place) * word_bytes;
  }
  constexpr std::uint64_t bytes() const { return queue(queues) - base; }

 private:
  constexpr std::uint64_t vectors() const { return base + (lines() + 1) * line.bytes(); }
};

}  // namespace tributary::locks
