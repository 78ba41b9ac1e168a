// SPDX-License-Identifier: Apache-2.0
#include "program_machines.h"

#include <string>

#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

std::vector<named_design> make_designs() {
  combining_switch_config none;
  none.combining = false;
  const combining_switch_config baseline;
  combining_switch_config buffer = baseline;
  buffer.wait_buffer_entries = 100;
  combining_switch_config improved = buffer;
  improved.adaptive_limit = 2;
  combining_switch_config aggressive = improved;
  aggressive.type = queue_type::a;
  aggressive.coupled = true;
  combining_switch_config ordered = baseline;
  ordered.order = match_order::ordered;
  combining_switch_config systolic = improved;
  systolic.microarchitecture = queue_microarchitecture::systolic;
  combining_switch_config gradual = improved;
  gradual.adaptation = queue_adaptation::gradual;
  return {{"no combining", none},           {"baseline", baseline},
          {"wait buffer 100", buffer},      {"improved", improved},
          {"aggressive", aggressive},       {"baseline, ordered", ordered},
          {"improved, systolic", systolic}, {"gradual", gradual}};
}

}  // namespace

const std::vector<named_design>& designs_for_programs() {
  static const std::vector<named_design> all = make_designs();
  return all;
}

ultracomputer_config program_machine(const named_design& design, std::uint32_t elements) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.network.switches = design.switches;
  config.processor.start_window = 50;
  config.workload.kind = workload_kind::program;
  return config;
}

void run_to_end(ultracomputer& machine, cycle_t at_most) {
  machine.run_until(at_most);
  if (!machine.finished()) {
    throw simulation_error("programs have not ended after " + std::to_string(at_most) + " cycles");
  }
  machine.drain();
}

}  // namespace tributary::testing
