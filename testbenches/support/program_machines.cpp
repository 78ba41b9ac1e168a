// SPDX-License-Identifier: Apache-2.0
#include "program_machines.h"

#include <exception>
#include <utility>

#include <tributary/sim/error.h>

#include "ideal_machine.h"

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

[[noreturn]] void fail(const std::string& machine, std::uint32_t elements, std::uint64_t seed,
                       const std::exception& problem) {
  throw simulation_error(machine + ", " + std::to_string(elements) + " elements, seed " +
                         std::to_string(seed) + ": " + problem.what());
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

void run_on_every_machine(std::uint32_t elements, std::uint64_t seed, const program_maker& make) {
  try {
    ideal_config config;
    config.elements = elements;
    config.processor.start_window = 50;
    ideal_machine(config, seed, make("ideal memory")).run();
  } catch (const std::exception& problem) {
    fail("ideal memory", elements, seed, problem);
  }
  for (const named_design& each : designs_for_programs()) {
    try {
      ultracomputer machine(program_machine(each, elements), seed, make(each.name));
      run_to_end(machine);
    } catch (const std::exception& problem) {
      fail(each.name, elements, seed, problem);
    }
  }
}

}  // namespace tributary::testing
