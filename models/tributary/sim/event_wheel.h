// SPDX-License-Identifier: Apache-2.0
// Events in the order of their cycles, for blocks that are stepped every cycle and have many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/event_queue.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Hands out the events of an `event_queue` in its order: earliest cycle first, and first scheduled
/// first among equals. Those of the next `span` cycles lie in a list for each cycle, so that
/// scheduling and taking one costs the same however many there are. A value: it can be copied and
/// stored if T can.
template <class T>
class event_wheel {
 public:
  static constexpr std::size_t span = 256;

  /// Adds an event that falls due in `cycle`.
  void schedule(cycle_t cycle, const T& event) {
    if (cycle >= next_ && cycle - next_ < span) {
      near_[cycle % span].push_back(event);
    } else {
      far_.schedule(cycle, event);
    }
  }

  /// Calls `visit(events, i)` for each event that is due in `now` or before, where `events` is a
  /// vector with the i-th in it and those that come next behind it. `visit` may schedule events;
  /// what it schedules for `now` or before comes in the next call.
  template <class Visit>
  void take_due(cycle_t now, Visit&& visit) {
    due_.clear();
    collect(now);
    for (std::size_t i = 0; i < due_.size(); ++i) visit(due_, i);
  }

  /// The same in the order of `before` among all events that are due.
  template <class Before, class Visit>
  void take_due_in_order(cycle_t now, const Before& before, Visit&& visit) {
    due_.clear();
    collect(now);
    std::sort(due_.begin(), due_.end(), before);
    for (std::size_t i = 0; i < due_.size(); ++i) visit(due_, i);
  }

  /// Brings the events of each of the next cycles into that order, for a stored state that does not
  /// tell in which they were scheduled.
  template <class Before>
  void sort(const Before& before) {
    for (std::vector<T>& events : near_) std::sort(events.begin(), events.end(), before);
  }

  TRIBUTARY_STATE(next_, near_, far_);

 private:
  /// Room that a list keeps once it was used, in events.
  static constexpr std::size_t kept = 128;

  void collect(cycle_t now) {
    for (std::size_t turned = 0; next_ <= now && turned < span; ++next_, ++turned) {
      // Far ones of a cycle were scheduled before it came near.
      collect_far(next_);
      std::vector<T>& near = near_[next_ % span];
      due_.insert(due_.end(), near.begin(), near.end());
      near.clear();
      if (near.capacity() > kept) near.shrink_to_fit();
    }
    if (next_ <= now) next_ = now + 1;
    collect_far(now);
  }
  void collect_far(cycle_t now) {
    T event{};
    while (far_.pop_due(now, event)) due_.push_back(event);
  }

  cycle_t next_ = 0;  // the first cycle that was not asked for
  std::vector<std::vector<T>> near_ = std::vector<std::vector<T>>(span);
  event_queue<T> far_;
  std::vector<T> due_;  // only within a call
};

}  // namespace tributary
