// SPDX-License-Identifier: Apache-2.0
// Events on their way from a recorder to who takes many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/trace/event.h>

namespace tributary {

/// The events of some cycles, each cycle's in the order in which blocks reported them.
struct event_batch {
  std::vector<trace_event> events;
  std::vector<std::uint32_t> ends;  ///< by cycle with events: how many there are up to its end

  void clear() {
    events.clear();
    ends.clear();
  }
};

/// Takes events in batches, which costs less than to be told of each.
class event_taker {
 public:
  event_taker() = default;
  event_taker(const event_taker&) = delete;
  event_taker& operator=(const event_taker&) = delete;
  virtual ~event_taker() = default;

  /// Takes a batch of whole cycles, and leaves an empty one in its place.
  virtual void take(event_batch& batch) = 0;

  /// A batch is handed over when a cycle ends after so many events: enough that handing over costs
  /// little, few enough for a processor's cache.
  static constexpr std::size_t batch_events = 4096;
};

}  // namespace tributary
