// SPDX-License-Identifier: Apache-2.0
// Event-driven modules as an engine steps them.
#pragma once

#include <functional>

#include <tributary/sim/cycle.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Runs the modules that follow a scheduler from one cycle in which a process runs to the next. The
/// kernel is started once for many cycles, as a start costs more than a small cycle.
class kernel_steps {
 public:
  /// The scheduler must outlive it.
  explicit kernel_steps(cycle_scheduler& scheduler) : scheduler_(scheduler) {}

  /// The last cycle that was simulated.
  cycle_t now() const { return now_; }
  /// As `node_engine::run_until`; `tell`, if it is not empty, is called at the end of each cycle,
  /// after an error too. Throws `simulation_error` for what a module reports.
  void run_until(cycle_t last, const std::function<bool()>& stop,
                 const std::function<void(cycle_t)>& tell);

 private:
  void start(cycle_t last);

  cycle_scheduler& scheduler_;
  cycle_t now_ = 0;
};

}  // namespace tributary
