// SPDX-License-Identifier: Apache-2.0
#include <tributary/sockets/event_driven_module.h>

#include <string>

#include <tributary/base/error.h>
#include <tributary/sockets/make_or_report.h>
#include <tributary/sockets/messages.h>

namespace tributary {
namespace {

sc_core::sc_time checked(const sc_core::sc_time& period) {
  if (period == sc_core::SC_ZERO_TIME) {
    throw configuration_error({"clock_period", "", "a clock has a period", "more than no time",
                               "give the module that of its machine"});
  }
  return period;
}

}  // namespace

event_driven_module::event_driven_module(const sc_core::sc_module_name& name,
                                         const sc_core::sc_time& period)
    : sc_module(name),
      period_(make_or_report(*this, messages::configuration, [&] { return checked(period); })),
      ticks_(period_.value()) {
  SC_METHOD(process);
  sensitive << event_;
}

void event_driven_module::wake_at(cycle_t cycle) {
  if (cycle != never) event_.notify(delay_to(time_of(cycle)));
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

void event_driven_module::report_failure(const char* what) const {
  SC_REPORT_ERROR(messages::simulation, (std::string(name()) + ": " + what).c_str());
}

}  // namespace tributary
