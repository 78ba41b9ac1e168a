// SPDX-License-Identifier: Apache-2.0
// Dimension order as a table.
#pragma once

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// Shortest ways along one dimension of a grid after the other, the first one first; halfway around
/// a ring of a torus it goes upwards. Parallel cables are a choice. On a mesh a link needs one
/// virtual channel. On a torus it needs two: those that still have to cross the wrap-around link
/// take number 0, the others number 1. With `virtual_channels` 1 a torus has a cycle wherever a
/// ring has four switches or more, and is refused. `graph` is that of `grid_graph`, and must
/// outlive the table. Throws `configuration_error`. Source: Dally and Seitz, "Deadlock-free message
/// routing in multiprocessor interconnection networks", IEEE Trans. Computers C-36(5), 1987.
routing_table grid_table(const network_graph& graph, const grid_config& config,
                         std::uint32_t virtual_channels,
                         deadlock_check check = deadlock_check::required);
routing_table grid_table(const network_graph&&, const grid_config&, std::uint32_t,
                         deadlock_check = deadlock_check::required) = delete;

/// Dimension order on a torus by two virtual channels, of which a message keeps one along a
/// dimension: number 1 if its way there crosses the wrap-around link, else number 0. Ways are
/// shortest, so that those of number 1 leave a link of each ring out. Halfway around a ring both
/// ways are a choice, for switches that draw one (`route_choice::drawn`). `graph` is that of
/// `grid_graph`, and must outlive the table. Throws `configuration_error`. Source: the `dim_order`
/// routing of tori in BookSim 2 (Jiang et al., ISPASS 2013).
routing_table ring_class_table(const network_graph& graph, const grid_config& config);
routing_table ring_class_table(const network_graph&&, const grid_config&) = delete;

/// Dimension order on a hypercube of `hypercube_graph`: the lowest bit that differs first, one
/// virtual channel.
routing_table hypercube_table(const network_graph& graph);
routing_table hypercube_table(const network_graph&&) = delete;

}  // namespace tributary
