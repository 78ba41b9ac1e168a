// SPDX-License-Identifier: Apache-2.0
// Networks of a regular shape: grids, hypercubes, rings and stars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/topology.h>

namespace tributary {

/// A mesh or torus of any number of dimensions.
struct grid_config {
  std::vector<std::uint32_t> sizes{8, 8};  ///< switches along each dimension, 1 or more
  bool wraps = false;  ///< torus; along a dimension of 2 or less a mesh is meant anyway
  std::uint32_t hosts_per_switch = 1;
  std::uint32_t cables = 1;  ///< parallel cables between neighbours, 1 or more
  /// Only so many switches are there, those of the lowest numbers; 0: all.
  std::uint32_t equipped = 0;
};

/// Where a switch of a grid is: its number is x + y sizes[0] + z sizes[0] sizes[1] ...
class grid_place {
 public:
  grid_place(const grid_config& config, switch_id at);
  std::uint32_t operator[](std::size_t dimension) const { return along_[dimension]; }

 private:
  std::vector<std::uint32_t> along_;
};

/// Ports of a switch: for each dimension the cables upwards, then those downwards, those that there
/// are; then hosts. Throws `configuration_error` for sizes of 0, no dimension, no cable, or too
/// many switches or ports.
network_graph grid_graph(const grid_config& config);

/// Routers and links of a topology with routers (mesh, hypercube, point to point), with the same
/// port numbers, and hosts after them. Throws `configuration_error` for too many ports, and for a
/// topology that was made from a graph: take that graph.
network_graph graph_of(const topology& shape, std::uint32_t hosts_per_switch);

/// 2^dimensions switches; port b leads to the switch whose number differs in bit b. `dimensions` is
/// 1 to 12. Throws `configuration_error`.
network_graph hypercube_graph(std::uint32_t dimensions, std::uint32_t hosts_per_switch);

/// Three or more switches, port 0 to the next one, port 1 to the one before; then hosts. Throws
/// `configuration_error`.
network_graph ring_graph(std::uint32_t switches, std::uint32_t hosts_per_switch);

/// Edge switches 0 on with hosts, each joined with a centre switch, the last one, by `cables`.
/// Ports of an edge switch: hosts, then cables. Throws `configuration_error` for none of either, or
/// too many ports.
network_graph star_graph(std::uint32_t edges, std::uint32_t hosts_per_edge,
                         std::uint32_t cables = 1);

}  // namespace tributary
