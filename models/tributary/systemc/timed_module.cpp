// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/timed_module.h>

namespace tributary {

timed_module::timed_module(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(measure);
}

void timed_module::end_of_elaboration() { period_.ask(clock); }

void timed_module::measure() {
  // The first activation is that of the start of the simulation, the next ones are edges.
  if (started_) period_.see_edge(time());
  started_ = true;
  if (period_.known()) {
    begin();
  } else {
    next_trigger(clock.posedge_event());
  }
}

void timed_module::wait_for_period() {
  while (!period_.known()) wait(clock.posedge_event());
}

}  // namespace tributary
