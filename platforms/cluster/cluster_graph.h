// SPDX-License-Identifier: Apache-2.0
// The graph of a cluster and the routes through it, as a run file chooses them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/routing_table.h>

namespace tributary {

class parameter_set;

/// Which graph.
enum class cluster_graph_kind : std::uint8_t {
  star,
  mesh,
  torus,
  hypercube,
  ring,
  fat_tree,
  dragonfly,
  random,
  file
};

/// A graph and its sizes. The default is the star of Chen and Wyckoff (CANPC 2000).
struct cluster_graph {
  cluster_graph_kind kind = cluster_graph_kind::star;
  std::uint32_t hosts_per_switch = 64;
  std::uint32_t edges = 4;  ///< of a star
  std::uint32_t cables = 1;
  std::string sizes = "8x8";   ///< of a mesh or torus, along each dimension
  std::uint32_t equipped = 0;  ///< of a mesh or torus: so many switches are there; 0: all
  std::uint32_t dimensions = 6;
  std::uint32_t switches = 64;  ///< of a ring or a random graph
  std::uint32_t degree = 4;
  std::uint64_t seed = 1;
  fat_tree_config fat_tree;
  dragonfly_config dragonfly;  ///< its hosts are `hosts_per_switch`
  std::string path;            ///< of a file

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for sizes out of range, `input_error` for a file.
  network_graph made() const;
  /// Of a mesh or torus. Throws `configuration_error` for sizes that cannot be read.
  grid_config grid() const;
};

/// Which routes.
enum class cluster_routing_kind : std::uint8_t {
  up_down_bfs,
  up_down_dfs,
  up_down_mdst,
  up_down_post,
  up_down_levels,  ///< of a fat tree
  dimension_order,
  dragonfly  ///< minimal, of a dragonfly, by two virtual channels
};

/// Which of several shortest ways on a message takes.
enum class cluster_way : std::uint8_t {
  first,  ///< by the lowest port
  drawn   ///< one for each switch and destination, with equal chance
};

/// A routing and its choices.
struct cluster_routing {
  cluster_routing_kind kind = cluster_routing_kind::up_down_bfs;
  cluster_way ways = cluster_way::first;
  std::uint64_t seed = 1;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` if the routing does not fit the graph, whose links have so many
  /// virtual channels.
  void validate(const cluster_graph& described, std::uint32_t virtual_channels = 1) const;
  /// `graph` is what `described` makes, and must outlive the table. Throws `configuration_error`.
  /// The first of the ways on, or the only one, is that of messages.
  routing_table table(const cluster_graph& described, const network_graph& graph) const;
  /// The same with all shortest ways, for networks that choose.
  routing_table all_ways(const cluster_graph& described, const network_graph& graph,
                         std::uint32_t virtual_channels = 1) const;
  /// Of networks with a way for each two switches: what it is drawn by; none: the first is taken.
  std::optional<std::uint64_t> seed_of_ways() const {
    return ways == cluster_way::drawn ? std::optional<std::uint64_t>(seed) : std::nullopt;
  }
};

}  // namespace tributary
