// SPDX-License-Identifier: Apache-2.0
// UD_DFS: up ends of links from a depth-first search.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/distances.h>
#include <tributary/network/routing/orientation.h>

namespace tributary {

/// Labels of switches, each different, by a depth-first search from `start`. Of unvisited
/// neighbours the search takes the one first whose average distance to all others is greatest, of
/// equals the lowest number. The first way to a leaf is the main branch. Along it, labels ascend
/// from 0; the switches of a branch that hangs on a switch get theirs just before that switch,
/// those nearer to it higher ones.
std::vector<std::uint32_t> dfs_labels(const network_graph& graph, const distance_table& distance,
                                      switch_id start);

/// The up end of each link is the one with the greater label, so that the end of the main branch is
/// the only switch without a link upwards.
orientation orientation_by_label(const network_graph& graph,
                                 const std::vector<std::uint32_t>& labels);
orientation orientation_by_label(const network_graph&&, const std::vector<std::uint32_t>&) = delete;

/// UD_DFS: of the searches from all switches the one whose shortest legal routes are shortest on
/// average; of equals the one from the lowest number.
/// Source: Sancho, Robles, Duato, "A new methodology to compute deadlock-free routing tables for
/// irregular networks", CANPC 2000.
orientation dfs_orientation(const network_graph& graph);
orientation dfs_orientation(const network_graph&&) = delete;

}  // namespace tributary
