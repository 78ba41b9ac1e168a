// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/event_driven_module.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/systemc/messages.h>

namespace tributary {

sc_core::sc_time event_driven_module::checked_period(const sc_core::sc_object& object,
                                                     const sc_core::sc_time& period) {
  return make_or_report(object, messages::configuration, [&] {
    if (period == sc_core::SC_ZERO_TIME) {
      throw configuration_error({"clock_period", "", "a clock has a period", "more than no time",
                                 "give the module that of its machine"});
    }
    return period;
  });
}

event_driven_module::event_driven_module(const sc_core::sc_module_name& name,
                                         const sc_core::sc_time& period)
    : sc_module(name), period_(checked_period(*this, period)), ticks_(period_.value()) {
  SC_METHOD(process);
  sensitive << event_;
}

void event_driven_module::follow(cycle_scheduler& scheduler) {
  make_or_report(*this, messages::configuration, [&] {
    if (scheduler.clock_period() != period_) {
      throw configuration_error({"clock_period", "", "the scheduler has another period",
                                 period_.to_string(), "give both that of the machine"});
    }
    scheduler_ = &scheduler;
    number_ = scheduler.add(*this);
  });
}

void event_driven_module::wake_at(cycle_t cycle) {
  if (cycle == never) return;
  if (scheduler_ != nullptr) {
    scheduler_->wake(number_, cycle);
  } else {
    event_.notify(delay_to(time_of(cycle)));
  }
}

void event_driven_module::process() {
  try {
    advance_to(now());
  } catch (const error& problem) {
    report_failure(problem.what());
    return;
  }
  wake_at(next_wakeup());
}

void event_driven_module::report_failure(const char* problem) const {
  SC_REPORT_ERROR(messages::simulation, (std::string(name()) + ": " + problem).c_str());
}

}  // namespace tributary
