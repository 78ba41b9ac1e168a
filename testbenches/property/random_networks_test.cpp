// SPDX-License-Identifier: Apache-2.0
// Random networks: every orientation is legal and without cycles, and a cycle that is planted is
// found and named.
#include <gtest/gtest.h>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/routing/channel_dependencies.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/genetic_orientation.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <set>
#include <string>
#include <vector>

#include "support/failure.h"

namespace tributary {
namespace {

/// A connected network of no shape at all: a random tree, and random links on it, some of them
/// parallel to others.
network_graph shapeless(random_stream& draws) {
  const auto switches = static_cast<std::uint32_t>(3 + draws.below(20));
  network_plan plan;
  plan.ports.assign(switches, most_ports);
  plan_builder made(plan);
  for (std::uint32_t s = 1; s < switches; ++s) {
    made.join(s, static_cast<std::uint32_t>(draws.below(s)));
  }
  for (std::uint64_t extra = draws.below(2 * switches); extra > 0; --extra) {
    const auto a = static_cast<std::uint32_t>(draws.below(switches));
    const auto b = static_cast<std::uint32_t>(draws.below(switches));
    if (a != b) made.join(a, b);
  }
  made.add_hosts(0, 1);
  for (std::uint32_t s = 0; s < switches; ++s) {
    made.add_hosts(s, static_cast<std::uint32_t>(draws.below(2)));
  }
  made.add_hosts(switches - 1, 1);
  return made.graph();
}

/// Each route that is drawn ends at its destination, and never goes up after it went down.
void expect_legal(const orientation& ends, const std::string& what) {
  SCOPED_TRACE(what);
  const network_graph& graph = ends.graph();
  EXPECT_TRUE(ends.is_correct());
  const routing_table table = up_down_table(up_down_routes(ends));
  EXPECT_TRUE(channel_dependencies(table).cycle().empty());
  const source_routes routes(table, 1);
  for (std::uint32_t from = 0; from < graph.switches(); ++from) {
    for (std::uint32_t to = 0; to < graph.switches(); ++to) {
      const bool hosts = graph.hosts_at(switch_id{from}) != 0 && graph.hosts_at(switch_id{to}) != 0;
      if (!hosts) continue;
      switch_id at{from};
      bool went_down = false;
      for (const route_hop& each : routes.route(at, switch_id{to})) {
        const std::uint32_t channel = graph.channel_from({at, each.port});
        EXPECT_FALSE(went_down && ends.goes_up(channel)) << graph.channel_text(channel);
        went_down = went_down || !ends.goes_up(channel);
        at = graph.target(channel).at;
      }
      EXPECT_EQ(at, switch_id{to}) << "from " << from;
    }
  }
}

TEST(random_networks, are_routed_by_every_orientation) {
  random_stream draws(1, 0U, 1000U);
  for (int each = 0; each < 60; ++each) {
    SCOPED_TRACE(each);
    const network_graph graph = shapeless(draws);
    expect_legal(bfs_orientation(graph), "bfs");
    expect_legal(dfs_orientation(graph), "dfs");
    expect_legal(mdst_orientation(graph), "mdst");
    const switch_id initiator{static_cast<std::uint32_t>(draws.below(graph.switches()))};
    expect_legal(post_orientation(graph, initiator), "post");
    const orientation ends = bfs_orientation(graph);
    EXPECT_NO_THROW(adaptive_table{up_down_table(up_down_routes(ends))});
  }
}

TEST(random_networks, genetic_orientations_are_legal) {
  random_stream draws(1, 0U, 1001U);
  for (int each = 0; each < 5; ++each) {
    const network_graph graph = shapeless(draws);
    genetic_config config;
    config.patience = 5;
    expect_legal(genetic_orientation(graph, least_crossing_fitness, config).best, "genetic");
  }
}

/// Shortest ways without a rule for turns, by breadth-first search.
routing_rules unruled(const network_graph& graph, const distance_table& distance) {
  routing_rules rules;
  rules.name = "shortest";
  rules.ways_on = [&](switch_id at, std::uint32_t, switch_id to, std::vector<route_hop>& hops) {
    for (const neighbour_link& each : graph.neighbours(at)) {
      if (distance(each.to, to) < distance(at, to)) {
        hops.push_back({static_cast<std::uint8_t>(each.port), 0});
      }
    }
  };
  return rules;
}

/// Whether removing channels that wait for nothing, again and again, leaves some.
bool has_circle(const network_graph& graph, const routing_table& table) {
  std::vector<std::set<std::uint32_t>> waits(graph.channels());
  for (std::uint32_t c = 0; c < graph.channels(); ++c) {
    const switch_id from = graph.source(c).at;
    const switch_id at = graph.target(c).at;
    for (std::uint32_t d = 0; d < graph.switches(); ++d) {
      if (switch_id{d} == at || switch_id{d} == from) continue;
      for (const route_hop& taken : table.ways_on(from, 0, switch_id{d})) {
        if (graph.channel_from({from, taken.port}) != c) continue;
        for (const route_hop& next : table.ways_on(at, 0, switch_id{d})) {
          waits[c].insert(graph.channel_from({at, next.port}));
        }
      }
    }
  }
  std::set<std::uint32_t> left;
  for (std::uint32_t c = 0; c < graph.channels(); ++c) left.insert(c);
  for (bool some = true; some;) {
    some = false;
    for (std::uint32_t c = 0; c < graph.channels(); ++c) {
      if (left.count(c) == 0) continue;
      bool free = true;
      for (const std::uint32_t next : waits[c]) free = free && left.count(next) == 0;
      if (!free) continue;
      left.erase(c);
      some = true;
    }
  }
  return !left.empty();
}

TEST(random_networks, a_cycle_of_unruled_routes_is_found_and_named) {
  std::size_t cyclic = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const network_graph graph = random_regular_graph({8, seed % 2 == 0 ? 3U : 2U, 1, seed});
    const distance_table distance(graph);
    const routing_rules rules = unruled(graph, distance);
    const routing_table table(graph, rules, deadlock_check::skipped);
    const auto circle = channel_dependencies(table).cycle();
    EXPECT_EQ(!circle.empty(), has_circle(graph, table)) << graph.name();
    const std::string message =
        testing::failure<configuration_error>([&] { routing_table(graph, rules); });
    EXPECT_EQ(message.empty(), circle.empty()) << graph.name();
    for (std::size_t c = 0; c < circle.size(); ++c) {
      const std::uint32_t next = circle[(c + 1) % circle.size()].channel;
      EXPECT_EQ(graph.target(circle[c].channel).at, graph.source(next).at) << message;
      EXPECT_NE(message.find(graph.channel_text(next)), std::string::npos) << message;
    }
    cyclic += circle.empty() ? 0 : 1;
  }
  EXPECT_GT(cyclic, 5U) << "too few cycles to see anything";
}

}  // namespace
}  // namespace tributary
