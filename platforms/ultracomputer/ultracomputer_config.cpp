// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_config.h"

#include <tributary/sim/parameters.h>

namespace tributary {

void ultracomputer_config::bind(parameter_set& parameters) {
  parameters.add_group("network", network, "The omega network and its combining switches.");
  parameters.add_group("memory", memory, "The memory modules.");
  parameters.add_group("addresses", addresses, "Which module holds an address.");
  parameters.add_group("interface", interface, "The network interfaces of the elements.");
  parameters.add_group("processor", processor, "The processing elements.");
  parameters.add_group("workload", workload, "What the processing elements do.");
  parameters.add_group("clock", clock, "One clock of all parts; cycles do not depend on it.");
}

void ultracomputer_config::validate() const {
  network.validate();
  check_ranges(*this);
  const address_map map(addresses, network.processing_elements);
  make_workload(workload, processor, interface.outstanding, map, 0);
}

std::vector<std::string> ultracomputer_config::warnings() const {
  std::vector<std::string> found;
  const combining_switch_config& switches = network.switches;
  const std::uint32_t needed = switches.slots_to_combine();
  if (switches.combining && switches.slots < needed) {
    found.push_back("network.slots = " + std::to_string(switches.slots) +
                    ": nothing can ever combine in a queue of this type and coupling with fewer "
                    "than " +
                    std::to_string(needed) + " slots");
  }
  if (switches.combining && switches.combining_forms() == 0) {
    found.push_back("network.combining is on, but every form in network.combine is off");
  }
  // An arrival needs room for all writers, so at most the other slots can ever have combined.
  if (switches.adaptive_limit + switches.writers() > switches.slots &&
      switches.adaptive_limit != 0) {
    found.push_back("network.adaptive_limit = " + std::to_string(switches.adaptive_limit) +
                    " is never reached in a queue of " + std::to_string(switches.slots) +
                    " slots; 0 turns adaptive queues off");
  }
  return found;
}

ultracomputer_config ultracomputer_config::with_programs() const {
  ultracomputer_config config = *this;
  config.workload.kind = workload_kind::program;
  return config;
}

network_interface_config ultracomputer_config::resolved_interface() const {
  return interface.resolved(workload.has_program_order());
}

}  // namespace tributary
