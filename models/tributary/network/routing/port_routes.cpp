// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/port_routes.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// The port of the switch's own numbers by which a message goes on, or none.
std::uint32_t own_port(const routing_table& table, switch_id at, std::uint32_t phase, host_id to) {
  const switch_id last = table.graph().switch_of(to);
  if (last == at) return table.port_of(to);
  const route_set ways = table.ways_on(at, phase, last);
  return ways.empty() ? port_routes::none : ways[0].port;
}

}  // namespace

std::vector<std::uint32_t> used_ports(const network_graph& graph, switch_id at) {
  std::vector<std::uint32_t> used;
  for (std::uint32_t port = 0; port < graph.ports(at); ++port) {
    if (graph.end({at, port}).use != port_use::open) used.push_back(port);
  }
  return used;
}

port_routes routes_of(const routing_table& table, switch_id at) {
  if (table.virtual_channels() != 1) {
    throw configuration_error({"routing", "",
                               "the table of " + table.name() + " has " +
                                   std::to_string(table.virtual_channels()) +
                                   " virtual channels a link",
                               "1", "choose another table"});
  }
  const network_graph& graph = table.graph();
  const std::vector<std::uint32_t> ports = used_ports(graph, at);
  port_routes routes;
  for (const std::uint32_t port : ports) {
    routes.phase_of.push_back(table.phase_of_input({at, port}, 0));
  }
  routes.port_to.resize(table.phases());
  for (std::uint32_t phase = 0; phase < table.phases(); ++phase) {
    for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
      const std::uint32_t port = own_port(table, at, phase, host_id{h});
      const auto place = std::find(ports.begin(), ports.end(), port);
      routes.port_to[phase].push_back(place == ports.end()
                                          ? port_routes::none
                                          : static_cast<std::uint32_t>(place - ports.begin()));
    }
  }
  return routes;
}

}  // namespace tributary
