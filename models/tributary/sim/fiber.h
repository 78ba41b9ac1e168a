// SPDX-License-Identifier: Apache-2.0
// Fibers: functions with a stack of their own that suspend and go on where they were.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include <tributary/sim/error.h>

namespace tributary {

/// A fiber used more than its stack. What lies below it may be damaged, so every fiber on stacks of
/// the same `fiber_stacks` has to be abandoned.
class fiber_overflow : public simulation_error {
 public:
  using simulation_error::simulation_error;
};

/// A piece of memory that a fiber runs on, `size` bytes from `low` up.
struct fiber_stack {
  std::byte* low = nullptr;
  std::size_t size = 0;
  /// No page below the stack traps, so the lowest bytes hold a pattern that is checked.
  bool pooled = false;
};

/// The stacks of many fibers, reserved at once; memory is taken as it is touched.
///
/// Up to `guard_limit` stacks each has a page below it that may not be touched: an overflow ends
/// the process. Above, pages that trap would exceed the maps that a process may have, so the stacks
/// lie side by side and an overflow is found when the fiber next suspends or ends. Guarded stacks
/// begin at different places within their pages, so that the fibers of a large machine do not all
/// want the same sets of a cache.
class fiber_stacks {
 public:
  static constexpr std::size_t default_guard_limit = 16384;

  /// Throws `error` if the system does not give the addresses.
  fiber_stacks(std::size_t count, std::size_t bytes_each,
               std::size_t guard_limit = default_guard_limit);
  ~fiber_stacks();
  fiber_stacks(const fiber_stacks&) = delete;
  fiber_stacks& operator=(const fiber_stacks&) = delete;

  std::size_t count() const { return count_; }
  bool pooled() const { return pooled_; }

  /// The memory of the i-th stack, prepared for a new fiber.
  fiber_stack stack(std::size_t i);

 private:
  std::byte* pooled_low(std::size_t i) const;
  std::size_t stride() const;

  std::size_t count_;
  std::size_t bytes_each_;
  std::size_t page_;
  bool pooled_;
  std::byte* memory_ = nullptr;
  std::size_t reserved_ = 0;
};

/// One function on one stack. `resume` runs it until it suspends or ends; the code that resumes and
/// the fiber never run at once. Exceptions that leave the function come out of `resume`.
///
/// Destroying a fiber that has not ended unwinds its stack: the function leaves its suspension by
/// an exception of a private type, so everything between must let exceptions pass (no `noexcept`
/// around a suspension). Source of the switch itself: Boost.Context.
class fiber {
 public:
  /// `body` gets the fiber to suspend; `stack` must outlive the fiber and serve no other.
  fiber(const fiber_stack& stack, std::function<void(fiber&)> body);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Runs the body until it suspends or ends. Throws what the body threw, `fiber_overflow` if it
  /// left a pooled stack, and `error` if it has ended before.
  void resume();

  /// Called from the body: gives control back until the next `resume`. While the fiber is being
  /// destroyed it returns at once when an exception is on its way already (a destructor of the body
  /// that suspends), and throws else.
  void suspend();

  /// Has the caches fetch the frames that a `resume` soon goes on with.
  void fetch() const;

  bool finished() const { return finished_; }
  /// Whether the fiber is being destroyed; what the body does then must have no effect.
  bool cancelled() const { return cancelled_; }

  /// Gives the body up without unwinding it, because its stack is damaged.
  void abandon() { finished_ = true; }

 private:
  struct cancellation {};
  struct entry_point;

  /// What the C++ runtime keeps per thread about exceptions in flight; a fiber has its own.
  struct exception_state {
    void* caught = nullptr;
    unsigned uncaught = 0;
  };

  void switch_in();
  void switch_out(bool for_good);
  void run();
  bool overflowed() const;
  void exchange_exception_state();

  // Everything that a switch needs lies together.
  void* context_ = nullptr;  // where the fiber goes on
  void* caller_ = nullptr;   // where `resume` goes on
  exception_state exceptions_;
  std::exception_ptr failure_;
  bool started_ = false;
  bool finished_ = false;
  bool cancelled_ = false;
  bool overflow_ = false;
  unsigned refusals_ = 0;
  fiber_stack stack_;
  std::function<void(fiber&)> body_;
  // What the address sanitizer wants to know of a switch; unused without it.
  const void* caller_low_ = nullptr;
  std::size_t caller_size_ = 0;
  void* caller_fake_stack_ = nullptr;
  void* own_fake_stack_ = nullptr;
};

}  // namespace tributary
