// SPDX-License-Identifier: Apache-2.0
// A module that is event-driven and counts time in periods of a clock.
#pragma once

#include <cstdint>

#include <tributary/systemc/clock_period.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Base of modules that look at no edge of their clock and take only its period from it, so that
/// one that waits costs nothing.
class timed_module : public sc_core::sc_module {
 public:
  /// Where it is no `sc_clock`, the module does nothing until the second rising edge.
  sc_core::sc_in<bool> clock{"clock"};

  const char* kind() const override { return "tributary::timed_module"; }

 protected:
  using ticks = std::uint64_t;  ///< time in units of the resolution

  explicit timed_module(const sc_core::sc_module_name& name);

  /// 0 until it is known.
  ticks period() const { return period_.ticks(); }
  static ticks time() { return sc_core::sc_time_stamp().value(); }
  static ticks time_after(const sc_core::sc_time& delay) { return time() + delay.value(); }
  /// The delay from now to a time, none if it has passed.
  static sc_core::sc_time delay_to(ticks when) {
    return sc_core::sc_time::from_value(when > time() ? when - time() : 0);
  }
  /// For a thread: waits until the period is known.
  void wait_for_period();

  /// Called once in a method process when the simulation runs and the period is known.
  virtual void begin() = 0;
  void end_of_elaboration() override;

 private:
  TRIBUTARY_HAS_PROCESS(timed_module);

  void measure();

  clock_period period_;
  bool started_ = false;
};

}  // namespace tributary
