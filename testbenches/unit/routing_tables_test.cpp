// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/routing/channel_dependencies.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/genetic_orientation.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/failure.h"

namespace tributary {
namespace {

using testing::failure;

/// Whether a function takes a graph that stays, and no other.
template <class Function>
constexpr bool takes_no_temporary(Function) {
  return std::is_invocable_v<Function, const network_graph&> &&
         std::is_invocable_v<Function, network_graph&> &&
         !std::is_invocable_v<Function, network_graph> &&
         !std::is_invocable_v<Function, const network_graph>;
}

TEST(routing, what_keeps_its_graph_takes_no_temporary_one) {
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(orientation(std::forward<decltype(of)>(of),
                                                        std::vector<bool>{}))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(orientation_by_level(
                        std::forward<decltype(of)>(of), std::vector<std::uint32_t>{}))> {}));
  EXPECT_TRUE(
      takes_no_temporary([](auto&& of) -> std::void_t<decltype(orientation_from_root(
                                           std::forward<decltype(of)>(of), switch_id{0}))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(bfs_orientation(std::forward<decltype(of)>(of)))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(mdst_orientation(std::forward<decltype(of)>(of)))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of)
          -> std::void_t<decltype(post_orientation(std::forward<decltype(of)>(of), switch_id{0}))> {
      }));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(orientation_by_label(
                        std::forward<decltype(of)>(of), std::vector<std::uint32_t>{}))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(dfs_orientation(std::forward<decltype(of)>(of)))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(genetic_orientation(std::forward<decltype(of)>(of),
                                                                least_crossing_fitness))> {}));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of)
          -> std::void_t<decltype(routing_table(std::forward<decltype(of)>(of), routing_rules{}))> {
      }));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of)
          -> std::void_t<decltype(grid_table(std::forward<decltype(of)>(of), grid_config{}, 1U))> {
      }));
  EXPECT_TRUE(takes_no_temporary(
      [](auto&& of) -> std::void_t<decltype(hypercube_table(std::forward<decltype(of)>(of)))> {}));
}

/// The switches of a source route.
std::vector<std::uint32_t> switches_of(const network_graph& graph, const source_routes& routes,
                                       std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> found{from};
  for (const route_hop& each : routes.route(switch_id{from}, switch_id{to})) {
    const std::uint32_t channel = graph.channel_from({switch_id{found.back()}, each.port});
    found.push_back(index(graph.target(channel).at));
  }
  return found;
}

TEST(dimension_order, takes_the_first_dimension_first) {
  const grid_config config{{4, 4}, false, 1, 1};
  const network_graph mesh = grid_graph(config);
  const source_routes routes(grid_table(mesh, config, 1), 1);
  EXPECT_EQ(switches_of(mesh, routes, 0, 9), (std::vector<std::uint32_t>{0, 1, 5, 9}));
  const network_graph cube = hypercube_graph(3, 1);
  const source_routes of_cube(hypercube_table(cube), 1);
  EXPECT_EQ(switches_of(cube, of_cube, 0, 6), (std::vector<std::uint32_t>{0, 2, 6}));
}

TEST(dimension_order, needs_two_virtual_channels_on_a_torus) {
  const grid_config config{{5, 4}, true, 1, 2};
  const network_graph torus = grid_graph(config);
  const routing_table table = grid_table(torus, config, 2);
  // From 4 to 1 by the wrap-around link, by either cable: number 0 over it, then number 1.
  const route_set over = table.ways_on(switch_id{4}, 0, switch_id{1});
  ASSERT_EQ(over.size(), 2U);
  EXPECT_EQ(over[0].virtual_channel, 0);
  EXPECT_EQ(table.ways_on(switch_id{0}, 0, switch_id{1})[0].virtual_channel, 1);
  const std::string message = failure<configuration_error>([&] { grid_table(torus, config, 1); });
  EXPECT_NE(message.find("channels wait for each other in a circle of"), std::string::npos)
      << message;
  EXPECT_EQ(
      failure<configuration_error>([&] { grid_table(torus, config, 1, deadlock_check::skipped); }),
      "");
  EXPECT_NE(failure<configuration_error>([&] {
              grid_table(torus, {{5, 5}, true, 1, 1}, 2);
            }).find("a grid of 25 switches does not fit the network of 20"),
            std::string::npos);
}

