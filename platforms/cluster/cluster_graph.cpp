// SPDX-License-Identifier: Apache-2.0
#include "cluster_graph.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <tributary/network/graph/graph_file.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/dragonfly_table.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

std::vector<std::uint32_t> sizes_in(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t size = 0;
    const auto [next, problem] = std::from_chars(at, end, size);
    const bool ended = next == end || *next == 'x';
    if (problem != std::errc() || !ended || size == 0 || size > most_switches) {
      throw configuration_error(
          {"network.graph.sizes", "", fmt::format("\"{}\" are not the sizes of a grid", text),
           fmt::format("numbers from 1 to {} with x between them, as 16x16", most_switches),
           "write a size for each dimension"});
    }
    sizes.push_back(size);
    if (next == end) return sizes;
    at = next + 1;
  }
}

void refuse_routing(const std::string& problem, const std::string& allowed) {
  throw configuration_error({"network.routing.kind", "", problem, allowed,
                             "choose one of these, or another network.graph.kind"});
}

routing_table table_of(const orientation& ends) {
  const up_down_routes routes(ends);
  return up_down_table(routes);
}

}  // namespace

void cluster_graph::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice("kind", kind,
                        {{"star", cluster_graph_kind::star},
                         {"mesh", cluster_graph_kind::mesh},
                         {"torus", cluster_graph_kind::torus},
                         {"hypercube", cluster_graph_kind::hypercube},
                         {"ring", cluster_graph_kind::ring},
                         {"fat_tree", cluster_graph_kind::fat_tree},
                         {"dragonfly", cluster_graph_kind::dragonfly},
                         {"random", cluster_graph_kind::random},
                         {"file", cluster_graph_kind::file}},
                        "How switches are joined. The parameters below are each of some kinds.");
  parameters.add("hosts_per_switch", hosts_per_switch, u32{0, most_ports}, "hosts",
                 "Hosts at each switch, of a star at each but the centre; not of fat_tree and file "
                 "(Chen and Wyckoff: 64).");
  parameters.add("edges", edges, u32{1, most_ports}, "switches",
                 "Of a star: switches around the centre (Chen and Wyckoff: 4).");
  parameters.add("cables", cables, u32{1, most_ports}, "cables",
                 "Of a star, mesh or torus: parallel cables between two switches.");
  parameters.add("sizes", sizes,
                 "Of a mesh or torus: switches along each dimension, as 16x16 or 4x4x4.");
  parameters.add("equipped", equipped, u32{0, most_switches}, "switches",
                 "Of a mesh or torus: only so many of its switches are there, the first along the "
                 "first dimension, then along the second; 0: all.");
  parameters.add("dimensions", dimensions, u32{1, 12}, "dimensions", "Of a hypercube.");
  parameters.add("switches", switches, u32{2, most_switches}, "switches",
                 "Of a ring or a random network.");
  parameters.add("degree", degree, u32{1, most_ports}, "links",
                 "Of a random network: links of each switch to others.");
  parameters.add("seed", seed, {0, 0xFFFFFFFF}, "", "Of a random network: what is drawn.");
  parameters.add("arity", fat_tree.arity, u32{2, 32}, "ports",
                 "Of a fat tree: ports of a switch downwards, and upwards.");
  parameters.add("levels", fat_tree.levels, u32{1, 12}, "levels",
                 "Of a fat tree: levels of switches; it has arity to this power hosts.");
  parameters.add("groups", dragonfly.groups, u32{2, most_switches}, "groups", "Of a dragonfly.");
  parameters.add("switches_per_group", dragonfly.switches_per_group, u32{1, most_ports}, "switches",
                 "Of a dragonfly.");
  parameters.add("global_links", dragonfly.global_links, u32{1, most_ports}, "links",
                 "Of a dragonfly: links of a switch to other groups.");
  parameters.add("path", path,
                 "Of a file: node-link JSON as of NetworkX (.json), or DOT (.dot, .gv).");
}

grid_config cluster_graph::grid() const {
  grid_config config;
  config.sizes = sizes_in(sizes);
  config.wraps = kind == cluster_graph_kind::torus;
  config.hosts_per_switch = hosts_per_switch;
  config.cables = cables;
  config.equipped = equipped;
  return config;
}

network_graph cluster_graph::made() const {
  switch (kind) {
    case cluster_graph_kind::star:
      return star_graph(edges, hosts_per_switch, cables);
    case cluster_graph_kind::mesh:
    case cluster_graph_kind::torus:
      return grid_graph(grid());
    case cluster_graph_kind::hypercube:
      return hypercube_graph(dimensions, hosts_per_switch);
    case cluster_graph_kind::ring:
      return ring_graph(switches, hosts_per_switch);
    case cluster_graph_kind::fat_tree:
      return fat_tree_graph(fat_tree);
    case cluster_graph_kind::dragonfly: {
      dragonfly_config config = dragonfly;
      config.hosts_per_switch = hosts_per_switch;
      return dragonfly_graph(config);
    }
    case cluster_graph_kind::random:
      return random_regular_graph({switches, degree, hosts_per_switch, seed});
    case cluster_graph_kind::file:
      break;
  }
  if (path.empty()) {
    throw configuration_error({"network.graph.path", "", "no file is named",
                               "the path of a .json, .dot or .gv file",
                               "name it, or choose another network.graph.kind"});
  }
  return read_graph(path);
}

