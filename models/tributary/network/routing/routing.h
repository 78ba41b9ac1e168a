// SPDX-License-Identifier: Apache-2.0
// The way from one router of a network to another.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/network/graph/topology.h>
#include <tributary/network/routing/routing_kind.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Chooses the links by which messages go on. Routes are unique, so messages of one source and
/// destination stay in order.
class routing {
 public:
  routing() = default;
  routing(const routing&) = delete;
  routing& operator=(const routing&) = delete;
  virtual ~routing() = default;

  /// The port of `at` by which the way to `destination`, another router, goes on. `phase` is that
  /// of the link by which the message came, or 0 of one that comes from a node.
  virtual std::uint32_t port_towards(node_id at, std::uint32_t phase,
                                     node_id destination) const = 0;
  /// The phase of messages that left `at` by that port.
  virtual std::uint32_t phase_after(node_id /*at*/, std::uint32_t /*port*/) const { return 0; }
};

/// Whether the way from router `from` to the neighbour at `port` of `at` has its last link there.
/// The ways from one router are a tree (of ways that are unique, and whose beginnings are ways
/// too), along whose links a message for everyone goes, once over each.
bool is_branch(const topology& graph, const routing& ways, node_id from, node_id at,
               std::uint32_t port);

/// Shortest ways, dimension by dimension: no link waits for one of a dimension that came before, so
/// the links have an order in which buffers empty (Dally and Seitz, "Deadlock-free message routing
/// in multiprocessor interconnection networks", IEEE Trans. Computers C-36(5), 1987). The graph
/// must outlive it.
std::unique_ptr<routing> make_routing(routing_kind kind, const topology& graph);

/// The first of the ways on that a table has, on its only virtual channel: throws
/// `configuration_error` if it has more. Where it has no way on, `port_towards` throws
/// `simulation_error`.
std::unique_ptr<routing> make_routing(routing_table table);

}  // namespace tributary
