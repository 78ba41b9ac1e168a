// SPDX-License-Identifier: Apache-2.0
// Events in the order of their cycles, for event-driven blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Events of one event-driven block: earliest cycle first, and first scheduled first among equals.
/// A value: it can be copied and stored if T can.
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

  TRIBUTARY_STATE(next_sequence_, heap_);

 private:
  struct entry {
    cycle_t cycle = 0;
    std::uint64_t sequence = 0;
    T event{};

    TRIBUTARY_STATE(cycle, sequence, event);
  };

  static bool later(const entry& a, const entry& b) noexcept {
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
  }

  std::uint64_t next_sequence_ = 0;
  std::vector<entry> heap_;
};

}  // namespace tributary
