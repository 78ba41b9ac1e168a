// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer put together from modules by hand, around any network module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <driver/simulation_context.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/element_array_module.h>
#include <tributary/systemc/machine_links.h>
#include <tributary/systemc/memory_array_module.h>
#include <ultracomputer/ultracomputer.h>

#include "event_text.h"

namespace tributary::testing {

/// The three modules of the machine, with a reset.
template <class Network>
struct platform_of {
  platform_of(const ultracomputer_config& config, std::uint64_t seed)
      : addresses(config.addresses, config.network.processing_elements),
        elements("elements", config.resolved_interface(), config.network, addresses,
                 [this, config, seed] {
                   return make_workload(config.workload, config.processor,
                                        config.interface.outstanding, addresses, seed);
                 }),
        network("network", config.network),
        memories("memories", config.memory, config.network.switches.link_cycles, lines(config)),
        links(lines(config)) {
    elements.clock(clock);
    network.clock(clock);
    memories.clock(clock);
    elements.reset_n(reset_n);
    network.reset_n(reset_n);
    memories.reset_n(reset_n);
    links.join(elements, network, memories);
    elements.observe(&elements.events());
    network.observe(&elements.events());
    memories.observe(&elements.events(), static_cast<std::int32_t>(config.network.stages()));
  }

  static std::size_t lines(const ultracomputer_config& config) {
    return config.network.processing_elements;
  }

  /// Simulates so many cycles, from the middle of a period to the middle of another.
  std::string trace(cycle_t length) {
    event_text trace(elements.events().observers());
    if (sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME) sc_core::sc_start(clock.period() / 2);
    sc_core::sc_start(static_cast<double>(length) * clock.period());
    elements.events().end();
    return trace.text();
  }
  std::string network_statistics() const {
    statistics_tree tree;
    network.report(tree.group("network"));
    return tree.to_json_text();
  }

  simulation_context context;
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  sc_core::sc_signal<bool> reset_n{"reset_n", true};
  address_map addresses;
  element_array_module elements;
  Network network;
  memory_array_module memories;
  machine_links links;
};

}  // namespace tributary::testing
