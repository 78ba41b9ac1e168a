// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_platform.h"

#include <tributary/processor/program_workload.h>
#include <tributary/sim/error.h>
#include <tributary/systemc/event_driven_module.h>

namespace tributary {

ultracomputer_platform::top_module::top_module(const sc_core::sc_module_name& name,
                                               const ultracomputer_config& config,
                                               const address_map& map,
                                               const make_workload_function& make)
    : sc_module(name),
      clock("clock", sc_period(config.clock)),
      elements("elements", config.resolved_interface(), config.network, map, make),
      network("network", config.network),
      memories("memories", config.memory, config.network.switches.link_cycles,
               config.network.processing_elements),
      links(config.network.processing_elements) {
  elements.clock(clock);
  network.clock(clock);
  memories.clock(clock);
  links.join(elements, network, memories);

  SC_METHOD(pause);
  sensitive << elements.finished_event();
  dont_initialize();
}

ultracomputer_platform::ultracomputer_platform(const ultracomputer_config& config,
                                               std::uint64_t seed)
    : ultracomputer_platform(config, seed, [config, seed](const address_map& map) {
        return make_workload(config.workload, config.processor, config.interface.outstanding, map,
                             seed);
      }) {}

ultracomputer_platform::ultracomputer_platform(
    const ultracomputer_config& config, std::uint64_t seed,
    const std::function<std::unique_ptr<program>()>& make)
    : ultracomputer_platform(
          config.with_programs(), seed, [config, seed, make](const address_map& map) {
            return std::make_unique<program_workload>(config.workload.program.run, make(),
                                                      config.processor, map, seed);
          }) {}

ultracomputer_platform::ultracomputer_platform(
    const ultracomputer_config& config, std::uint64_t seed,
    const std::function<std::unique_ptr<workload>(const address_map&)>& make)
    : ultracomputer_machine(config, seed),
      top_("ultracomputer", config, addresses(), [this, make] { return make(addresses()); }) {
  top_.memories.served().attach(*this);
}

void ultracomputer_platform::run_until(cycle_t last) {
  if (now() >= last || finished()) return;
  observe_modules();
  // Half a period behind the edge of the last cycle: sc_start does not evaluate its end.
  const sc_core::sc_time end = (static_cast<double>(last - first_) + 0.5) * top_.clock.period();
  try {
    sc_core::sc_start(end - sc_core::sc_time_stamp());
  } catch (const sc_core::sc_report& problem) {
    throw simulation_error(problem.get_msg());
  }
  events().end();
}

void ultracomputer_platform::observe_modules() {
  request_trace* const sink = events().observed() ? &events() : nullptr;
  top_.elements.observe(sink);
  top_.network.observe(sink);
  top_.memories.observe(sink, static_cast<std::int32_t>(network().stages()));
}

void ultracomputer_platform::resume_after(cycle_t now) {
  first_ = now;
  top_.elements.resume_after(now);
  top_.network.resume_after(now);
  top_.memories.resume_after(now);
}

}  // namespace tributary