void cluster_routing::bind(parameter_set& parameters) {
  parameters.add_choice("kind", kind,
                        {{"up_down_bfs", cluster_routing_kind::up_down_bfs},
                         {"up_down_dfs", cluster_routing_kind::up_down_dfs},
                         {"up_down_mdst", cluster_routing_kind::up_down_mdst},
                         {"up_down_post", cluster_routing_kind::up_down_post},
                         {"up_down_levels", cluster_routing_kind::up_down_levels},
                         {"dimension_order", cluster_routing_kind::dimension_order},
                         {"dragonfly", cluster_routing_kind::dragonfly}},
                        "Which ends of links are up in up*/down* routing (Sancho et al., Alfaro et "
                        "al., CANPC 2000), or one dimension after the other. up_down_levels is of "
                        "fat trees, dimension_order of meshes and hypercubes, and of tori with two "
                        "virtual channels, as dragonfly is of dragonflies.");
  parameters.add_choice("ways", ways,
                        {{"first", cluster_way::first}, {"drawn", cluster_way::drawn}},
                        "Which of several shortest ways on messages take: that of the lowest port, "
                        "or one drawn for each switch and destination. With virtual channels "
                        "network.channels.route_choice says it.");
  parameters.add("seed", seed, {0, 0xFFFFFFFF}, "",
                 "What is drawn of the ways, also by network.channels.route_choice.");
}

void cluster_routing::validate(const cluster_graph& described,
                               std::uint32_t virtual_channels) const {
  if (kind == cluster_routing_kind::dragonfly) {
    if (described.kind == cluster_graph_kind::dragonfly && virtual_channels > 1) return;
    refuse_routing("only a dragonfly whose links have two virtual channels can be routed so",
                   "up_down_bfs, up_down_dfs, up_down_mdst or up_down_post");
  }
  if (kind == cluster_routing_kind::up_down_levels &&
      described.kind != cluster_graph_kind::fat_tree) {
    refuse_routing("only a fat tree has levels",
                   "up_down_bfs, up_down_dfs, up_down_mdst or up_down_post");
  }
  if (kind != cluster_routing_kind::dimension_order) return;
  if (described.equipped != 0 &&
      (described.kind == cluster_graph_kind::torus || described.kind == cluster_graph_kind::mesh)) {
    refuse_routing("with network.graph.equipped switches are missing on ways along dimensions",
                   "up_down_bfs, up_down_dfs, up_down_mdst or up_down_post");
  }
  if (described.kind == cluster_graph_kind::torus) {
    const std::vector<std::uint32_t> sizes = described.grid().sizes;
    if (virtual_channels > 1 || *std::max_element(sizes.begin(), sizes.end()) < 4) return;
    refuse_routing(
        "messages in a ring of four switches or more wait for each other in a circle, and links "
        "have one channel a lane",
        "up_down_bfs, up_down_dfs, up_down_mdst or up_down_post");
  }
  if (described.kind != cluster_graph_kind::mesh &&
      described.kind != cluster_graph_kind::hypercube) {
    refuse_routing("only meshes, tori and hypercubes have dimensions",
                   "up_down_bfs, up_down_dfs, up_down_mdst or up_down_post");
  }
}

routing_table cluster_routing::all_ways(const cluster_graph& described, const network_graph& graph,
                                        std::uint32_t virtual_channels) const {
  validate(described, virtual_channels);
  switch (kind) {
    case cluster_routing_kind::up_down_dfs:
      return table_of(dfs_orientation(graph));
    case cluster_routing_kind::up_down_mdst:
      return table_of(mdst_orientation(graph));
    case cluster_routing_kind::up_down_post:
      return table_of(post_orientation(graph, switch_id{0}));
    case cluster_routing_kind::up_down_levels:
      return table_of(orientation_by_level(graph, fat_tree_levels(described.fat_tree)));
    case cluster_routing_kind::dimension_order:
      if (described.kind == cluster_graph_kind::hypercube) return hypercube_table(graph);
      return grid_table(
          graph, described.grid(),
          virtual_channels > 1 && described.kind == cluster_graph_kind::torus ? 2 : 1);
    case cluster_routing_kind::dragonfly: {
      dragonfly_config config = described.dragonfly;
      config.hosts_per_switch = described.hosts_per_switch;
      return dragonfly_table(graph, config);
    }
    case cluster_routing_kind::up_down_bfs:
      break;
  }
  return table_of(bfs_orientation(graph));
}

routing_table cluster_routing::table(const cluster_graph& described,
                                     const network_graph& graph) const {
  routing_table all = all_ways(described, graph);
  return ways == cluster_way::first ? all : deterministic_table(all, seed);
}

}  // namespace tributary
