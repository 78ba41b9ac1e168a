// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/surviving_graph.h>

#include <algorithm>
#include <utility>

#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>

namespace tributary {
namespace {

network_plan plan_of_part(const network_graph& whole, const learnt_topology& topology,
                          const std::vector<std::uint32_t>& part_of, std::uint32_t none) {
  network_plan plan;
  plan.name = whole.name();
  plan.ports.resize(topology.members.size());
  plan.switch_names.resize(topology.members.size());
  for (std::uint32_t s = 0; s < whole.switches(); ++s) {
    if (part_of[s] == none) continue;
    plan.ports[part_of[s]] = whole.ports(switch_id{s});
    plan.switch_names[part_of[s]] = whole.switch_name(switch_id{s});
  }
  const auto in_part = [&](const switch_port& port) {
    return switch_port{switch_id{part_of[index(port.at)]}, port.port};
  };
  for (const std::uint32_t link : topology.links) {
    const network_link& of = whole.link(link);
    plan.links.push_back({in_part(of.first), in_part(of.second)});
  }
  for (std::uint32_t h = 0; h < whole.hosts(); ++h) {
    const switch_port& port = whole.host_port(host_id{h});
    if (part_of[index(port.at)] != none) plan.hosts.push_back(in_part(port));
  }
  return plan;
}

}  // namespace

learnt_topology working_topology(const network_graph& graph, const std::vector<bool>& works) {
  learnt_topology found;
  std::vector<std::uint32_t> levels(graph.switches(), ~0U);
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    if (works[s]) found.members.push_back({s, 0});
  }
  if (found.members.empty()) return found;
  // Levels are distances from the lowest.
  std::vector<std::uint32_t> reached = {found.members.front().at};
  levels[reached[0]] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const neighbour_link& each : graph.neighbours(switch_id{reached[next]})) {
      const std::uint32_t to = index(each.to);
      if (!works[to] || levels[to] != ~0U) continue;
      levels[to] = levels[reached[next]] + 1;
      reached.push_back(to);
    }
  }
  for (tree_member& each : found.members) each.level = levels[each.at];
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    const network_link& link = graph.link(l);
    if (works[index(link.first.at)] && works[index(link.second.at)]) found.links.push_back(l);
  }
  return found;
}

bool is_connected(const learnt_topology& topology) {
  return std::none_of(topology.members.begin(), topology.members.end(),
                      [](const tree_member& each) { return each.level == ~0U; });
}

surviving_routes::surviving_routes(const network_graph& graph, const learnt_topology& topology,
                                   const link_directions& ups)
    : whole_(graph), part_of_(graph.switches(), none) {
  std::vector<bool> works(graph.switches());
  for (const tree_member& each : topology.members) works[each.at] = true;
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    if (works[s]) part_of_[s] = count++;
  }
  graph_ = std::make_unique<const network_graph>(plan_of_part(graph, topology, part_of_, none));
  std::vector<bool> second_is_up;
  for (const std::uint32_t link : topology.links) second_is_up.push_back(ups[link] != 0);
  const orientation ends(*graph_, std::move(second_is_up));
  const up_down_routes routes(ends);
  table_ = std::make_unique<const adaptive_table>(up_down_table(routes));
}

const std::vector<std::uint8_t>& surviving_routes::minimal_ports(switch_id at, switch_id to) const {
  return has(at) && has(to) ? table_->minimal_ports(part(at), part(to)) : no_ports_;
}

route_set surviving_routes::ways_on(switch_id at, std::uint32_t phase, switch_id to) const {
  if (!has(at) || !has(to)) return {nullptr, nullptr};
  return table_->escape().ways_on(part(at), phase, part(to));
}

std::uint32_t surviving_routes::phase_of_input(switch_port input) const {
  const switch_port there{part(input.at), input.port};
  if (graph_->end(there).use == port_use::open) return 0;
  return table_->escape().phase_of_input(there, 0);
}

switch_routes surviving_routes::table_of(switch_id at, bool waits) const {
  switch_route_rules rules;
  rules.ports = whole_.ports(at);
  rules.switches = whole_.switches();
  rules.phases = table_->escape().phases();
  rules.phase_of_input = [&](std::uint32_t port, std::uint32_t) {
    return phase_of_input({at, port});
  };
  rules.ways_on = [&](std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) {
    for (const route_hop& each : ways_on(at, phase, to)) hops.push_back(each);
  };
  rules.minimal_ports = [&](switch_id to, std::vector<std::uint8_t>& ports) {
    for (const std::uint8_t each : minimal_ports(at, to)) ports.push_back(each);
  };
  if (waits) rules.waits = [&](switch_id to) { return has(to); };
  return switch_routes(rules);
}

switch_routes routes_without(const network_graph& graph, switch_id at, const switch_routes& table,
                             const std::vector<bool>& port_works) {
  std::vector<bool> lost(graph.switches());
  for (const neighbour_link& each : graph.neighbours(at)) lost[index(each.to)] = true;
  for (const neighbour_link& each : graph.neighbours(at)) {
    if (port_works[each.port]) lost[index(each.to)] = false;
  }
  switch_route_rules rules;
  rules.ports = graph.ports(at);
  rules.switches = graph.switches();
  rules.phases = table.phases();
  rules.phase_of_input = [&](std::uint32_t port, std::uint32_t channel) {
    return table.phase_of_input(port, channel);
  };
  rules.ways_on = [&](std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) {
    if (lost[index(to)]) return;
    for (const route_hop& each : table.ways_on(phase, index(to))) {
      if (port_works[each.port]) hops.push_back(each);
    }
  };
  rules.minimal_ports = [&](switch_id to, std::vector<std::uint8_t>& ports) {
    if (lost[index(to)]) return;
    const std::uint8_t* const end = table.minimal_end(index(to));
    for (const std::uint8_t* each = table.minimal_begin(index(to)); each != end; ++each) {
      if (port_works[*each]) ports.push_back(*each);
    }
  };
  rules.waits = [&](switch_id to) {
    if (lost[index(to)]) return false;
    return table.waits(index(to)) || table.minimal_begin(index(to)) != table.minimal_end(index(to));
  };
  return switch_routes(rules);
}

switch_routes with_new_minimal(const surviving_routes& routes, switch_id at,
                               const switch_routes& before) {
  switch_route_rules rules;
  rules.ports = routes.whole().ports(at);
  rules.switches = routes.whole().switches();
  rules.phases = before.phases();
  rules.phase_of_input = [&](std::uint32_t port, std::uint32_t channel) {
    return before.phase_of_input(port, channel);
  };
  rules.ways_on = [&](std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) {
    if (!routes.has(to)) return;
    for (const route_hop& each : before.ways_on(phase, index(to))) hops.push_back(each);
  };
  rules.minimal_ports = [&](switch_id to, std::vector<std::uint8_t>& ports) {
    for (const std::uint8_t each : routes.minimal_ports(at, to)) ports.push_back(each);
  };
  rules.waits = [&](switch_id to) { return routes.has(to) && to != at; };
  return switch_routes(rules);
}

}  // namespace tributary
