// SPDX-License-Identifier: Apache-2.0
// Events on their way from a recorder to who takes many at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/trace/event.h>

namespace tributary {

/// The events of some cycles, each cycle's in the order in which blocks reported them.
class event_batch {
 public:
  event_batch() = default;
  event_batch(const event_batch&) = delete;
  event_batch& operator=(const event_batch&) = delete;
  /// The other gets what this one has.
  event_batch(event_batch&& other) noexcept { swap(other); }
  event_batch& operator=(event_batch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~event_batch() = default;

  /// Room for one more, of which every member must be set.
  trace_event& add() {
    if (size_ == capacity_) grow();
    return room_[size_++];
  }
  /// Ends the machine's cycle `now`, which has had events.
  void end_cycle(cycle_t now) { ends_.push_back({now, size_}); }

  const trace_event* data() const { return room_.data(); }
  std::size_t size() const { return size_; }
  /// The end of a cycle with events.
  struct cycle_end {
    cycle_t cycle = 0;
    std::size_t events = 0;  ///< up to here
  };
  const std::vector<cycle_end>& ends() const { return ends_; }

  void clear() {
    size_ = 0;
    ends_.clear();
  }

 private:
  void swap(event_batch& other) noexcept {
    room_.swap(other.room_);
    std::swap(capacity_, other.capacity_);
    std::swap(size_, other.size_);
    ends_.swap(other.ends_);
  }
  void grow();

  std::vector<trace_event> room_;  // kept, so that no event is made before it is set
  std::size_t capacity_ = 0;       // its size, which would take a division
  std::size_t size_ = 0;
  std::vector<cycle_end> ends_;
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
  static constexpr std::size_t batch_events = 1024;
};

}  // namespace tributary
