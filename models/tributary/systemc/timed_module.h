// SPDX-License-Identifier: Apache-2.0
// The period of a clock, and a module that is event-driven and counts time in it.
#pragma once

#include <cstdint>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// The `sc_clock` that a port is bound to; null if it is bound to any other signal.
inline const sc_core::sc_clock* clock_of(const sc_core::sc_in<bool>& port) {
  return dynamic_cast<const sc_core::sc_clock*>(port.get_interface());
}

/// A clock's period in units of the time resolution: an `sc_clock` tells it, of any other signal
/// it is the distance of the first two rising edges.
class clock_period {
 public:
  /// Asks what drives the port, after it was bound.
  void ask(const sc_core::sc_in<bool>& port) {
    if (const sc_core::sc_clock* const clock = clock_of(port)) ticks_ = clock->period().value();
  }
  /// Tells it of a rising edge; one call per edge.
  void see_edge(std::uint64_t time) {
    if (ticks_ != 0) return;
    if (edge_seen_) ticks_ = time - edge_;
    edge_ = time;
    edge_seen_ = true;
  }

  bool known() const { return ticks_ != 0; }
  /// 0 until it is known.
  std::uint64_t ticks() const { return ticks_; }

 private:
  std::uint64_t ticks_ = 0;
  std::uint64_t edge_ = 0;
  bool edge_seen_ = false;
};

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
