// SPDX-License-Identifier: Apache-2.0
#include <tributary/sockets/timed_module.h>

namespace tributary {

timed_module::timed_module(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(measure);
}

void timed_module::end_of_elaboration() {
  const auto* const source = dynamic_cast<const sc_core::sc_clock*>(clock.get_interface());
  if (source != nullptr) period_ = source->period().value();
}

void timed_module::measure() {
  // The first activation is that of the start of the simulation, the next ones are edges.
  if (period_ == 0 && activations_ == 1) first_edge_ = time();
  if (period_ == 0 && activations_ == 2) period_ = time() - first_edge_;
  ++activations_;
  if (period_ == 0) {
    next_trigger(clock.posedge_event());
  } else {
    begin();
  }
}

void timed_module::wait_for_period() {
  while (period_ == 0) wait(clock.posedge_event());
}

}  // namespace tributary
