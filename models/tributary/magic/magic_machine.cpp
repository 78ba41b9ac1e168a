// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/magic_machine.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void magic_machine_config::bind(parameter_set& parameters) {
  parameters.add("nodes", nodes, {2, 128}, "", "Nodes of the machine.");
  parameters.add_group("clock", network.clock, "Clock of nodes and network.");
  parameters.add_group("network", network, "Routers and links between the nodes.");
  parameters.add_group("node", node, "Every node: MAGIC and its memory.");
}

void magic_machine_config::validate() const {
  check_ranges(*this);
  check_part("node", [&] { node.validate(nodes); });
  network.validate(nodes);
  require_order(network.reorder_window, "the protocols of MAGIC");
}

magic_machine::magic_machine(const magic_machine_config& config, const protocol_maker& protocols)
    : config_((config.validate(), config)), loop_(config_.network, config_.nodes, messages_) {
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    const node_id here{i};
    nodes_.push_back(std::make_unique<magic_node>(config_.node, here, config_.nodes,
                                                  loop_.port(here), messages_, protocols(here)));
    loop_.add(*nodes_.back());
  }
}

magic_machine::~magic_machine() = default;

void magic_machine::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  loop_.run_until(last, stop, teller());
}

bool magic_machine::show(current_activity* activity) {
  loop_.show(activity);
  return true;
}

}  // namespace tributary
