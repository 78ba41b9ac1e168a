// SPDX-License-Identifier: Apache-2.0
// The rows of a routing table that one switch looks at.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Ports of a switch by what is joined to them, and where messages go on from there. A port is a
/// place among those that a cable or host is at: `used_ports`.
struct port_routes {
  /// No message for that destination comes there.
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  std::vector<std::uint32_t> phase_of;              ///< by port: of messages that come by it
  std::vector<std::vector<std::uint32_t>> port_to;  ///< by phase and destination: the port, or none

  /// The port by which a message goes on that came by `port`; none if it cannot.
  std::uint32_t towards(std::uint32_t port, node_id destination) const {
    const std::vector<std::uint32_t>& row = port_to[phase_of[port]];
    return index(destination) < row.size() ? row[index(destination)] : none;
  }
};

/// The ports of a switch that have a cable or a host, ascending.
std::vector<std::uint32_t> used_ports(const network_graph& graph, switch_id at);

/// The rows of a switch: the first of the ways on that the table has. Throws `configuration_error`
/// for a table of several virtual channels.
port_routes routes_of(const routing_table& table, switch_id at);

}  // namespace tributary
