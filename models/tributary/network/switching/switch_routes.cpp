// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/switch_routes.h>

#include <algorithm>

namespace tributary {
namespace {

switch_route_rules rules_of(const routing_table& table, switch_id at) {
  const network_graph& graph = table.graph();
  switch_route_rules rules;
  rules.ports = graph.ports(at);
  rules.switches = graph.switches();
  rules.classes = table.virtual_channels();
  rules.phases = table.phases();
  rules.phase_of_input = [&table, at](std::uint32_t port, std::uint32_t channel) {
    return table.phase_of_input({at, port}, channel);
  };
  rules.ways_on = [&table, at](std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) {
    for (const route_hop& each : table.ways_on(at, phase, to)) hops.push_back(each);
  };
  return rules;
}

switch_route_rules adaptive_rules_of(const adaptive_table& table, switch_id at) {
  switch_route_rules rules = rules_of(table.escape(), at);
  rules.minimal_ports = [&table, at](switch_id to, std::vector<std::uint8_t>& ports) {
    for (const std::uint8_t each : table.minimal_ports(at, to)) ports.push_back(each);
  };
  return rules;
}

}  // namespace

switch_routes::switch_routes(const switch_route_rules& rules)
    : switches_(rules.switches), classes_(rules.classes) {
  for (std::uint32_t port = 0; port < rules.ports; ++port) {
    for (std::uint32_t channel = 0; channel < classes_; ++channel) {
      const std::uint32_t phase = rules.phase_of_input ? rules.phase_of_input(port, channel) : 0;
      phase_of_input_.push_back(static_cast<std::uint8_t>(phase));
    }
  }
  begins_.push_back(0);
  for (std::uint32_t phase = 0; phase < rules.phases; ++phase) {
    for (std::uint32_t to = 0; to < switches_; ++to) {
      rules.ways_on(phase, switch_id{to}, hops_);
      begins_.push_back(static_cast<std::uint32_t>(hops_.size()));
    }
  }
  for (std::uint32_t to = 0; rules.waits && to < switches_; ++to) {
    waits_.push_back(rules.waits(switch_id{to}) ? 1 : 0);
  }
  if (!rules.minimal_ports) return;
  minimal_begins_.push_back(0);
  for (std::uint32_t to = 0; to < switches_; ++to) {
    rules.minimal_ports(switch_id{to}, minimal_ports_);
    minimal_begins_.push_back(static_cast<std::uint32_t>(minimal_ports_.size()));
  }
}

switch_routes::switch_routes(const routing_table& table, switch_id at)
    : switch_routes(rules_of(table, at)) {}

switch_routes::switch_routes(const adaptive_table& table, switch_id at)
    : switch_routes(adaptive_rules_of(table, at)) {}

bool switch_routes::is_minimal(std::uint32_t port, std::uint32_t to) const {
  return std::find(minimal_begin(to), minimal_end(to), port) != minimal_end(to);
}

}  // namespace tributary
