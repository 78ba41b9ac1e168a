// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/smp_machine.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

/// The defaults are those of Falsafi and Wood, section 2: a message takes 100 cycles of 5 ns,
/// whatever else is under way.
smp_machine_config::smp_machine_config() {
  network.clock.period = 5000;
  network.topology = topology_kind::point_to_point;
  network.base_latency = 99;
  network.hop_latency = 1;
  network.bandwidth = 100000;
  network.header_bytes = 16;
  network.payload_bytes = 128;
  network.router_buffers = 1024;
  network.endpoint_buffers = 1024;
}

void smp_machine_config::bind(parameter_set& parameters) {
  parameters.add("nodes", nodes, {2, 128}, "", "Nodes of the machine; Stache knows up to 32.");
  parameters.add_group("clock", network.clock, "Clock of the processors and the network.");
  parameters.add_group("network", network, "Routers and links between the nodes.");
  parameters.add_group("node", node, "Every node: its processors, memory and protocol.");
}

void smp_machine_config::validate() const {
  check_ranges(*this);
  check_part("node", [&] { node.validate(nodes); });
  network.validate(nodes);
  require_order(network.reorder_window, "the protocols of SMP nodes");
  if (network.payload_bytes < node.memory.line_bytes) {
    throw configuration_error(
        {"network.payload_bytes", "", std::to_string(network.payload_bytes) + " hold no line",
         "at least node.memory.line_bytes = " + std::to_string(node.memory.line_bytes),
         "raise it"});
  }
}

smp_machine::smp_machine(const smp_machine_config& config, const protocol_maker& protocols,
                         std::uint64_t seed)
    : config_((config.validate(), config)), loop_(config_.network, config_.nodes, messages_) {
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    const node_id here{i};
    nodes_.push_back(std::make_unique<smp_node>(config_.node, here, config_.nodes, seed,
                                                loop_.port(here), messages_, protocols(here)));
    loop_.add(*nodes_.back());
  }
}

void smp_machine::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  loop_.run_until(last, stop, teller());
}

bool smp_machine::show(current_activity* activity) {
  loop_.show(activity);
  return true;
}

}  // namespace tributary
