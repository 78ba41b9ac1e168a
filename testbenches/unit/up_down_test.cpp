// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/routing/channel_dependencies.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/failure.h"

namespace tributary {
namespace {

using testing::failure;

/// Links between the numbered switches, one host each, ports in the order of the links.
network_graph joined(std::uint32_t switches,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  network_plan plan;
  plan.name = "test";
  plan.ports.assign(switches, 8);
  plan_builder made(plan);
  for (const auto& [a, b] : pairs) made.join(a, b);
  for (std::uint32_t s = 0; s < switches; ++s) made.add_hosts(s, 1);
  return made.graph();
}

network_graph square() { return joined(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); }

TEST(orientation, is_correct_without_circle_and_with_one_root) {
  const network_graph graph = square();
  // Second ends are 1, 2, 3, 0.
  const orientation circle(graph, {true, true, true, true});
  EXPECT_EQ(circle.roots(), 0U);
  EXPECT_FALSE(circle.is_correct());
  const orientation two_roots(graph, {true, false, true, false});
  EXPECT_EQ(two_roots.roots(), 2U);
  EXPECT_FALSE(two_roots.is_correct());
  const orientation one_root(graph, {true, true, true, false});
  EXPECT_TRUE(one_root.is_correct()) << "switch 3 is the only root";
  EXPECT_NE(failure([&] { orientation(graph, {true}); }).find("1 up ends"), std::string::npos);
}

TEST(orientation, bfs_begins_in_the_middle) {
  // A path of five: switch 2 is the centre, and each link's up end the nearer one.
  const network_graph graph = joined(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const orientation bfs = bfs_orientation(graph);
  EXPECT_EQ(bfs, orientation(graph, {true, true, false, false}));
  EXPECT_EQ(mdst_orientation(graph), orientation(graph, {false, false, false, false}));
}

TEST(orientation, at_the_same_level_the_lower_number_is_up) {
  const network_graph graph = joined(3, {{0, 1}, {0, 2}, {2, 1}});
  EXPECT_EQ(mdst_orientation(graph), orientation(graph, {false, false, true}));
}

TEST(orientation, the_flood_of_post_may_take_a_longer_way) {
  // The initiator sends to 1, 2, 3, 4 in this order, so 4 hears of it at step 4; by way of switch 1
  // and switch 5, switch 4 hears at step 3 and is at level 3. MDST puts it at level 1.
  const network_graph graph = joined(6, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {5, 4}});
  const orientation post = post_orientation(graph, switch_id{0});
  EXPECT_TRUE(post.is_correct());
  EXPECT_FALSE(post.second_is_up(5)) << "switch 5 is above switch 4";
  EXPECT_TRUE(mdst_orientation(graph).second_is_up(5)) << "switch 4 is above switch 5";
}

TEST(orientation, dfs_labels_end_the_main_branch_highest) {
  // From 0 the search goes to the farther of 1 and 2: 0 - 1 - 3 - 4, and 2 hangs on 0, 5 on 3.
  const network_graph graph = joined(6, {{0, 1}, {0, 2}, {1, 3}, {3, 4}, {3, 5}});
  const std::vector<std::uint32_t> labels = dfs_labels(graph, distance_table(graph), switch_id{2});
  // Main branch 2, 0, 1, 3, 4; switch 5 is labelled before switch 3, where it hangs.
  EXPECT_EQ(labels, (std::vector<std::uint32_t>{1, 2, 0, 4, 5, 3}));
}

TEST(up_down_routes, go_up_and_then_down) {
  // A square with root 0: between 1 and 3 the way by 2 would go down and then up.
  const network_graph graph = square();
  const orientation ends = mdst_orientation(graph);
  const up_down_routes routes(ends);
  const auto distance = [&](std::uint32_t from, up_down_phase phase, std::uint32_t to) {
    return routes.distance(switch_id{from}, phase, switch_id{to});
  };
  EXPECT_EQ(distance(1, up_down_phase::up, 3), 2U);
  EXPECT_EQ(distance(2, up_down_phase::down, 0), up_down_routes::unreachable);
  EXPECT_EQ(distance(0, up_down_phase::down, 2), 2U);
  const up_down_metrics found = measure_up_down(routes);
  // Channels from 1 by 2 to 3 and back are the only forbidden pairs.
  EXPECT_DOUBLE_EQ(found.restrictions, 2.0 / 4);
  EXPECT_DOUBLE_EQ(found.average_distance, 16.0 / 12);
  EXPECT_DOUBLE_EQ(found.long_paths, 0);
  EXPECT_EQ(found.diameter, 2U);
}

TEST(up_down_routes, counts_routes_over_channels) {
  const network_graph graph = square();
  const orientation ends = mdst_orientation(graph);
  const up_down_routes routes(ends);
  const auto all = routes_over_channels(routes, route_count::all);
  const auto divided = routes_over_channels(routes, route_count::divided);
  // Over 0 -> 1: from 0 and 3 to 1, one of two routes from 0 to 2.
  EXPECT_DOUBLE_EQ(all[0], 3);
  EXPECT_DOUBLE_EQ(divided[0], 2.5);
  // Each pair's route counts once for each of its links.
  EXPECT_DOUBLE_EQ(std::accumulate(divided.begin(), divided.end(), 0.0), 16);
  EXPECT_EQ(total_distance(ends), 16U);
}

TEST(up_down_routes, refuse_an_orientation_with_two_roots) {
  const network_graph graph = square();
  const orientation two_roots(graph, {true, false, true, false});
  EXPECT_NE(failure<configuration_error>([&] {
              total_distance(two_roots);
            }).find("no legal route leads from switch"),
            std::string::npos);
  EXPECT_NE(failure<configuration_error>([&] {
              up_down_table(up_down_routes(two_roots));
            }).find("has no way on to switch"),
            std::string::npos);
}

/// Clockwise around a ring, whatever the destination.
routing_rules clockwise(const network_graph& graph) {
  routing_rules rules;
  rules.name = "clockwise";
  rules.ways_on = [&graph](switch_id at, std::uint32_t, switch_id, std::vector<route_hop>& hops) {
    const switch_id next{(index(at) + 1) % graph.switches()};
    for (const neighbour_link& each : graph.neighbours(at)) {
      if (each.to == next) hops.push_back({static_cast<std::uint8_t>(each.port), 0});
    }
  };
  return rules;
}

TEST(routing_table, a_cycle_is_refused_and_named) {
  const network_graph graph = square();
  EXPECT_EQ(
      failure<configuration_error>([&] { routing_table(graph, clockwise(graph)); }),
      "network.routing: clockwise: channels wait for each other in a circle of 4: 0:0 -> 1:0, "
      "1:1 -> 2:0, 2:1 -> 3:0, 3:1 -> 0:1 (allowed: a channel dependency graph without "
      "cycles); use up*/down* routing, or another virtual channel for a part of the circle");
  const routing_table cyclic(graph, clockwise(graph), deadlock_check::skipped);
  EXPECT_EQ(channel_dependencies(cyclic).cycle().size(), 4U);
}

TEST(routing_table, refuses_hops_that_lead_nowhere) {
  const network_graph graph = square();
  const auto message = [&](route_hop hop, std::uint32_t channels) {
    routing_rules rules = clockwise(graph);
    rules.virtual_channels = channels;
    rules.ways_on = [hop](switch_id, std::uint32_t, switch_id, std::vector<route_hop>& hops) {
      hops.push_back(hop);
    };
    return failure<configuration_error>([&] { routing_table(graph, rules); });
  };
  EXPECT_NE(message({2, 0}, 1).find("switch 0 routes to port 2, where no link is"),
            std::string::npos);
  EXPECT_NE(message({0, 2}, 2).find("virtual channel 2 of port 0 (allowed: 0 to 1)"),
            std::string::npos);
  EXPECT_NE(message({0, 0}, 17).find("17 virtual channels (allowed: 1 to 16)"), std::string::npos);
}

TEST(routing_table, has_the_ways_of_up_down_routes) {
  const network_graph graph = square();
  const orientation ends = mdst_orientation(graph);
  const routing_table table = up_down_table(up_down_routes(ends));
  EXPECT_EQ(table.ways_on(switch_id{0}, 0, switch_id{2}).size(), 2U);
  EXPECT_EQ(table.ways_on(switch_id{1}, 0, switch_id{3}).size(), 1U);
  EXPECT_TRUE(table.ways_on(switch_id{2}, 1, switch_id{0}).empty());
  // What comes from switch 1 to switch 2 came down; what comes from the host there may go up.
  EXPECT_EQ(table.phase_of_input({switch_id{2}, 0}, 0), 1U);
  EXPECT_EQ(table.phase_of_input({switch_id{2}, 2}, 0), 0U);
  EXPECT_EQ(table.port_of(host_id{3}), 2U);
}

}  // namespace
}  // namespace tributary
