// SPDX-License-Identifier: Apache-2.0
// The reverse queue of a processor-side port: first in, first out, responses only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>
#include <tributary/sim/zeroed_vector.h>

namespace tributary {

/// Reverse queues side by side, `count` of them with `slots` slots each (5 to 65,535); a single
/// one is the case of one. Two memory-side ports may each bring a response and its decombined
/// second half in one cycle, so a queue is ready while it has room for four (cycle contract, 7).
class reverse_queue {
 public:
  /// Room for the arrivals of one cycle: two ports, two halves each.
  static constexpr std::uint32_t arrivals_per_cycle = 4;

  explicit reverse_queue(std::uint32_t slots, std::size_t count = 1)
      : slots_(slots), count_(count), replies_(count * slots), levels_(count) {}

  std::uint32_t slots() const { return slots_; }
  std::size_t count() const { return count_; }
  std::size_t size(std::size_t queue) const { return levels_[queue].size; }
  bool empty(std::size_t queue) const { return levels_[queue].size == 0; }
  /// Whether the arrivals of one cycle find room, next to responses that are announced.
  bool ready(std::size_t queue) const {
    const level& now = levels_[queue];
    return unsigned{now.size} + now.announced + arrivals_per_cycle <= slots_;
  }
  /// Whether `ready` is another than at the call before; at first it was false.
  bool take_ready_change(std::size_t queue) {
    const bool now = ready(queue);
    if (now == (levels_[queue].was_ready != 0)) return false;
    levels_[queue].was_ready = static_cast<std::uint16_t>(now);
    return true;
  }
  /// A response is on the way in a register (rule 13), or none is any more.
  void announce(std::size_t queue) { ++levels_[queue].announced; }
  void withdraw_all() {
    for (level& each : levels_) each.announced = 0;
  }

  /// The i-th oldest response.
  const reply& entry(std::size_t queue, std::size_t i) const { return replies_[slot_of(queue, i)]; }
  const reply& head(std::size_t queue) const { return entry(queue, 0); }

  /// Removes the head; the reference stays valid until the queue accepts again. Precondition: not
  /// empty.
  const reply& release(std::size_t queue) {
    level& now = levels_[queue];
    const unsigned head = now.head;
    const unsigned remaining = now.size - 1U;
    now.size = static_cast<std::uint16_t>(remaining);
    now.head = remaining == 0 || head + 1 == slots_ ? std::uint16_t{0}
                                                    : static_cast<std::uint16_t>(head + 1);
    return replies_[head * count_ + queue];
  }

  /// Takes a response as the newest. Precondition: `ready` at the start of the cycle, and at most
  /// `arrivals_per_cycle` in it.
  void accept(std::size_t queue, const reply& arrival) {
    replies_[slot_of(queue, levels_[queue].size)] = arrival;
    ++levels_[queue].size;
  }

  /// Makes the queue like one of another bank.
  void copy_queue(std::size_t queue, const reverse_queue& other, std::size_t other_queue) {
    levels_[queue] = other.levels_[other_queue];
    levels_[queue].head = 0;
    for (std::size_t i = 0; i < size(queue); ++i) {
      replies_[slot_of(queue, i)] = other.entry(other_queue, i);
    }
  }

  /// Forgets in which slots the responses are, and what was in others.
  void normalize() {
    std::vector<reply> entries(slots_);
    for (std::size_t queue = 0; queue < count_; ++queue) {
      for (std::size_t i = 0; i < slots_; ++i) {
        entries[i] = i < size(queue) ? entry(queue, i) : reply();
      }
      levels_[queue].head = 0;
      for (std::size_t i = 0; i < slots_; ++i) replies_[slot_of(queue, i)] = entries[i];
    }
  }

  /// Whether two banks hold the same responses, read from their heads.
  friend bool operator==(const reverse_queue& x, const reverse_queue& y) {
    if (x.count() != y.count()) return false;
    for (std::size_t queue = 0; queue < x.count(); ++queue) {
      if (x.size(queue) != y.size(queue)) return false;
      for (std::size_t i = 0; i < x.size(queue); ++i) {
        if (x.entry(queue, i) != y.entry(queue, i)) return false;
      }
    }
    return true;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(fixed_size(replies_), fixed_size(levels_));
    for (const level& each : levels_) {
      require_within(each.head < slots_ && unsigned{each.size} + each.announced <= slots_);
    }
  }

 private:
  struct level {
    std::uint16_t head = 0;
    std::uint16_t size = 0;
    std::uint16_t announced = 0;
    std::uint16_t was_ready = 0;  // as in combining_queue

    TRIBUTARY_STATE(head, size, announced);
  };

  /// Slot by slot over all queues, as in combining_queue.
  std::size_t slot_of(std::size_t queue, std::size_t i) const {
    std::size_t position = levels_[queue].head + i;
    if (position >= slots_) position -= slots_;
    return position * count_ + queue;
  }

  std::uint32_t slots_;
  std::size_t count_;
  zeroed_vector<reply> replies_;
  std::vector<level> levels_;
};

}  // namespace tributary
