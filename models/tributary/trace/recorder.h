// SPDX-License-Identifier: Apache-2.0
// Collects the events of a cycle and tells them in an order that all engines have.
#pragma once

#include <cstddef>

#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/event.h>
#include <tributary/trace/event_batch.h>
#include <tributary/trace/event_order.h>

namespace tributary {

/// Blocks report what becomes known in a cycle in an order of their own; observers are told at its
/// end, in the order of `event_order`. What lasts may have begun before, or end later.
class trace_recorder {
 public:
  trace_recorder() = default;

  observer_list<trace_event>& observers() { return observers_; }
  /// Observers for which the order does not matter, as they only count. They are told at the end of
  /// a cycle too, of events as blocks reported them. Some events are reported for
  /// `observers()` only (`trace_point::shown`): who counts one of those, as `round_trip_account`
  /// does `arrived`, must be among them.
  observer_list<trace_event>& tallies() { return tallies_; }
  bool observed() const { return shown() || !tallies_.empty(); }
  /// Whether anybody looks at more than what is counted.
  bool shown() const { return taker_ != nullptr || !observers_.empty(); }

  /// Lets one other take the events in batches, as they were reported; it must outlive this or be
  /// removed by `give_to_nobody`. Throws `error` if there is one already.
  void give_to(event_taker& taker);
  /// Hands over what is left, and no more after that.
  void give_to_nobody();

  /// For so many tracks; forgets what was reported.
  void reset(std::size_t tracks);

  /// `event.track` is less than the number of tracks.
  void add(const trace_event& event) { collected_.add() = event; }
  /// The same for who makes an event where it stays: every member must be set, before the next.
  trace_event& add() { return collected_.add(); }
  /// Ends cycle `now`: tells the observers what was reported since the last call.
  void tell(cycle_t now);

 private:
  event_batch collected_;
  std::size_t told_ = 0;  // of those collected
  event_order order_;
  observer_list<trace_event> observers_;
  event_taker* taker_ = nullptr;
  observer_list<trace_event> tallies_;
};

/// Where a block reports its events: nowhere, or to a recorder on tracks of its own.
class trace_point {
 public:
  /// Nowhere.
  trace_point() = default;
  /// On the tracks from `first` on; nowhere without a recorder.
  trace_point(trace_recorder* recorder, track_id first) : recorder_(recorder), first_(first) {}

  bool on() const { return recorder_ != nullptr; }
  /// The same, for events of which tallies are not told, as `arrived`.
  bool shown() const { return recorder_ != nullptr && recorder_->shown(); }
  /// On track `number` of the block's; only if it is on.
  void add(trace_event event, std::size_t number = 0) const {
    event.track = track(number);
    recorder_->add(event);
  }
  track_id track(std::size_t number) const {
    return static_cast<track_id>(static_cast<std::size_t>(first_) + number);
  }

 private:
  trace_recorder* recorder_ = nullptr;
  track_id first_{};
};

}  // namespace tributary
