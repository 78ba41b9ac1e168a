// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/distances.h>
#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/plan_builder.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/sim/error.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/failure.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::failure;

/// Two switches of four ports, joined by two cables, with a host each.
network_plan pair_plan() {
  network_plan plan;
  plan.name = "pair";
  plan.ports = {4, 4};
  plan.links = {{{switch_id{0}, 0}, {switch_id{1}, 3}}, {{switch_id{1}, 1}, {switch_id{0}, 2}}};
  plan.hosts = {{switch_id{0}, 3}, {switch_id{1}, 0}};
  return plan;
}

TEST(network_graph, knows_ports_links_and_hosts) {
  const network_graph graph(pair_plan());
  EXPECT_EQ(graph.switches(), 2U);
  EXPECT_EQ(graph.channels(), 4U);
  EXPECT_EQ(graph.end({switch_id{0}, 1}).use, port_use::open);
  EXPECT_EQ(graph.end({switch_id{0}, 3}).use, port_use::host);
  EXPECT_EQ(graph.hosts_at(switch_id{1}), 1U);
  ASSERT_EQ(graph.neighbours(switch_id{0}).size(), 2U) << "parallel cables are two neighbours";
  EXPECT_EQ(graph.neighbours(switch_id{0})[1].port, 2U);
  EXPECT_EQ(graph.channel_text(0), "0:0 -> 1:3");
  EXPECT_EQ(graph.channel_text(graph.channel_from({switch_id{0}, 2})), "0:2 -> 1:1");
  EXPECT_EQ(graph.target(2), (switch_port{switch_id{0}, 2}));
}

TEST(network_graph, refuses_what_is_no_network_by_switch_and_port) {
  struct wrong {
    void (*change)(network_plan&);
    const char* message;
  };
  const wrong all[] = {
      {[](network_plan& p) { p.ports[1] = 1; }, "switch 1 has a radix of 1 (allowed: 2 to 65"},
      {[](network_plan& p) { p.ports[1] = 66; }, "switch 1 has a radix of 66"},
      {[](network_plan& p) { p.links[0].first.port = 4; },
       "switch 0 has no port 4, where link 0 is (allowed: ports 0 to 3)"},
      {[](network_plan& p) { p.hosts[0].port = 2; },
       "port 2 of switch 0 is used twice, by link 1 and by host 0"},
      {[](network_plan& p) { p.hosts[1].at = switch_id{7}; }, "switch 7 does not exist"},
      {[](network_plan& p) {
         p.links[1].first = {switch_id{0}, 1};
       },
       "link 1 joins switch 0 with itself"},
      {[](network_plan& p) { p.hosts.pop_back(); }, "the network has 1 hosts (allowed: 2 or more"},
      {[](network_plan& p) { p.links.clear(); }, "no way leads from switch 0 to switch 1"},
      {[](network_plan& p) { p.places.resize(1); }, "for a part of the switches"},
      {[](network_plan& p) {
         p.switch_names = {"left", "right"};
         p.hosts[0].port = 2;
       },
       "port 2 of switch left is used twice"},
  };
  for (const wrong& each : all) {
    network_plan plan = pair_plan();
    each.change(plan);
    const std::string message = failure<configuration_error>([&] { network_graph{plan}; });
    EXPECT_NE(message.find(each.message), std::string::npos)
        << "expected: " << each.message << "\nmessage: " << message;
  }
}

TEST(network_graph, a_builder_takes_the_lowest_free_ports) {
  network_plan plan;
  plan.ports = {3, 3};
  plan_builder made(plan);
  made.join({switch_id{0}, 0}, {switch_id{1}, 2});
  made.add_hosts(0, 1);
  made.join(0, 1);
  made.add_hosts(1, 1);
  const network_graph graph = made.graph();
  EXPECT_EQ(graph.host_port(host_id{0}).port, 1U);
  EXPECT_EQ(graph.channel_text(2), "0:2 -> 1:0");
  EXPECT_EQ(failure<configuration_error>([&] { made.join(0, 1); }),
            "network.graph: switch 0 has no free port (allowed: 3 ports for links and hosts); give "
            "the switch more ports, or fewer links and hosts");
}

/// The links of a graph as pairs of switches.
std::set<std::pair<std::uint32_t, std::uint32_t>> joined_pairs(const network_graph& graph) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    pairs.emplace(index(graph.link(l).first.at), index(graph.link(l).second.at));
  }
  return pairs;
}

TEST(random_regular_graph, is_simple_and_regular) {
  for (const auto& [switches, degree] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {2, 1}, {4, 3}, {8, 3}, {9, 4}, {64, 4}, {16, 12}, {7, 6}, {64, 60}}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const network_graph graph = random_regular_graph({switches, degree, 2, seed});
      EXPECT_EQ(joined_pairs(graph).size(), std::size_t{switches} * degree / 2)
          << graph.name() << ": a pair is joined twice";
      for (std::uint32_t s = 0; s < switches; ++s) {
        EXPECT_EQ(graph.neighbours(switch_id{s}).size(), degree) << graph.name();
        EXPECT_EQ(graph.hosts_at(switch_id{s}), 2U) << graph.name();
      }
    }
  }
}

TEST(random_regular_graph, depends_on_the_seed_alone) {
  const auto drawn = [](std::uint64_t seed) {
    return joined_pairs(random_regular_graph({6, 3, 1, seed}));
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  // The same on every machine.
  using pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(drawn(1),
            (pairs{{0, 2}, {0, 3}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {4, 5}}));
}

TEST(random_regular_graph, refuses_what_cannot_be) {
  const auto message = [](const random_graph_config& config) {
    return failure<configuration_error>([&] { random_regular_graph(config); });
  };
  EXPECT_NE(message({9, 3, 1, 1}).find("9 switches of 3 links leave a port open"),
            std::string::npos);
  EXPECT_NE(message({4, 4, 1, 1}).find("network.graph.switches: 4 is out of range (allowed: 5 to"),
            std::string::npos);
  EXPECT_NE(message({80, 60, 8, 1}).find("60 links and 8 hosts do not fit a switch"),
            std::string::npos);
  EXPECT_NE(message({4, 1, 1, 1}).find("network.graph.degree"), std::string::npos);
  // Their sum is 2 in 32 bits.
  EXPECT_NE(message({8, 3, ~0U, 1}).find("3 links and 4294967295 hosts do not fit a switch"),
            std::string::npos);
}

TEST(distance_table, has_the_distances_of_a_path) {
  network_plan plan;
  plan.ports = {3, 3, 3, 3};
  plan_builder made(plan);
  for (std::uint32_t s = 0; s < 3; ++s) made.join(s, s + 1);
  made.add_hosts(0, 2);
  const network_graph graph = made.graph();
  const distance_table distance(graph);
  EXPECT_EQ(distance(switch_id{0}, switch_id{3}), 3U);
  EXPECT_EQ(distance(switch_id{2}, switch_id{1}), 1U);
  EXPECT_DOUBLE_EQ(distance.average_from(switch_id{0}), 2);
  EXPECT_EQ(distance.centre(), switch_id{1}) << "of switches 1 and 2 the lower number";
}

}  // namespace
}  // namespace tributary
