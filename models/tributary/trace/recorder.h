// SPDX-License-Identifier: Apache-2.0
// Collects the events of a cycle and tells them in an order that all engines have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/observer.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Blocks report what becomes known in a cycle in an order of their own; observers are told at its
/// end, track by track, and within a track in the order of `comes_before`. What lasts may have
/// begun before, or end later.
class trace_recorder {
 public:
  trace_recorder() = default;

  observer_list<trace_event>& observers() { return observers_; }
  bool observed() const { return !observers_.empty(); }

  /// For so many tracks; forgets what was reported.
  void reset(std::size_t tracks);

  /// `event.track` is less than the number of tracks.
  void add(const trace_event& event) {
    entries_.push_back({event, none});
    link(static_cast<std::size_t>(event.track));
  }
  /// Tells the observers what was reported since the last call.
  void tell();

  /// Calls `visit(event)` for each of a track in this cycle, in order.
  template <class Visit>
  void for_each(track_id track, Visit&& visit) const {
    for (std::uint32_t at = first_[static_cast<std::size_t>(track)]; at != none;
         at = entries_[at].next) {
      visit(entries_[at].event);
    }
  }

 private:
  /// An event, and the one that follows it on its track.
  struct entry {
    trace_event event;
    std::uint32_t next;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void link(std::size_t track);

  // A cycle brings a track few events, so that a list a track is cheaper than to sort them all.
  std::vector<entry> entries_;            // as reported
  std::vector<std::uint32_t> first_;      // by track, index of the first entry
  std::vector<std::uint8_t> has_events_;  // by track
  observer_list<trace_event> observers_;
};

/// Where a block reports its events: nowhere, or to a recorder on tracks of its own.
class trace_point {
 public:
  /// Nowhere.
  trace_point() = default;
  /// On the tracks from `first` on; nowhere without a recorder.
  trace_point(trace_recorder* recorder, track_id first) : recorder_(recorder), first_(first) {}

  bool on() const { return recorder_ != nullptr; }
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
