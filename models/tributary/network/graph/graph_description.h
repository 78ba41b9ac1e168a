// SPDX-License-Identifier: Apache-2.0
// A network as a file describes it: nodes by name, edges, attributes with their places.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// A place in a file, from 1; 0 if it is not known.
struct file_place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// An attribute as it was written, and where.
struct described_value {
  std::string text;
  file_place place;
};

using described_attributes = std::map<std::string, described_value>;

/// A node: a switch, or a host if its attribute "kind" says so.
struct described_node {
  std::string name;
  described_attributes attributes;
  file_place place;
};

/// An edge between two nodes.
struct described_edge {
  described_value source;
  described_value target;
  described_attributes attributes;
  file_place place;
};

/// What a file says; docs/models/network-graph.md lists the attributes. Others are ignored.
struct graph_description {
  std::string source_name;  ///< the file's path, or what stands for it in messages
  std::string name;
  std::vector<described_node> nodes;
  std::vector<described_edge> edges;
};

/// The network of a description: switches in the order of their nodes; hosts that are nodes first,
/// then those that switches count. Throws `input_error` with file, line and column, or
/// `configuration_error` with the file for what `network_graph` refuses.
network_graph build_graph(const graph_description& described);

}  // namespace tributary