TEST(up_down, takes_all_ways_up_a_fat_tree) {
  const fat_tree_config config{4, 3};
  const network_graph tree = fat_tree_graph(config);
  const orientation ends = orientation_by_level(tree, fat_tree_levels(config));
  EXPECT_EQ(ends.roots(), 16U);
  const routing_table table = up_down_table(up_down_routes(ends));
  EXPECT_EQ(table.ways_on(switch_id{32}, 0, switch_id{47}).size(), 4U) << "any way up";
  EXPECT_EQ(table.ways_on(switch_id{0}, 1, switch_id{47}).size(), 1U) << "one way down";
}

TEST(source_routes, are_drawn_by_seed_and_pair) {
  const network_graph graph = random_regular_graph({16, 4, 1, 1});
  const orientation ends = bfs_orientation(graph);
  const up_down_routes shortest(ends);
  const routing_table table = up_down_table(shortest);
  const source_routes routes(table, 1);
  const auto over = routes.routes_over_channels();
  EXPECT_EQ(over, source_routes(table, 1).routes_over_channels());
  EXPECT_NE(over, source_routes(table, 2).routes_over_channels());
  EXPECT_EQ(std::accumulate(over.begin(), over.end(), std::uint64_t{0}), total_distance(ends));
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      EXPECT_EQ(switches_of(graph, routes, from, to).back(), to);
    }
  }
}

TEST(source_routes, approach_the_expected_routes_over_channels) {
  const network_graph graph = random_regular_graph({16, 4, 1, 1});
  const orientation ends = bfs_orientation(graph);
  const up_down_routes shortest(ends);
  const routing_table table = up_down_table(shortest);
  const auto expected = routes_over_channels(shortest, route_count::divided);
  std::vector<double> mean(graph.channels());
  constexpr std::uint64_t seeds = 400;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto over = source_routes(table, seed).routes_over_channels();
    for (std::size_t c = 0; c < over.size(); ++c) mean[c] += over[c] / double{seeds};
  }
  for (std::size_t c = 0; c < mean.size(); ++c) {
    EXPECT_NEAR(mean[c], expected[c], 0.5) << graph.channel_text(static_cast<std::uint32_t>(c));
  }
}

TEST(deterministic_table, has_one_of_the_ways) {
  const network_graph graph = random_regular_graph({16, 4, 1, 1});
  const orientation ends = dfs_orientation(graph);
  const up_down_routes shortest(ends);
  const routing_table all = up_down_table(shortest);
  const routing_table one = deterministic_table(all, 7);
  EXPECT_LT(one.size(), all.size());
  for (std::uint32_t at = 0; at < 16; ++at) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      if (at == to) continue;
      const route_set ways = all.ways_on(switch_id{at}, 0, switch_id{to});
      const route_set chosen = one.ways_on(switch_id{at}, 0, switch_id{to});
      ASSERT_EQ(chosen.size(), 1U);
      EXPECT_EQ(std::count(ways.begin(), ways.end(), chosen[0]), 1);
    }
  }
}

