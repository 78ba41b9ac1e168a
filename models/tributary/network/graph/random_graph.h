// SPDX-License-Identifier: Apache-2.0
// Random networks.
#pragma once

#include <cstdint>

#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// What a random network is drawn from.
struct random_graph_config {
  std::uint32_t switches = 64;         ///< above `degree`; `switches` times `degree` is even
  std::uint32_t degree = 4;            ///< links of each switch, 1 or more
  std::uint32_t hosts_per_switch = 4;  ///< degree and hosts together at most `most_ports`
  std::uint64_t seed = 1;
};

/// A connected random network in which each switch has `degree` links to other switches, at most
/// one to each. Ports 0 on are links, those after them hosts. The same configuration gives the same
/// network on every machine. Throws `configuration_error`.
/// Source: Steger and Wormald, "Generating random regular graphs quickly", Combinatorics,
/// Probability and Computing 8(4), 1999: pairs of free ports are drawn, and pairs that would join a
/// switch with itself or two switches twice drawn again; a draw that cannot be finished, or leaves
/// several parts, starts from nothing. If `degree` is above half of the switches, the pairs that
/// are not joined are drawn instead.
network_graph random_regular_graph(const random_graph_config& config);

}  // namespace tributary
