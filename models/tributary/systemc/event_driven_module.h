// SPDX-License-Identifier: Apache-2.0
// A module around an event-driven core: awake in the cycles in which something happens, only.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/sim/clock.h>
#include <tributary/sim/cycle.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A clock domain's period as the kernel's time.
inline sc_core::sc_time sc_period(const clock_domain& domain) {
  return {static_cast<double>(domain.period), sc_core::SC_PS};
}

/// Base of modules around cores that have `next_wakeup` and `advance_to`.
///
/// Cycle n lies n periods after time 0, as the n-th rising edge of a clock of that period does that
/// has one at time 0. There is no clock signal: its edges alone would cost more than a node that
/// waits. The module has one process, which runs in the cycles for which the core has a wake-up.
/// Modules that are joined must have the same period. Many of them may `follow` one scheduler,
/// whose process then stands for theirs.
class event_driven_module : public sc_core::sc_module {
 public:
  const sc_core::sc_time& clock_period() const { return period_; }
  /// The cycle of the current time, or the last one before it.
  cycle_t now() const { return time() / ticks_; }
  /// The first cycle that sees what is effective after a delay: strictly after it.
  cycle_t first_after(const sc_core::sc_time& delay) const { return effective(delay) / ticks_ + 1; }

  /// Before the simulation begins: lets a scheduler of the same period, which must outlive the
  /// simulation, run the module. Another period is reported as `messages::configuration`.
  void follow(cycle_scheduler& scheduler);

  /// To be called from outside when something was asked of the core directly.
  void look() { wake_at(next_wakeup()); }

  const char* kind() const override { return "tributary::event_driven_module"; }

 protected:
  using ticks = std::uint64_t;  ///< time in units of the resolution

  /// A period of 0 is reported as `messages::configuration`.
  event_driven_module(const sc_core::sc_module_name& name, const sc_core::sc_time& period);

  virtual cycle_t next_wakeup() const = 0;
  /// Simulates up to and including cycle `last`, the current one.
  virtual void advance_to(cycle_t last) = 0;

  /// Runs the process in that cycle, or at once if it has come.
  void wake_at(cycle_t cycle);

  static ticks time() { return sc_core::sc_time_stamp().value(); }
  /// When a cycle is.
  ticks time_of(cycle_t cycle) const { return cycle * ticks_; }
  static ticks effective(const sc_core::sc_time& delay) { return time() + delay.value(); }
  /// The delay from now to a time, none if it has passed.
  static sc_core::sc_time delay_to(ticks when) {
    return sc_core::sc_time::from_value(when > time() ? when - time() : 0);
  }
  /// The first cycle that is not before what is effective after a delay.
  cycle_t first_from(const sc_core::sc_time& delay) const {
    return (effective(delay) + ticks_ - 1) / ticks_;
  }

  /// Reports what a core threw under `messages::simulation`.
  void report_failure(const char* problem) const;

 private:
  TRIBUTARY_HAS_PROCESS(event_driven_module);
  friend class cycle_scheduler;

  /// Reports a period of 0 of `object`.
  static sc_core::sc_time checked_period(const sc_core::sc_object& object,
                                         const sc_core::sc_time& period);
  void process();

  sc_core::sc_time period_;
  ticks ticks_;
  sc_core::sc_event event_;
  cycle_scheduler* scheduler_ = nullptr;
  std::size_t number_ = 0;  ///< there
};

}  // namespace tributary
