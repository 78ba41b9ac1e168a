// SPDX-License-Identifier: Apache-2.0
// Minimal routing of dragonflies as a table.
#pragma once

#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// At most one link to another group, and one within a group before it and one behind it. A message
/// takes virtual channel 0 until it leaves its group, and 1 from the link between groups on. Where
/// several links join two groups they are a choice. `graph` is that of `dragonfly_graph`, and must
/// outlive the table. Throws `configuration_error`. Source: Kim, Dally, Scott, Abts,
/// "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.
routing_table dragonfly_table(const network_graph& graph, const dragonfly_config& config);
routing_table dragonfly_table(const network_graph&&, const dragonfly_config&) = delete;

}  // namespace tributary
