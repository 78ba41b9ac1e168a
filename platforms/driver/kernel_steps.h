// SPDX-License-Identifier: Apache-2.0
// Event-driven modules as an engine steps them.
#pragma once

#include <functional>

#include <tributary/sim/cycle.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Runs the modules of the current simulation context from one cycle in which a process runs to the
/// next; all have the same period.
class kernel_steps {
 public:
  explicit kernel_steps(const sc_core::sc_time& period) : period_(period) {}

  /// The last cycle that was simulated.
  cycle_t now() const { return now_; }
  /// As `node_engine::run_until`; `tell`, if it is not empty, is called at the end of each
  /// cycle, after an error too.
  /// Throws `simulation_error` for what a module reports.
  void run_until(cycle_t last, const std::function<bool()>& stop,
                 const std::function<void(cycle_t)>& tell);

 private:
  /// The next cycle in which a process runs, or `never`.
  cycle_t next_activity() const;
  void simulate_to(cycle_t cycle, const std::function<void(cycle_t)>& tell);

  sc_core::sc_time period_;
  cycle_t now_ = 0;
};

}  // namespace tributary
