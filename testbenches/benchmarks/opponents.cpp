// SPDX-License-Identifier: Apache-2.0
#include "opponents.h"

#include <algorithm>

#include <tributary/sim/error.h>

namespace tributary::benchmarks {
namespace {

/// What both sides are told of the switches, memory and elements: typed once, for the library.
plain::options same_machine(const ultracomputer_config& machine) {
  const combining_switch_config& switches = machine.network.switches;
  plain::options options;
  options.elements = machine.network.processing_elements;
  options.dual_input = switches.type == queue_type::a;
  options.coupled = switches.coupled;
  options.slots = switches.slots;
  options.adaptive_limit = switches.adaptive_limit;
  options.wait_buffer = switches.wait_buffer_entries;
  options.link_cycles = switches.link_cycles;
  options.reverse_slots = switches.reverse_slots;
  options.memory_interval = machine.memory.interval;
  options.memory_latency = machine.memory.latency;
  options.memory_pipeline = machine.memory.pipeline;
  options.outstanding = machine.interface.outstanding;
  options.turnaround = machine.processor.turnaround;
  options.start_window = machine.processor.start_window;
  options.hot_spot = machine.workload.traffic.hot_spot;
  const bool open = machine.workload.kind == workload_kind::open_loop;
  options.load = open ? machine.workload.open_loop.load : 0;
  return options;
}

void choose_design(const std::string& design, combining_switch_config& switches) {
  if (design == "baseline") return;
  switches.wait_buffer_entries = 100;
  if (design == "wait_buffer_100") return;
  switches.adaptive_limit = 2;
  if (design == "improved") return;
  if (design != "aggressive") throw error("there is no design '" + design + "'");
  switches.type = queue_type::a;
  switches.coupled = true;
}

}  // namespace

const std::vector<std::string>& designs() {
  static const std::vector<std::string> names{"baseline", "wait_buffer_100", "improved",
                                              "aggressive"};
  return names;
}

double bench_case::switch_cycles() const {
  return static_cast<double>(machine.network.processing_elements) / 2 * machine.network.stages() *
         static_cast<double>(cycles);
}

bench_case uniform_case(std::uint32_t elements) {
  bench_case chosen;
  chosen.id = "uniform." + std::to_string(elements);
  chosen.machine.network.processing_elements = elements;
  choose_design("improved", chosen.machine.network.switches);
  chosen.machine.workload.kind = workload_kind::open_loop;
  chosen.machine.workload.open_loop.load = 0.2;
  // Mean latencies reach 40 cycles, 8 requests: the interface never limits the load.
  chosen.machine.interface.outstanding = 64;
  chosen.plain = same_machine(chosen.machine);
  // About as many switch-cycles at every size, half a second to a second of CPU time.
  chosen.cycles =
      std::max<std::uint64_t>(1000, 12'000'000 / (elements / 2 * chosen.machine.network.stages()));
  chosen.plain_cycles = chosen.cycles;
  return chosen;
}

bench_case hot_case(std::uint32_t elements) {
  bench_case chosen = uniform_case(elements);
  chosen.id = "hot." + std::to_string(elements);
  chosen.machine.workload.traffic.hot_spot = 0.1;
  chosen.plain = same_machine(chosen.machine);
  return chosen;
}

bench_case short_uniform_case(std::uint32_t elements) {
  bench_case chosen = uniform_case(elements);
  chosen.warmup = 500;
  chosen.cycles /= 2;
  chosen.plain_cycles = chosen.cycles;
  return chosen;
}

bench_case polling_case(const std::string& design, std::uint32_t elements) {
  bench_case chosen;
  chosen.id = "polling." + design;
  chosen.machine.network.processing_elements = elements;
  choose_design(design, chosen.machine.network.switches);
  chosen.machine.workload.traffic.hot_spot = 1;
  chosen.plain = same_machine(chosen.machine);
  chosen.cycles = 10'000;
  chosen.plain_cycles = 1'000;
  return chosen;
}

}  // namespace tributary::benchmarks
