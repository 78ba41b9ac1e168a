// SPDX-License-Identifier: Apache-2.0
// The switches and links of a network that work, as a network of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/reconfiguration/control_message.h>
#include <tributary/network/reconfiguration/link_directions.h>
#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/switching/switch_routes.h>

namespace tributary {

/// All switches and links for which `works`, by switch, is true.
learnt_topology working_topology(const network_graph& graph, const std::vector<bool>& works);

/// Whether links join all members of a `working_topology`.
bool is_connected(const learnt_topology& topology);

/// The routes among what works: minimal adaptive, and an up*/down* escape. Ports and switches have
/// the numbers of the whole network.
class surviving_routes {
 public:
  /// The graph must outlive it. Throws as `network_graph` for a topology in several parts, or with
  /// fewer than two hosts.
  surviving_routes(const network_graph& graph, const learnt_topology& topology,
                   const link_directions& ups);

  const network_graph& whole() const { return whole_; }
  bool has(switch_id at) const { return part_of_[index(at)] != none; }

  /// Minimal ports of a switch that works to another.
  const std::vector<std::uint8_t>& minimal_ports(switch_id at, switch_id to) const;
  /// The ways on of the escape.
  route_set ways_on(switch_id at, std::uint32_t phase, switch_id to) const;
  /// The escape's phase behind a port; 0 if its link does not work.
  std::uint32_t phase_of_input(switch_port input) const;
  /// The table of a switch. `waits`: whether packets wait where there is no way on.
  switch_routes table_of(switch_id at, bool waits) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  switch_id part(switch_id at) const { return switch_id{part_of_[index(at)]}; }

  const network_graph& whole_;
  std::vector<std::uint32_t> part_of_;  ///< by switch: its number among those that work
  std::unique_ptr<const network_graph> graph_;
  std::unique_ptr<const adaptive_table> table_;
  std::vector<std::uint8_t> no_ports_{};
};

/// What a switch changes in its table by itself once it sees no neighbour behind some ports: no
/// packet goes by them, and to those neighbours none goes at all. The others wait if need be.
switch_routes routes_without(const network_graph& graph, switch_id at, const switch_routes& table,
                             const std::vector<bool>& port_works);

/// A table with the minimal ports of new routes, and the escape of the one before.
switch_routes with_new_minimal(const surviving_routes& routes, switch_id at,
                               const switch_routes& before);

}  // namespace tributary
