// SPDX-License-Identifier: Apache-2.0
#include "kernel_steps.h"

#include <algorithm>

#include <tributary/sim/error.h>

namespace tributary {

cycle_t kernel_steps::next_activity() const {
  if (!sc_core::sc_pending_activity()) return never;
  const auto ticks = (sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value();
  return (ticks + period_.value() - 1) / period_.value();
}

void kernel_steps::simulate_to(cycle_t cycle, const std::function<void(cycle_t)>& tell) {
  // Half a period behind the edge: sc_start does not evaluate its end.
  const sc_core::sc_time end = (static_cast<double>(cycle) + 0.5) * period_;
  try {
    sc_core::sc_start(end - sc_core::sc_time_stamp());
  } catch (const sc_core::sc_report& problem) {
    if (tell) tell(cycle);  // what led there
    throw simulation_error(problem.get_msg());
  }
  now_ = cycle;
}

void kernel_steps::run_until(cycle_t last, const std::function<bool()>& stop,
                             const std::function<void(cycle_t)>& tell) {
  while (now_ < last) {
    // Before the first start the kernel does not know what the nodes have to do.
    const cycle_t next = now_ == 0 ? 1 : next_activity();
    simulate_to(std::min(next, last), tell);
    if (next > last) return;
    if (tell) tell(now_);
    if (stop && stop()) return;
  }
}

}  // namespace tributary
