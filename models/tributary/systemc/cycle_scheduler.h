// SPDX-License-Identifier: Apache-2.0
// One process for many event-driven modules.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

class event_driven_module;

/// Runs the modules that `follow` it, in the cycles for which they asked. To look through a table
/// of all modules costs a fraction of a timed event and a process of the kernel for each that runs,
/// as long as they are hundreds and not thousands. What the modules do does not depend on it.
class cycle_scheduler : public sc_core::sc_module {
 public:
  /// A period of 0 is reported as `messages::configuration`.
  cycle_scheduler(const sc_core::sc_module_name& name, const sc_core::sc_time& clock_period);

  const sc_core::sc_time& clock_period() const { return period_; }

  /// Is called at the end of each cycle in which a module ran, when no process is left to run in
  /// it. May call `sc_core::sc_pause`. Empty, the default, for nothing.
  void at_end_of_cycle(std::function<void(cycle_t)> told) { told_ = std::move(told); }

  const char* kind() const override { return "tributary::cycle_scheduler"; }

 private:
  TRIBUTARY_HAS_PROCESS(cycle_scheduler);
  friend class event_driven_module;

  /// Returns the number under which the module is in the table.
  std::size_t add(event_driven_module& module);
  void wake(std::size_t number, cycle_t at) {
    if (at >= due_[number]) return;
    due_[number] = at;
    if (!running_) notify(at);
  }
  void process();
  void notify(cycle_t at);
  void tell(cycle_t now);

  sc_core::sc_time period_;
  std::vector<event_driven_module*> modules_;
  std::vector<cycle_t> due_;  // by module: the earliest cycle that it asked for
  bool running_ = false;
  sc_core::sc_event event_;
  sc_core::sc_event again_;  // later in the same cycle
  std::function<void(cycle_t)> told_;
};

}  // namespace tributary
