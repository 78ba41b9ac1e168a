// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/cycle_scheduler.h>

#include <algorithm>
#include <cstdint>

#include <tributary/systemc/event_driven_module.h>

namespace tributary {

cycle_scheduler::cycle_scheduler(const sc_core::sc_module_name& name,
                                 const sc_core::sc_time& clock_period)
    : sc_module(name), period_(event_driven_module::checked_period(*this, clock_period)) {
  SC_METHOD(process);
  sensitive << event_ << again_;
  dont_initialize();
}

std::size_t cycle_scheduler::add(event_driven_module& module) {
  modules_.push_back(&module);
  due_.push_back(never);
  return modules_.size() - 1;
}

void cycle_scheduler::process() {
  const cycle_t now = sc_core::sc_time_stamp().value() / period_.value();
  // A report that is thrown leaves nothing behind.
  struct while_running {
    explicit while_running(bool& flag) : running(flag) { running = true; }
    while_running(const while_running&) = delete;
    while_running& operator=(const while_running&) = delete;
    ~while_running() { running = false; }
    bool& running;
  };
  cycle_t next = now;
  {
    const while_running guard(running_);
    while (next <= now) {
      for (std::size_t i = 0; i < due_.size(); ++i) {
        if (due_[i] <= now) {
          due_[i] = never;
          modules_[i]->process();
        }
      }
      next = *std::min_element(due_.begin(), due_.end());
    }
  }
  notify(next);
  if (told_) tell(now);
}

void cycle_scheduler::tell(cycle_t now) {
  if (sc_core::sc_pending_activity_at_current_time()) {
    again_.notify(sc_core::SC_ZERO_TIME);
  } else {
    told_(now);
  }
}

void cycle_scheduler::notify(cycle_t at) {
  if (at == never) return;
  const std::uint64_t when = at * period_.value();
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  event_.notify(sc_core::sc_time::from_value(when > now ? when - now : 0));
}

}  // namespace tributary