TEST(adaptive_table, has_every_shortest_way_and_an_escape) {
  const network_graph ring = ring_graph(4, 1);
  const orientation ends = mdst_orientation(ring);
  const adaptive_table table(up_down_table(up_down_routes(ends)));
  EXPECT_EQ(table.minimal_ports(switch_id{1}, switch_id{3}), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(table.minimal_ports(switch_id{1}, switch_id{2}), (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(table.escape().ways_on(switch_id{1}, 0, switch_id{3}).size(), 1U);
}

TEST(adaptive_table, refuses_an_escape_that_is_not_everywhere) {
  // Two hosts at one switch: a table without entries is complete for them, but a message that
  // escapes at another switch would be lost.
  network_plan plan;
  plan.ports = {4, 4};
  plan.links = {{{switch_id{0}, 0}, {switch_id{1}, 0}}};
  plan.hosts = {{switch_id{0}, 1}, {switch_id{0}, 2}};
  const network_graph graph(plan);
  routing_rules rules;
  rules.name = "none";
  rules.ways_on = [](switch_id, std::uint32_t, switch_id, std::vector<route_hop>&) {};
  EXPECT_NE(
      failure<configuration_error>([&] { adaptive_table(routing_table(graph, rules)); })
          .find("none, as an escape: switch 1 has no way on to switch 0 (allowed: a route from "
                "every switch"),
      std::string::npos);
}

/// A ring of four switches whose only hosts are two each at the switches named.
network_graph square_with_hosts(const std::vector<std::uint32_t>& at) {
  network_plan plan;
  plan.ports = {4, 4, 4, 4};
  plan_builder made(plan);
  for (std::uint32_t s = 0; s < 4; ++s) made.join({switch_id{s}, 0}, {switch_id{(s + 1) % 4}, 1});
  for (const std::uint32_t each : at) made.add_hosts(each, 2);
  return made.graph();
}

TEST(adaptive_table, refuses_an_escape_whose_second_way_ends) {
  const network_graph graph = square_with_hosts({0});
  routing_rules rules;
  rules.name = "two ways";
  rules.phases = 2;
  rules.phase_after = [](virtual_channel_id) { return 1U; };
  // The second way from switch 1 is by switch 2, which has no way on for what comes from there.
  rules.ways_on = [](switch_id at, std::uint32_t phase, switch_id, std::vector<route_hop>& hops) {
    if (at == switch_id{1}) hops.push_back({1, 0});
    if (at == switch_id{1} || at == switch_id{3}) hops.push_back({0, 0});
    if (at == switch_id{2} && phase == 0) hops.push_back({0, 0});
  };
  const routing_table escape(graph, rules);
  const std::string message = failure<configuration_error>([&] { adaptive_table{escape}; });
  EXPECT_NE(message.find("two ways, as an escape: switch 2 has no way on to switch 0 for what "
                         "comes by 1:0 -> 2:1"),
            std::string::npos)
      << message;
}

TEST(adaptive_table, refuses_an_escape_with_a_circle_of_switches_without_hosts) {
  // Clockwise from host to host no channel waits for itself. Messages that escape at switches 1 and
  // 3 close the circle.
  const network_graph graph = square_with_hosts({0, 2});
  routing_rules rules;
  rules.name = "clockwise";
  rules.ways_on = [](switch_id, std::uint32_t, switch_id, std::vector<route_hop>& hops) {
    hops.push_back({0, 0});
  };
  const routing_table escape(graph, rules);
  const std::string message = failure<configuration_error>([&] { adaptive_table{escape}; });
  EXPECT_NE(message.find("clockwise, as an escape: channels wait for each other in a circle of 4"),
            std::string::npos)
      << message;
}

TEST(genetic_orientation, is_as_good_as_all_that_it_begins_with) {
  const network_graph graph = random_regular_graph({16, 4, 1, 1});
  genetic_config config;
  config.patience = 10;
  const genetic_result found = genetic_orientation(graph, least_crossing_fitness, config);
  EXPECT_TRUE(found.best.is_correct());
  EXPECT_EQ(found.fitness, least_crossing_fitness(found.best));
  EXPECT_GE(found.fitness, least_crossing_fitness(dfs_orientation(graph)));
  EXPECT_GT(found.fitness, least_crossing_fitness(mdst_orientation(graph)));
  EXPECT_EQ(genetic_orientation(graph, least_crossing_fitness, config).best, found.best);
  config.replaced = 11;
  EXPECT_NE(failure<configuration_error>([&] {
              genetic_orientation(graph, least_crossing_fitness, config);
            }).find("network.routing.genetic.replaced"),
            std::string::npos);
}

TEST(count_orientations, agrees_with_known_counts) {
  // Acyclic orientations with one given sink are as many as spanning trees without external
  // activity, whichever the sink (Greene and Zaslavsky, Trans. AMS 280, 1983): 3 for a square, 6
  // for the complete graph of four.
  const orientation_count ring = count_orientations(ring_graph(4, 1));
  EXPECT_EQ(ring.all, 16U);
  EXPECT_EQ(ring.correct, 4U * 3);
  const orientation_count complete =
      count_orientations(graph_of(topology(topology_kind::point_to_point, 4), 1));
  EXPECT_EQ(complete.all, 64U);
  EXPECT_EQ(complete.correct, 4U * 6);
  EXPECT_NE(failure<configuration_error>([] {
              count_orientations(ring_graph(25, 1));
            }).find("25 links are too many"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
