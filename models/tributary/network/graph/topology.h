// SPDX-License-Identifier: Apache-2.0
// Which nodes of a network are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/sim/ids.h>

namespace tributary {

/// How the routers are joined.
enum class topology_kind : std::uint8_t {
  point_to_point,  ///< a link from each node to each other
  mesh,            ///< two dimensions without wrap-around
  hypercube,
  omega  ///< stages of two-by-two switches between the nodes and themselves: no neighbours
};

/// The greatest number of nodes.
inline constexpr std::uint32_t largest_network = 4096;
/// The same of nodes that are all neighbours of each other.
inline constexpr std::uint32_t largest_point_to_point = 256;

/// The graph of a network whose nodes are its routers: who is joined to whom. Ways through it are
/// the affair of a `routing`.
class topology {
 public:
  /// Node n of a mesh is at x = n mod columns, y = n / columns. `columns` 0 makes it as square as
  /// the nodes allow, wider than high; other topologies have no columns. Throws
  /// `configuration_error` for a number of nodes that the topology cannot have.
  topology(topology_kind kind, std::uint32_t nodes, std::uint32_t columns = 0);

  topology_kind kind() const { return kind_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  std::uint32_t columns() const { return columns_; }  ///< 0 unless it is a mesh

  /// The nodes at the other ends of a node's links, by port: mesh +x, -x, +y, -y, those that there
  /// are; hypercube by bit; point-to-point ascending.
  const std::vector<node_id>& neighbours(node_id node) const { return neighbours_[index(node)]; }

  /// The place of a node of a mesh.
  std::uint32_t x_of(node_id node) const { return index(node) % columns_; }
  std::uint32_t y_of(node_id node) const { return index(node) / columns_; }

  /// Links between routers on a shortest way.
  std::uint32_t hops(node_id from, node_id to) const;

 private:
  topology_kind kind_;
  std::uint32_t columns_ = 0;
  std::vector<std::vector<node_id>> neighbours_;
};

}  // namespace tributary
