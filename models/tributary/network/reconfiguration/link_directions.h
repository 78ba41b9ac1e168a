// SPDX-License-Identifier: Apache-2.0
// Which end of each link that works is up, for the escape of a network that changes.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/reconfiguration/control_message.h>

namespace tributary {

/// How up ends are found when what works has changed.
enum class reconfigured_orientation : std::uint8_t {
  mdst,  ///< by the distance from the lowest switch that works
  post,  ///< by the level in the tree by which the initiator's message came
  kept   ///< as before where possible: a new switch is below all others
};

/// By link of the whole graph: whether its second end is up; without a meaning if the link does not
/// work.
using link_directions = std::vector<std::uint8_t>;

/// The up end is the one whose level is lower, of equals the one with the lower number.
link_directions directions_by_level(const network_graph& graph, const learnt_topology& topology);

/// The same with distances from the lowest member for levels.
link_directions directions_from_lowest(const network_graph& graph, const learnt_topology& topology);

/// Links between switches that were known keep their up ends. What is new is below what was known,
/// of two new switches the one with the higher number. If several switches have no link upwards
/// then, one of them stays so: each other turns all its links, and so does who loses its last link
/// upwards by that, until only the one is left. It is the one for which the fewest links change.
/// Source of the turning, which makes no circle: Gafni and Bertsekas, "Distributed algorithms for
/// generating loop-free routes in networks with frequently changing topology", IEEE Trans.
/// Communications 29(1), 1981 (full reversal).
link_directions kept_directions(const network_graph& graph, const learnt_topology& topology,
                                const link_directions& before,
                                const std::vector<std::uint8_t>& known);

}  // namespace tributary
