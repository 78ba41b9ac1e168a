// SPDX-License-Identifier: Apache-2.0
// The order in which the events of a cycle are told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/sim/for_each_set.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Sorts the events of one cycle, which blocks report in an order of their own: track by track, and
/// within a track in the order of `comes_before`. So they are told the same in all engines.
class event_order {
 public:
  /// For so many tracks.
  void reset(std::size_t tracks) {
    first_.assign(tracks, none);
    has_events_.assign(tracks, 0);
  }

  /// Calls `visit(event)` for each of `count` events in order. Their tracks are less than the
  /// number of tracks.
  template <class Visit>
  void for_each(const trace_event* events, std::size_t count, Visit&& visit) {
    if (next_.size() < count) next_.resize(count);
    for (std::size_t i = 0; i < count; ++i) link(events, static_cast<std::uint32_t>(i));
    for_each_set(has_events_, 1, [&](std::size_t track) {
      has_events_[track] = 0;
      std::uint32_t at = std::exchange(first_[track], none);
      for (; at != none; at = next_[at]) visit(events[at]);
    });
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Puts an event into its track's list, behind those that do not come after it.
  void link(const trace_event* events, std::uint32_t added) {
    const auto track = static_cast<std::size_t>(events[added].track);
    std::uint32_t* at = &first_[track];
    while (*at != none && !comes_before(events[added], events[*at])) at = &next_[*at];
    next_[added] = *at;
    *at = added;
    has_events_[track] = 1;
  }

  // A cycle brings a track few events, so that a list a track is cheaper than to sort them all.
  std::vector<std::uint32_t> first_;      // by track, index of the first event
  std::vector<std::uint32_t> next_;       // by event, index of the next of its track
  std::vector<std::uint8_t> has_events_;  // by track
};

}  // namespace tributary
