// SPDX-License-Identifier: Apache-2.0
// One process for many event-driven modules.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/sockets/systemc.h>

namespace tributary {

class event_driven_module;

/// Runs the modules that `follow` it, in the cycles for which they asked: in a machine of many
/// nodes an entry of its heap costs a fraction of a timed event and a process of the kernel. What
/// the modules do does not depend on it.
class cycle_scheduler : public sc_core::sc_module {
 public:
  /// A period of 0 is reported as `messages::configuration`.
  cycle_scheduler(const sc_core::sc_module_name& name, const sc_core::sc_time& clock_period);

  const sc_core::sc_time& clock_period() const { return period_; }

  const char* kind() const override { return "tributary::cycle_scheduler"; }

 private:
  TRIBUTARY_HAS_PROCESS(cycle_scheduler);
  friend class event_driven_module;
  struct entry {
    cycle_t at;
    std::uint64_t sequence;
    event_driven_module* who;
  };
  static bool later(const entry& a, const entry& b) noexcept {
    return std::tie(a.at, a.sequence) > std::tie(b.at, b.sequence);
  }

  void wake(event_driven_module& who, cycle_t at);
  void process();
  void notify();

  sc_core::sc_time period_;
  std::vector<entry> heap_;
  std::uint64_t next_sequence_ = 0;
  bool running_ = false;
  sc_core::sc_event event_;
};

}  // namespace tributary
