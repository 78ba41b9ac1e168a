// SPDX-License-Identifier: Apache-2.0
// Elements that spin on a word while nothing can change it, and whose polls are not simulated.
#pragma once

#include <cstdint>

#include <tributary/memory/port.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Polls that were not simulated one by one.
struct parked_polls {
  std::uint64_t looks = 0;      ///< at the word, after the one with which the element was parked
  std::uint64_t offered = 0;    ///< requests
  std::uint64_t delivered = 0;  ///< responses; of the last request, or of the one before
  cycle_t last_delivery = 0;    ///< if any
  cycle_t last_offer = 0;
  std::uint64_t period = 0;  ///< cycles from one look to the next
  /// Cycles of an element that come before those of the next element, on machines that step their
  /// elements one by one.
  std::uint64_t cycles_a_turn = 1;
  bool outstanding() const { return delivered != offered; }
};

/// An element that can be parked.
class local_spinner {
 public:
  /// Goes on as if it had polled: with a request outstanding, or at the turnaround after the last
  /// delivery.
  virtual void go_on_polling(const parked_polls& polls) = 0;

 protected:
  local_spinner() = default;
  local_spinner(const local_spinner&) = default;
  local_spinner& operator=(const local_spinner&) = default;
  ~local_spinner() = default;
};

/// Where elements are parked. A parked element does nothing in a cycle; what its polls would have
/// done is done at once when it goes on, so that nothing else of a run can tell.
class spinner_parking {
 public:
  /// Parks an element that would offer the load again in cycle `now`, in which it last saw `value`.
  /// Whether it did.
  virtual bool park(std::uint32_t element, local_spinner& owner, const access& load, word_t value,
                    cycle_t now) = 0;
  /// Has an element go on, if it is parked, as if it had polled up to and including cycle `now`.
  virtual void wake(std::uint32_t element, cycle_t now) = 0;
  /// The same of all.
  virtual void wake_all(cycle_t now) = 0;

 protected:
  spinner_parking() = default;
  spinner_parking(const spinner_parking&) = default;
  spinner_parking& operator=(const spinner_parking&) = default;
  ~spinner_parking() = default;
};

}  // namespace tributary
