// SPDX-License-Identifier: Apache-2.0
// Which nodes of a network share a router, and which routers are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/topology_kind.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// The graph of a network: routers, who is joined to whom, and which nodes each has. Routers have
/// numbers of their own, the same as their nodes' if each has one. Ways through it are the affair
/// of a `routing`.
class topology {
 public:
  /// Router r of a mesh is at x = r mod columns, y = r / columns. `columns` 0 makes it as square as
  /// the routers allow, wider than high; other topologies have no columns. Router r has the nodes
  /// from r * nodes_per_router on: a bristled hypercube has two (SGI Origin). Throws
  /// `configuration_error` for a number of nodes that the topology cannot have.
  topology(topology_kind kind, std::uint32_t nodes, std::uint32_t columns = 0,
           std::uint32_t nodes_per_router = 1);
  /// Its switches and hosts; a router may have no node.
  explicit topology(const network_graph& graph);

  topology_kind kind() const { return kind_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(router_of_.size()); }
  std::uint32_t routers() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  /// The router that a node is at.
  node_id router_of(node_id node) const { return router_of_[index(node)]; }
  /// The nodes at a router, ascending.
  const std::vector<node_id>& nodes_at(node_id router) const { return nodes_at_[index(router)]; }
  std::uint32_t columns() const { return columns_; }  ///< 0 unless it is a mesh

  /// The routers at the other ends of a router's links, by port: mesh +x, -x, +y, -y, those that
  /// there are; hypercube by bit; point-to-point ascending; of a graph by port, without those of
  /// hosts.
  const std::vector<node_id>& neighbours(node_id router) const {
    return neighbours_[index(router)];
  }

  /// The place of a router of a mesh.
  std::uint32_t x_of(node_id router) const { return index(router) % columns_; }
  std::uint32_t y_of(node_id router) const { return index(router) / columns_; }

  /// Links between routers on a shortest way from node to node; not of a graph, where routes may
  /// be longer.
  std::uint32_t hops(node_id from, node_id to) const;

 private:
  void attach(node_id node, node_id router);

  topology_kind kind_;
  std::uint32_t columns_ = 0;
  std::vector<node_id> router_of_;
  std::vector<std::vector<node_id>> nodes_at_;
  std::vector<std::vector<node_id>> neighbours_;
};

}  // namespace tributary
