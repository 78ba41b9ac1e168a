// SPDX-License-Identifier: Apache-2.0
// When processing elements issue: their first requests, and the turnaround between a response and
// the next request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tributary/sim/cycle.h>
#include <tributary/sim/event_wheel.h>
#include <tributary/sim/state.h>

namespace tributary {

class parameter_set;
class random_stream;

/// Configuration of the processing elements (cycle contract, rules 9 and 10).
struct processing_element_config {
  /// A slot whose response was delivered in cycle d offers its next request from d + turnaround.
  std::uint32_t turnaround = 10;
  /// The first request of each slot is offered at a random cycle from 1 to this one.
  std::uint32_t start_window = 1000;

  /// Whether stores of a workload are posted, where the port knows posted stores: complete once it
  /// has them. Else each is answered with the word before it.
  bool posted_stores = false;
  /// Whether an operation that is a loop of load-linked and store-conditional asks for its line to
  /// be written before it reads: one miss, and not two, where another cache has the line.
  bool loops_ask_to_write = false;

  void bind(parameter_set& parameters);
  /// The cycle of a slot's first request, from 1 to the start window (0 counts as 1). `starts`: the
  /// stream of its element for `purpose::start`, from which the slots draw in ascending order.
  cycle_t draw_start(random_stream& starts) const;
};

/// Names one of the requests that an element may have outstanding.
struct pe_slot {
  std::uint32_t pe = 0;
  std::uint32_t slot = 0;

  bool operator==(const pe_slot& other) const { return pe == other.pe && slot == other.slot; }
  bool operator<(const pe_slot& other) const {
    return pe != other.pe ? pe < other.pe : slot < other.slot;
  }
  TRIBUTARY_STATE(pe, slot);
};

/// Wakes the elements of a machine whose nodes keep their own time.
class element_clock {
 public:
  virtual void wake_at(const pe_slot& slot, cycle_t when) = 0;

 protected:
  element_clock() = default;
  element_clock(const element_clock&) = default;
  element_clock& operator=(const element_clock&) = default;
  ~element_clock() = default;
};

/// The slots of all processing elements in time: which may issue in a cycle. Event-driven, so idle
/// elements cost nothing.
class processing_elements {
 public:
  /// `slots` per element; the starts are drawn from `seed`.
  processing_elements(const processing_element_config& config, std::uint32_t count,
                      std::uint32_t slots, std::uint64_t seed);

  /// Slots are woken by `clock` from here on, those of an element once it has started, and not
  /// here: what was scheduled is forgotten.
  void follow(element_clock& clock);
  /// Has the clock wake the element's slots for the first time.
  void start(std::uint32_t pe);

  /// Calls `issue(pe_slot)` for each slot that wakes in cycle `now`.
  template <class Issue>
  void wake(cycle_t now, Issue&& issue) {
    wakeups_.take_due(now, [&](const auto& due, std::size_t i) { issue(due[i]); });
  }
  /// The same in ascending order; `issue(due, i)` gets the i-th of a vector of those that wake in
  /// cycle `now`.
  template <class Issue>
  void wake_in_order(cycle_t now, Issue&& issue) {
    wakeups_.take_due_in_order(now, std::less<pe_slot>(), issue);
  }

  /// A response was delivered to the slot in cycle `now`.
  void complete(const pe_slot& slot, cycle_t now) { wake_at(slot, now + config_.turnaround); }
  /// Wakes a slot at a cycle of its own choice.
  void wake_at(const pe_slot& slot, cycle_t when) {
    if (clock_ == nullptr) {
      wakeups_.schedule(when, slot);
    } else {
      clock_->wake_at(slot, when);
    }
  }

  /// Forgets in which order the slots that wake in a cycle were told to: `wake_in_order` needs
  /// none.
  void forget_order() { wakeups_.sort(std::less<pe_slot>()); }

  TRIBUTARY_STATE(wakeups_);

 private:
  processing_element_config config_;
  std::uint32_t slots_;
  std::uint64_t seed_;
  element_clock* clock_ = nullptr;  // null: `wakeups_`
  event_wheel<pe_slot> wakeups_;
};

}  // namespace tributary
