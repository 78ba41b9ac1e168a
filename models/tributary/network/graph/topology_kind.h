// SPDX-License-Identifier: Apache-2.0
// The topologies of machines by their names, and how many nodes they may have.
#pragma once

#include <cstdint>

namespace tributary {

/// How the routers are joined.
enum class topology_kind : std::uint8_t {
  point_to_point,  ///< a link from each router to each other
  mesh,            ///< two dimensions without wrap-around
  hypercube,
  omega,  ///< stages of two-by-two switches between the nodes and themselves: no neighbours
  ring,   ///< one way around, without routers
  graph   ///< a `network_graph`
};

/// The greatest number of nodes.
inline constexpr std::uint32_t largest_network = 4096;
/// The same of nodes that are all neighbours of each other.
inline constexpr std::uint32_t largest_point_to_point = 256;
/// The greatest number of nodes at a router.
inline constexpr std::uint32_t most_nodes_per_router = 8;

}  // namespace tributary
