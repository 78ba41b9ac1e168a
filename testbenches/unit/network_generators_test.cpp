// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/distances.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/sim/error.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/failure.h"

namespace tributary {
namespace {

using testing::failure;

/// The switches that a switch leads to, by ascending port.
std::vector<std::uint32_t> around(const network_graph& graph, std::uint32_t at) {
  std::vector<std::uint32_t> found;
  for (const neighbour_link& each : graph.neighbours(switch_id{at})) {
    found.push_back(index(each.to));
  }
  return found;
}

std::uint32_t diameter(const network_graph& graph) {
  const distance_table distance(graph);
  std::uint32_t most = 0;
  for (std::uint32_t a = 0; a < graph.switches(); ++a) {
    for (std::uint32_t b = 0; b < graph.switches(); ++b) {
      most = std::max(most, distance(switch_id{a}, switch_id{b}));
    }
  }
  return most;
}

TEST(grid_graph, wraps_as_a_torus) {
  const network_graph mesh = grid_graph({{4, 3}, false, 2, 1});
  EXPECT_EQ(around(mesh, 0), (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(around(mesh, 5), (std::vector<std::uint32_t>{6, 4, 9, 1}));
  EXPECT_EQ(diameter(mesh), 5U);
  EXPECT_EQ(mesh.hosts(), 24U);
  const network_graph torus = grid_graph({{4, 3}, true, 2, 1});
  EXPECT_EQ(around(torus, 0), (std::vector<std::uint32_t>{1, 3, 4, 8}));
  EXPECT_EQ(diameter(torus), 3U);
  EXPECT_EQ(torus.place(switch_id{6}).y, 1);
}

TEST(grid_graph, has_parallel_cables) {
  // The Myrinet of Chen and Wyckoff: 16 ports, 8 hosts and 4 directions of 2 cables.
  const network_graph torus = grid_graph({{8, 4}, true, 8, 2});
  EXPECT_EQ(torus.ports(switch_id{0}), 16U);
  EXPECT_EQ(around(torus, 0), (std::vector<std::uint32_t>{1, 1, 7, 7, 8, 8, 24, 24}));
  EXPECT_EQ(torus.hosts(), 256U);
}

TEST(grid_graph, of_two_switches_along_a_dimension_has_one_link_there) {
  EXPECT_EQ(grid_graph({{2, 2}, true, 1, 1}).links(), 4U);
  EXPECT_EQ(grid_graph({{5, 1}, true, 1, 1}).links(), 5U);
}

TEST(grid_graph, may_lack_switches) {
  // The line cards of Avici of Chen and Wyckoff: quadrants of five, the last of which has one.
  grid_config cards{{5, 2, 2}, true, 16, 1};
  cards.equipped = 16;
  const network_graph graph = grid_graph(cards);
  EXPECT_EQ(graph.switches(), 16U);
  EXPECT_EQ(graph.hosts(), 256U);
  EXPECT_EQ(around(graph, 0), (std::vector<std::uint32_t>{1, 4, 5, 10}));
  EXPECT_EQ(around(graph, 9), (std::vector<std::uint32_t>{5, 8, 4}));
  EXPECT_EQ(around(graph, 15), (std::vector<std::uint32_t>{10, 5}));
  EXPECT_EQ(diameter(graph), 4U);
  cards.equipped = 21;
  EXPECT_NE(failure([&] { grid_graph(cards); }).find("equipped"), std::string::npos);
}

TEST(grid_graph, is_the_topology_of_routed_networks) {
  const topology mesh(topology_kind::mesh, 12, 4);
  const network_graph same = graph_of(mesh, 2);
  const network_graph made = grid_graph({{4, 3}, false, 2, 1});
  ASSERT_EQ(same.links(), made.links());
  for (std::uint32_t s = 0; s < 12; ++s) EXPECT_EQ(around(same, s), around(made, s)) << s;
}

TEST(graph_of, names_shapes_and_refuses_a_topology_of_a_graph) {
  EXPECT_EQ(graph_of(topology(topology_kind::mesh, 12, 4), 1).name(), "mesh 4x3");
  EXPECT_EQ(graph_of(topology(topology_kind::point_to_point, 4), 1).name(), "point to point of 4");
  EXPECT_EQ(hypercube_graph(3, 1).name(), "hypercube of 8");
  // Parallel cables, which a topology cannot tell from each other.
  const topology cables(grid_graph({{2, 2}, false, 1, 2}));
  EXPECT_EQ(failure<configuration_error>([&] { graph_of(cables, 1); }),
            "network.topology: a topology of kind graph does not say how its cables are plugged "
            "(allowed: mesh, hypercube or point_to_point); use the network_graph that the topology "
            "was made from");
}

TEST(hypercube_graph, leads_to_the_switches_that_differ_in_a_bit) {
  const network_graph cube = hypercube_graph(3, 1);
  EXPECT_EQ(around(cube, 5), (std::vector<std::uint32_t>{4, 7, 1}));
  EXPECT_EQ(diameter(cube), 3U);
}

TEST(ring_graph, and_star_graph) {
  EXPECT_EQ(around(ring_graph(5, 1), 0), (std::vector<std::uint32_t>{1, 4}));
  // The Gigabit Ethernet of Chen and Wyckoff: 4 edge switches of 64 hosts.
  const network_graph star = star_graph(4, 64);
  EXPECT_EQ(star.hosts(), 256U);
  EXPECT_EQ(around(star, 2), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(around(star, 4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(around(star_graph(2, 4, 2), 0), (std::vector<std::uint32_t>{2, 2}));
}

TEST(fat_tree_graph, is_a_k_ary_n_tree) {
  const network_graph tree = fat_tree_graph({2, 3});
  EXPECT_EQ(tree.switches(), 12U);
  EXPECT_EQ(tree.hosts(), 8U);
  // From the top, word 0: words that differ in the first digit; from there, in the second.
  EXPECT_EQ(around(tree, 0), (std::vector<std::uint32_t>{4, 6}));
  EXPECT_EQ(around(tree, 4), (std::vector<std::uint32_t>{8, 9, 0, 2}));
  EXPECT_EQ(tree.switch_of(host_id{7}), switch_id{11});
  // Hosts that share the last level's switch only by the top: up twice, down twice.
  EXPECT_EQ(distance_table(tree)(switch_id{8}, switch_id{11}), 4U);
  EXPECT_EQ(fat_tree_levels({2, 3}),
            (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

/// Links between each two groups.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links_between_groups(
    const network_graph& graph, std::uint32_t switches_per_group) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> found;
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    const std::uint32_t a = index(graph.link(l).first.at) / switches_per_group;
    const std::uint32_t b = index(graph.link(l).second.at) / switches_per_group;
    if (a != b) ++found[std::minmax(a, b)];
  }
  return found;
}

TEST(dragonfly_graph, joins_each_two_groups_as_often) {
  const network_graph largest = dragonfly_graph({9, 4, 2, 2});
  EXPECT_EQ(largest.switches(), 36U);
  EXPECT_EQ(largest.hosts(), 72U);
  EXPECT_EQ(diameter(largest), 3U);
  const auto once = links_between_groups(largest, 4);
  EXPECT_EQ(once.size(), 36U);
  for (const auto& [pair, links] : once) EXPECT_EQ(links, 1U) << pair.first << pair.second;
  const auto often = links_between_groups(dragonfly_graph({4, 4, 2, 1}), 4);
  EXPECT_EQ(often.size(), 6U);
  for (const auto& [pair, links] : often) EXPECT_EQ(links, 2U) << pair.first << pair.second;
}

TEST(generators, refuse_what_cannot_be) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const auto of = [](auto&& make) { return failure<configuration_error>(make); };
  expect(of([] { grid_graph({{}, false, 1, 1}); }), "network.graph.sizes: there is no dimension");
  expect(of([] { grid_graph({{0, 4}, false, 1, 1}); }), "0 is out of range (allowed: 1 to 4096)");
  expect(of([] { grid_graph({{1000, 1000}, false, 1, 1}); }), "1000000 is out of range");
  expect(of([] { grid_graph({{4, 4}, true, 60, 2}); }), "8 cables and 60 hosts do not fit");
  expect(of([] { hypercube_graph(13, 1); }), "network.graph.dimensions: 13");
  expect(of([] { ring_graph(2, 1); }), "allowed: 3 to 4096");
  expect(of([] { star_graph(4, 65); }), "network.graph.hosts_per_switch: 65");
  expect(of([] { fat_tree_graph({1, 3}); }), "network.graph.arity: 1");
  expect(of([] { fat_tree_graph({32, 4}); }), "network.graph.levels");
  expect(of([] { dragonfly_graph({10, 4, 2, 2}); }), "network.graph.groups: 10 is out of range");
  expect(of([] { dragonfly_graph({9, 4, 2, 65}); }), "ports of a switch");
}

}  // namespace
}  // namespace tributary
