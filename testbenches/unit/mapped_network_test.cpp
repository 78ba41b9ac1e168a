// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/graph_file.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/mapped_network.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/network/switching/wormhole_network.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/gigabit_ethernet.h"
#include "support/routed_network_bench.h"

namespace tributary {
namespace {

using testing::bench_node;

/// A frame of 46 bytes takes 72 byte times of 16 cycles, and 12 more behind it.
constexpr cycle_t frame = 84 * 16;
constexpr cycle_t elapsed = 8 * frame;

std::unique_ptr<routed_network> two_edges() {
  auto graph = std::make_shared<const network_graph>(star_graph(2, 2));
  const orientation ends = bfs_orientation(*graph);
  routing_table table = up_down_table(up_down_routes(ends));
  return std::make_unique<routed_network>(testing::gigabit_ethernet(), graph, std::move(table));
}

/// Two frames from host 0 to host 3, and one back.
void run(routed_network& network) {
  bench_node first(network, node_id{0});
  bench_node last(network, node_id{3});
  first.offer({node_id{0}, node_id{3}, 0, 46, 0}, 1);
  first.offer({node_id{0}, node_id{3}, 0, 46, 1}, 1);
  last.offer({node_id{3}, node_id{0}, 0, 46, 2}, 1);
  for (cycle_t now = 1; now <= elapsed; ++now) {
    network.advance_to(now);
    first.step(now);
    last.step(now);
  }
  EXPECT_TRUE(network.idle());
}

TEST(mapped_network, each_link_was_busy_for_its_frames_and_gaps) {
  const std::unique_ptr<routed_network> network = two_edges();
  run(*network);
  const network_use use = network->use();
  EXPECT_EQ(use.cycles, elapsed);
  ASSERT_EQ(use.channels.size(), 4U);
  // Links 0 and 1 join the edge switches with the centre: 0 to the centre, 1 back.
  EXPECT_DOUBLE_EQ(use.channels[0], 2.0 / 8);
  EXPECT_DOUBLE_EQ(use.channels[1], 1.0 / 8);
  EXPECT_DOUBLE_EQ(use.channels[2], 1.0 / 8);
  EXPECT_DOUBLE_EQ(use.channels[3], 2.0 / 8);
  EXPECT_EQ(use.from_hosts, (std::vector<double>{0.25, 0, 0, 0.125}));
  EXPECT_EQ(use.to_hosts, (std::vector<double>{0.125, 0, 0, 0.25}));

  network->reset_statistics();
  EXPECT_EQ(network->use().cycles, 0U);
  EXPECT_EQ(network->use().channels[0], 0.0);
}

/// 100 bytes, one of them the header, of 10 cycles on each link, and a gap of 2 bytes behind; the
/// head takes 24 cycles a hop.
TEST(mapped_network, a_wormhole_channel_is_held_up_to_the_gap_behind_the_tail) {
  message_network_config config;
  config.clock.period = 1000;
  config.bandwidth = 100;
  config.header_bytes = 1;
  config.gap_bytes = 2;
  config.hop_latency = 24;
  config.base_latency = 30;
  auto graph = std::make_shared<const network_graph>(star_graph(2, 2));
  const orientation ends = bfs_orientation(*graph);
  wormhole_network network(config, 64, graph, up_down_table(up_down_routes(ends)));
  bench_node first(network, node_id{0});
  bench_node last(network, node_id{3});
  network.send({node_id{0}, node_id{3}, 0, 99, 0}, 1);
  const auto run_to = [&](cycle_t end) {
    for (cycle_t now = network.now() + 1; now <= end; ++now) {
      network.advance_to(now);
      first.step(now);
      last.step(now);
    }
  };
  // The head crosses the four channels in cycles 1, 25, 49 and 73.
  run_to(500);
  EXPECT_DOUBLE_EQ(network.use().from_hosts[0], (500 - 1) / 500.0);
  EXPECT_DOUBLE_EQ(network.use().channels[0], (500 - 25) / 500.0);
  EXPECT_DOUBLE_EQ(network.use().channels[3], (500 - 49) / 500.0);
  EXPECT_DOUBLE_EQ(network.use().to_hosts[3], (500 - 73) / 500.0);
  EXPECT_DOUBLE_EQ(network.use().channels[1], 0.0);
  network.reset_statistics();
  run_to(2500);
  EXPECT_DOUBLE_EQ(network.use().channels[0], (25 + 1020 - 500) / 2000.0);
}

TEST(mapped_network, the_map_is_the_graph_with_what_was_measured) {
  const std::unique_ptr<routed_network> network = two_edges();
  run(*network);
  const std::string text = network_map(*network, true).to_text();
  const json_document map = json_document::from_text(text, "map.json");
  const json_value& about = *map.root().find("graph");
  EXPECT_EQ(about.find("cycles")->as_unsigned(), elapsed);
  EXPECT_TRUE(about.find("partial")->as_boolean());
  const json_value& edge = map.root().find("edges")->as_array()[1];
  EXPECT_EQ(edge.find("utilisation")->as_number(), 0.125) << edge.to_text();
  EXPECT_EQ(edge.find("utilisation_back")->as_number(), 0.25) << edge.to_text();
  // Other programs' attributes are ignored: it is a graph's file as any other.
  EXPECT_EQ(node_link_data(build_graph(describe_json(map))), node_link_data(network->graph()));
}

TEST(mapped_network, a_topology_is_drawn_as_its_graph) {
  message_network_config config;
  config.topology = topology_kind::mesh;
  routed_network network(config, 16);
  const network_graph graph = network.graph();
  EXPECT_EQ(graph.switches(), 16U);
  EXPECT_EQ(network.use().channels.size(), graph.channels());
}

}  // namespace
}  // namespace tributary
