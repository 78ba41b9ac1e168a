// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/attached_machine.h>

#include <utility>

#include <tributary/sim/state_archive.h>

namespace tributary {

attached_node::attached_node(node_id here, std::uint32_t nodes, network_port& network,
                             const attachment_maker& make)
    : name_("node." + std::to_string(index(here))),
      attachment_(make({here, nodes, agenda_, network})) {}

void attached_node::trace(const trace_scope& scope) { attachment_->trace(scope.below(name_)); }

std::string attached_node::save() const { return save_state(agenda_.save(), attachment_->save()); }

void attached_node::restore(const std::string& state) {
  std::string time;
  std::string attached;
  restore_state(state, time, attached);
  agenda_.restore(time);
  attachment_->restore(attached);
}

attached_machine::attached_machine(const char* name, const message_network_config& network,
                                   std::uint32_t nodes, cargo_store& messages,
                                   const attached_node::attachment_maker& make)
    : node_engine(name), loop_(network, nodes, messages) {
  add_nodes(make);
}

attached_machine::attached_machine(const char* name, std::unique_ptr<message_network> network,
                                   cargo_store& messages,
                                   const attached_node::attachment_maker& make)
    : node_engine(name), loop_(std::move(network), messages) {
  add_nodes(make);
}

void attached_machine::add_nodes(const attached_node::attachment_maker& make) {
  const std::uint32_t nodes = loop_.network().nodes();
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const node_id here{i};
    nodes_.push_back(std::make_unique<attached_node>(here, nodes, loop_.port(here), make));
    loop_.add(*nodes_.back());
  }
}

void attached_machine::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  loop_.run_until(last, stop, teller());
}

bool attached_machine::show(current_activity* activity) {
  loop_.show(activity);
  return true;
}

void attached_machine::trace_nodes(const trace_scope& scope) {
  for (const auto& node : nodes_) node->trace(scope);
}

}  // namespace tributary
