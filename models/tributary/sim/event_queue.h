// SPDX-License-Identifier: Apache-2.0
// Events in the order of their cycles, for event-driven blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>

namespace tributary {

/// Events of one event-driven block: earliest cycle first, and first scheduled first among equals.
/// A value: it can be copied, compared and stored if T can.
template <class T>
class event_queue {
 public:
  /// Adds an event that falls due in `cycle`; earlier than others already there is allowed.
  void schedule(cycle_t cycle, T event) {
    heap_.push_back(entry{cycle, next_sequence_, std::move(event)});
    ++next_sequence_;
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }

  /// The cycle of the earliest event, or `never`.
  cycle_t next_wakeup() const noexcept { return heap_.empty() ? never : heap_.front().cycle; }

  /// Takes the earliest event out into `event` if it is due in `now` or before; says whether.
  bool pop_due(cycle_t now, T& event) {
    if (heap_.empty() || heap_.front().cycle > now) {
      return false;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    event = std::move(heap_.back().event);
    heap_.pop_back();
    return true;
  }

  /// Takes the earliest event out if it is due in `now` or before.
  std::optional<T> pop_due(cycle_t now) {
    if (heap_.empty() || heap_.front().cycle > now) {
      return std::nullopt;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    std::optional<T> event(std::move(heap_.back().event));
    heap_.pop_back();
    return event;
  }

  /// Forgets all events.
  void clear() noexcept {
    heap_.clear();
    next_sequence_ = 0;
  }

  /// Equal when both would hand out equal events in the same cycles and the same order.
  bool operator==(const event_queue& other) const {
    if (heap_.size() != other.heap_.size()) {
      return false;
    }
    const std::vector<const entry*> mine = in_order();
    const std::vector<const entry*> theirs = other.in_order();
    return std::equal(mine.begin(), mine.end(), theirs.begin(), [](const entry* a, const entry* b) {
      return a->cycle == b->cycle && a->event == b->event;
    });
  }
  bool operator!=(const event_queue& other) const { return !(*this == other); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_sequence_, heap_);
  }

 private:
  struct entry {
    cycle_t cycle = 0;
    std::uint64_t sequence = 0;
    T event{};

    template <class Archive>
    void serialize(Archive& archive) {
      archive(cycle, sequence, event);
    }
  };

  static bool later(const entry& a, const entry& b) noexcept {
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
  }

  std::vector<const entry*> in_order() const {
    std::vector<const entry*> order;
    order.reserve(heap_.size());
    for (const entry& each : heap_) {
      order.push_back(&each);
    }
    std::sort(order.begin(), order.end(),
              [](const entry* a, const entry* b) { return later(*b, *a); });
    return order;
  }

  std::uint64_t next_sequence_ = 0;
  std::vector<entry> heap_;
};

}  // namespace tributary
