// SPDX-License-Identifier: Apache-2.0
// A module that is event-driven and counts time in periods of a clock.
#pragma once

#include <cstdint>

#include <tributary/sockets/systemc.h>

namespace tributary {

/// Base of modules that look at no edge of their clock and take only its period from it, so that
/// one that waits costs nothing.
class timed_module : public sc_core::sc_module {
 public:
  /// An `sc_clock` tells its period; of any other signal it is the distance of the first two rising
  /// edges, and until the second the module does nothing.
  sc_core::sc_in<bool> clock{"clock"};

  const char* kind() const override { return "tributary::timed_module"; }

 protected:
  using ticks = std::uint64_t;  ///< time in units of the resolution

  explicit timed_module(const sc_core::sc_module_name& name);

  /// 0 until it is known.
  ticks period() const { return period_; }
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

  ticks period_ = 0;
  ticks first_edge_ = 0;
  int activations_ = 0;
};

}  // namespace tributary
