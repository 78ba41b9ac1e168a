// SPDX-License-Identifier: Apache-2.0
// Which end of each link is up, for up*/down* routing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tributary/network/graph/distances.h>
#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// An up end for each link. Its graph must outlive it; so no temporary graph is taken, here and by
/// all functions that make one.
class orientation {
 public:
  /// `second_is_up` has a value for each link: whether its second end is up.
  orientation(const network_graph& graph, std::vector<bool> second_is_up);
  orientation(const network_graph&&, std::vector<bool>) = delete;

  const network_graph& graph() const { return *graph_; }
  bool second_is_up(std::uint32_t link) const { return second_is_up_[link]; }
  /// Whether a channel leads to the up end of its link.
  bool goes_up(std::uint32_t channel) const {
    return second_is_up_[channel / 2] == (channel % 2 == 0);
  }
  /// Makes the other end of a link the up end.
  void turn(std::uint32_t link) { second_is_up_[link] = !second_is_up_[link]; }

  /// Whether up*/down* routes without deadlock between all switches: the links make no circle
  /// upwards, and exactly one switch has no link upwards.
  /// Source: Alfaro et al., "On the performance of up*/down* routing", CANPC 2000.
  bool is_correct() const;
  /// Switches without a link upwards.
  std::uint32_t roots() const;

  bool operator==(const orientation& other) const { return second_is_up_ == other.second_is_up_; }
  bool operator!=(const orientation& other) const { return !(*this == other); }

 private:
  bool is_acyclic() const;

  const network_graph* graph_;
  std::vector<bool> second_is_up_;
};

/// The up end is the one whose key is lower: level first, then the switch's number. `levels` has a
/// value for each switch.
orientation orientation_by_level(const network_graph& graph,
                                 const std::vector<std::uint32_t>& levels);
orientation orientation_by_level(const network_graph&&, const std::vector<std::uint32_t>&) = delete;

/// Levels are distances from `root`.
orientation orientation_from_root(const network_graph& graph, switch_id root);
orientation orientation_from_root(const network_graph&&, switch_id) = delete;

/// UD_BFS: a breadth-first spanning tree from the switch with the least average distance, of equals
/// the lowest number.
/// Source: Sancho, Robles, Duato, "A new methodology to compute deadlock-free routing tables for
/// irregular networks", CANPC 2000.
orientation bfs_orientation(const network_graph& graph);
orientation bfs_orientation(const network_graph&&) = delete;

/// MDST: distances from switch 0.
/// Source: Alfaro et al., "On the performance of up*/down* routing", CANPC 2000.
orientation mdst_orientation(const network_graph& graph);
orientation mdst_orientation(const network_graph&&) = delete;

/// POST: levels in the tree of a message that floods the network from `initiator`. A switch joins
/// below the first that it hears, and sends to all its other neighbours, one after the other by
/// ascending port. A message takes one step, so that levels may exceed distances.
/// Source: as MDST; the times are ours, since the publication has none.
orientation post_orientation(const network_graph& graph, switch_id initiator);
orientation post_orientation(const network_graph&&, switch_id) = delete;

}  // namespace tributary
