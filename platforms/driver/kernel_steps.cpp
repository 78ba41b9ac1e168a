// SPDX-License-Identifier: Apache-2.0
#include "kernel_steps.h"

#include <exception>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Asks for the ends of cycles as long as it lives.
class end_of_cycles {
 public:
  end_of_cycles(cycle_scheduler& scheduler, std::function<void(cycle_t)> told)
      : scheduler_(scheduler) {
    scheduler_.at_end_of_cycle(std::move(told));
  }
  end_of_cycles(const end_of_cycles&) = delete;
  end_of_cycles& operator=(const end_of_cycles&) = delete;
  ~end_of_cycles() { scheduler_.at_end_of_cycle({}); }

 private:
  cycle_scheduler& scheduler_;
};

}  // namespace

void kernel_steps::start(cycle_t last) {
  const sc_core::sc_time period = scheduler_.clock_period();
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  // Half a period behind the edge: sc_start does not evaluate its end.
  const bool is_far = last >= sc_core::sc_max_time().value() / period.value() - 1;
  const sc_core::sc_time end =
      is_far ? sc_core::sc_max_time()
             : sc_core::sc_time::from_value(last * period.value() + period.value() / 2);
  sc_core::sc_start(end - now);
}

void kernel_steps::run_until(cycle_t last, const std::function<bool()>& stop,
                             const std::function<void(cycle_t)>& tell) {
  if (now_ >= last) return;
  bool stopped = false;
  std::exception_ptr thrown;  // which the kernel would make a report of
  const auto end_cycle = [&](cycle_t cycle) {
    now_ = cycle;
    try {
      if (tell) tell(cycle);
      stopped = stop && stop();
    } catch (...) {
      thrown = std::current_exception();
      stopped = true;
    }
    if (stopped) sc_core::sc_pause();
  };
  const end_of_cycles told(scheduler_, end_cycle);
  try {
    if (sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME) {
      // Processes run without the scheduler where they begin: processors are faster than nodes.
      start(0);
      if (tell) tell(0);
    }
    start(last);
  } catch (const sc_core::sc_report& problem) {
    now_ = sc_core::sc_time_stamp().value() / scheduler_.clock_period().value();
    if (tell) tell(now_);  // what led there
    throw simulation_error(problem.get_msg());
  }
  if (thrown) std::rethrow_exception(thrown);
  if (!stopped) now_ = last;
}

}  // namespace tributary
