// SPDX-License-Identifier: Apache-2.0
// The period of the clock that drives a port.
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

}  // namespace tributary
