// SPDX-License-Identifier: Apache-2.0
// Networks from files: node-link JSON, as NetworkX writes it, and DOT.
#pragma once

#include <string>

#include <tributary/network/graph/graph_description.h>
#include <tributary/network/graph/graph_dot.h>
#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/network_use.h>
#include <tributary/sim/json_document.h>

namespace tributary {

/// Reads a network, by the ending of the path: .json, or .dot and .gv. Throws `input_error` with
/// path, line and column, or `configuration_error` for what is no network.
network_graph read_graph(const std::string& path);

/// Node-link data: an object with "nodes", and "links" or "edges". Throws `input_error`.
graph_description describe_json(const json_document& document);

/// Node-link data that reads back as the same network, with all ports. With `use`, each edge has
/// "utilisation" from its source to its target, and "utilisation_back".
json_value node_link_data(const network_graph& graph, const network_use* use = nullptr);

}  // namespace tributary
