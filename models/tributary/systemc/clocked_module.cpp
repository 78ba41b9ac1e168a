// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/clocked_module.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/systemc/messages.h>

namespace tributary {

clocked_module::clocked_module(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(process);
  sensitive << clock.pos();
  dont_initialize();
}

void clocked_module::process() {
  try {
    step();
  } catch (const error& problem) {
    phase_ = phase::ready;  // for a simulation that goes on after its report
    SC_REPORT_ERROR(messages::simulation, (std::string(name()) + ": " + problem.what()).c_str());
  }
}

void clocked_module::step() {
  switch (phase_) {
    case phase::ready:
      if (sc_core::sc_time_stamp() != sc_core::SC_ZERO_TIME) begin_cycle();
      return;
    case phase::depart:
      depart();
      phase_ = phase::commit;
      next_trigger(sc_core::SC_ZERO_TIME);
      return;
    case phase::commit:
      commit();
      phase_ = phase::ready;
      return;
  }
}

void clocked_module::begin_cycle() {
  ++now_;
  if (in_reset()) {
    now_ = 0;
    reset();
    return;
  }
  ready();
  phase_ = phase::depart;
  next_trigger(sc_core::SC_ZERO_TIME);
}

}  // namespace tributary
