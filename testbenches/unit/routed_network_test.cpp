// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/block_statistics.h"
#include "support/failure.h"
#include "support/routed_network_bench.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::routed_network_bench;
using testing::seen_message;

constexpr std::uint32_t line = 128;

message_network_config configured(topology_kind kind, std::uint32_t bandwidth = 400) {
  message_network_config config;
  config.topology = kind;
  config.bandwidth = bandwidth;
  return config;
}

network_transfer transfer(std::uint32_t from, std::uint32_t to, std::uint8_t lane = 0,
                          std::uint32_t bytes = line, std::uint64_t cargo = 0) {
  return {node_id{from}, node_id{to}, lane, bytes, cargo};
}

/// Cycles from sending to the first word of a message that is alone.
cycle_t latency_of(const message_network_config& config, std::uint32_t nodes,
                   const network_transfer& what) {
  routed_network_bench bench(config, nodes);
  bench.nodes[index(what.source)]->offer(what, 10);
  bench.run_until(200);
  const std::vector<seen_message>& arrived = bench.nodes[index(what.destination)]->arrived;
  EXPECT_EQ(arrived.size(), 1U);
  return arrived.empty() ? 0 : arrived[0].cycle - 10;
}

// FLASH Table 5.1: 18 between two nodes; 5.4.1: 22 for about three hops.
TEST(routed_network, a_lone_message_takes_16_cycles_and_2_a_hop) {
  EXPECT_EQ(latency_of(configured(topology_kind::point_to_point), 2, transfer(0, 1)), 18U);
  EXPECT_EQ(latency_of(configured(topology_kind::mesh), 2, transfer(1, 0)), 18U);
  EXPECT_EQ(latency_of(configured(topology_kind::hypercube), 2, transfer(0, 1)), 18U);
  EXPECT_EQ(latency_of(configured(topology_kind::hypercube), 8, transfer(0, 7)), 22U);
  EXPECT_EQ(latency_of(configured(topology_kind::mesh), 16, transfer(0, 6)), 22U);
  EXPECT_EQ(latency_of(configured(topology_kind::point_to_point), 8, transfer(0, 7)), 18U);
  EXPECT_EQ(latency_of(configured(topology_kind::mesh), 16, transfer(5, 5)), 16U);
  message_network_config bristled = configured(topology_kind::hypercube);
  bristled.nodes_per_router = 2;
  EXPECT_EQ(latency_of(bristled, 2, transfer(0, 1)), 16U);
  EXPECT_EQ(latency_of(bristled, 16, transfer(7, 6)), 16U);
  EXPECT_EQ(latency_of(bristled, 16, transfer(1, 2)), 18U);
  EXPECT_EQ(latency_of(bristled, 16, transfer(0, 15)), 22U);
  // The length does not matter, nor the bandwidth.
  EXPECT_EQ(latency_of(configured(topology_kind::mesh), 2, transfer(0, 1, 3, 0)), 18U);
  EXPECT_EQ(latency_of(configured(topology_kind::mesh, 100), 2, transfer(0, 1)), 18U);
}

TEST(routed_network, stored_at_every_router_it_waits_for_its_tail_there) {
  message_network_config config = configured(topology_kind::mesh);
  config.columns = 4;
  config.switching = switching_kind::store_and_forward;
  for (const std::uint32_t hops : {1U, 3U}) {
    routed_network_bench bench(config, 4);  // a row
    bench.nodes[0]->offer(transfer(0, hops, 0, line, 1), 1);
    bench.run_until(1000);
    ASSERT_EQ(bench.nodes[hops]->arrived.size(), 1U);
    EXPECT_EQ(bench.nodes[hops]->arrived[0].cycle, 1 + 16 + 2 * hops + (hops + 1) * 40);
    EXPECT_EQ(bench.network.least_latency(node_id{0}, node_id{hops}, line),
              16 + 2 * hops + (hops + 1) * 40);
  }
}

TEST(routed_network, a_message_occupies_a_link_by_its_length) {
  const routed_network at_400(configured(topology_kind::mesh), 2);
  EXPECT_EQ(at_400.wire_cycles(0), 8U);
  EXPECT_EQ(at_400.wire_cycles(8), 10U);
  EXPECT_EQ(at_400.wire_cycles(128), 40U);
  const routed_network at_800(configured(topology_kind::mesh, 800), 2);
  EXPECT_EQ(at_800.wire_cycles(0), 4U);
  EXPECT_EQ(at_800.wire_cycles(8), 5U);
  EXPECT_EQ(at_800.wire_cycles(128), 20U);
  const routed_network at_300(configured(topology_kind::mesh, 300), 2);
  EXPECT_EQ(at_300.wire_cycles(0), 11U);  // 10.7
  const routed_network at_100(configured(topology_kind::mesh, 100), 2);
  EXPECT_EQ(at_100.wire_cycles(128), 160U);
}

TEST(routed_network, the_tail_follows_the_head_by_the_length) {
  routed_network_bench bench(configured(topology_kind::mesh), 4);
  bench.nodes[0]->offer(transfer(0, 3, 0, 8), 1);
  bench.run_until(100);
  ASSERT_EQ(bench.nodes[3]->arrived.size(), 1U);
  EXPECT_EQ(bench.nodes[3]->arrived[0].cycle, 21U);
  EXPECT_EQ(bench.nodes[3]->tails[0], 31U);
}

/// Cycles between the heads of a stream of lines, all the same after the first ones.
cycle_t period_of_stream(const message_network_config& config, std::uint32_t nodes,
                         std::uint32_t to, std::uint8_t lanes) {
  routed_network_bench bench(config, nodes);
  for (std::uint32_t i = 0; i < 100; ++i) {
    bench.nodes[0]->offer(transfer(0, to, static_cast<std::uint8_t>(i % lanes), line, i), 1);
  }
  bench.run_until(20000);
  const std::vector<seen_message>& arrived = bench.nodes[to]->arrived;
  EXPECT_EQ(arrived.size(), 100U);
  for (std::size_t i = 2; i < arrived.size(); ++i) {
    EXPECT_EQ(arrived[i].cycle - arrived[i - 1].cycle, arrived[1].cycle - arrived[0].cycle);
  }
  return arrived[1].cycle - arrived[0].cycle;
}

// V15 and V16.
TEST(routed_network, a_saturated_link_delivers_a_line_every_40_cycles) {
  for (const topology_kind kind :
       {topology_kind::point_to_point, topology_kind::mesh, topology_kind::hypercube}) {
    for (const std::uint8_t lanes : {std::uint8_t{1}, std::uint8_t{4}}) {
      EXPECT_EQ(period_of_stream(configured(kind), 2, 1, lanes), 40U);
      EXPECT_EQ(period_of_stream(configured(kind, 800), 2, 1, lanes), 20U);
      EXPECT_EQ(period_of_stream(configured(kind), 8, 7, lanes), 40U);
    }
  }
}

/// Its only place takes the next one a cycle after the tail has left it: 8 cycles to the router and
/// 40 for the line, from when it was reserved.
TEST(routed_network, a_place_is_free_a_cycle_after_the_tail_has_left_it) {
  message_network_config config = configured(topology_kind::mesh);
  config.router_buffers = 1;
  EXPECT_EQ(period_of_stream(config, 2, 1, 1), 8U + 40 + 1);
  config.bandwidth = 800;
  EXPECT_EQ(period_of_stream(config, 2, 1, 1), 8U + 20 + 1);
}

TEST(routed_network, two_lanes_share_a_link_in_turn) {
  routed_network_bench bench(configured(topology_kind::point_to_point), 2);
  for (std::uint32_t i = 0; i < 20; ++i) {
    bench.nodes[0]->offer(transfer(0, 1, 0, line, i), 1);
    bench.nodes[0]->offer(transfer(0, 1, 1, line, i), 1);
  }
  bench.run_until(2000);
  const std::vector<seen_message>& arrived = bench.nodes[1]->arrived;
  ASSERT_EQ(arrived.size(), 40U);
  for (std::size_t i = 0; i < arrived.size(); ++i) EXPECT_EQ(arrived[i].what.lane, i % 2);
}

TEST(routed_network, a_node_that_many_send_to_serves_them_in_turn) {
  routed_network_bench bench(configured(topology_kind::point_to_point), 5);
  for (std::uint32_t from = 1; from < 5; ++from) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      bench.nodes[from]->offer(transfer(from, 0, 0, line, i), 1);
    }
  }
  bench.run_until(20000);
  const std::vector<seen_message>& arrived = bench.nodes[0]->arrived;
  ASSERT_EQ(arrived.size(), 200U);
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    EXPECT_EQ(index(arrived[i].what.source), i % 4 + 1);
    if (i > 0) {
      EXPECT_EQ(arrived[i].cycle - arrived[i - 1].cycle, 40U);
    }
  }
}

/// Sources of what node 0 of four got, in order. Node 3 sends a line first, which is on the link to
/// node 0 from cycle 11 to 51; the others send behind it and wait there.
std::vector<std::uint32_t> served(const std::vector<seen_message>& behind,
                                  std::uint32_t nodes_per_router = 1) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.nodes_per_router = nodes_per_router;
  routed_network_bench bench(config, 4);
  bench.nodes[3]->offer(transfer(3, 0), 1);
  for (const seen_message& each : behind) {
    bench.nodes[index(each.what.source)]->offer(each.what, each.cycle);
  }
  bench.run_until(500);
  std::vector<std::uint32_t> sources;
  for (const seen_message& each : bench.nodes[0]->arrived) {
    sources.push_back(index(each.what.source));
  }
  return sources;
}

TEST(routed_network, each_node_of_a_router_is_an_input_with_turns_of_its_own) {
  EXPECT_EQ(
      served({{2, transfer(1, 0, 0, 0)}, {10, transfer(1, 0, 0, 0)}, {20, transfer(2, 0, 0, 0)}},
             4),
      (std::vector<std::uint32_t>{3, 1, 2, 1}))
      << "node 1's second message came before node 2's";
}

TEST(routed_network, a_lane_has_its_turn_before_older_messages_of_another) {
  EXPECT_EQ(served({{2, transfer(1, 0, 0)}, {20, transfer(2, 0, 1)}}),
            (std::vector<std::uint32_t>{3, 2, 1}))
      << "the turn is lane 1's, whose message came later";
}

TEST(routed_network, an_input_has_its_turn_before_older_messages_of_another) {
  EXPECT_EQ(
      served({{2, transfer(1, 0, 0, 0)}, {10, transfer(1, 0, 0, 0)}, {20, transfer(2, 0, 0, 0)}}),
      (std::vector<std::uint32_t>{3, 1, 2, 1}))
      << "node 1's second message came before node 2's";
}

// While a lane waits for a place, messages of others cross; the turn within the lane stays.
TEST(routed_network, inputs_of_a_lane_take_turns_although_another_lane_goes_between) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.endpoint_buffers = 1;
  routed_network_bench bench(config, 4);
  bench.nodes[0]->delay = [](const network_transfer& what) {
    return what.lane == 0 ? cycle_t{150} : cycle_t{0};
  };
  for (std::uint32_t i = 0; i < 200; ++i) {
    bench.nodes[1]->offer(transfer(1, 0, 1), 1);
    bench.nodes[2]->offer(transfer(2, 0, 0), 1);
    bench.nodes[3]->offer(transfer(3, 0, 0), 1);
  }
  bench.run_until(5000);
  std::vector<std::uint32_t> sources;
  for (const seen_message& each : bench.nodes[0]->arrived) {
    if (each.what.lane == 0) sources.push_back(index(each.what.source));
  }
  ASSERT_GT(sources.size(), 20U);
  for (std::size_t i = 1; i < sources.size(); ++i) {
    EXPECT_NE(sources[i], sources[i - 1]) << "at message " << i << " of lane 0";
  }
}

TEST(routed_network, messages_that_wait_at_an_input_keep_their_order) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.endpoint_buffers = 1;
  routed_network_bench bench(config, 2);
  bench.nodes[0]->delay = [](const network_transfer&) { return cycle_t{500}; };
  for (std::uint32_t i = 0; i < 8; ++i) bench.nodes[1]->offer(transfer(1, 0, 0, 0, i), 1);
  bench.run_until(10000);
  const std::vector<seen_message>& arrived = bench.nodes[0]->arrived;
  ASSERT_EQ(arrived.size(), 8U);
  for (std::size_t i = 0; i < arrived.size(); ++i) EXPECT_EQ(arrived[i].what.cargo, i);
}

TEST(routed_network, buffers_fill_and_push_back_to_the_source) {
  message_network_config config = configured(topology_kind::mesh);
  config.router_buffers = 3;
  config.endpoint_buffers = 5;
  routed_network_bench bench(config, 4);  // 0 - 1 over 2 - 3
  bench.nodes[1]->delay = [](const network_transfer& what) {
    return what.lane == 0 ? cycle_t{100000} : cycle_t{0};
  };
  for (std::uint32_t i = 0; i < 40; ++i) {
    bench.nodes[0]->offer(transfer(0, 1, 0, line, i), 1);
    bench.nodes[0]->offer(transfer(0, 1, 1, line, i), 5000);
  }
  bench.run_until(4999);
  // Five in the node, three in each of the two routers.
  EXPECT_EQ(bench.nodes[0]->sent.size(), 11U);
  EXPECT_EQ(bench.nodes[1]->arrived.size(), 5U);
  EXPECT_FALSE(bench.network.ready(node_id{0}, 0, bench.now));
  EXPECT_TRUE(bench.network.ready(node_id{0}, 1, bench.now));
  EXPECT_FALSE(bench.network.idle());
  EXPECT_EQ(bench.network.under_way(), 6U);
  // Nothing moves any more, and nothing is asked for.
  EXPECT_EQ(bench.network.next_wakeup(), never);
  // The other lane still has the whole link.
  bench.run_until(7000);
  EXPECT_EQ(bench.nodes[1]->arrived.size(), 45U);
  EXPECT_EQ(bench.nodes[1]->arrived.back().cycle, 5000U + 39 * 40 + 18);
  // After the node has taken them, the rest follows.
  bench.run_until(1000000);
  EXPECT_EQ(bench.nodes[1]->arrived.size(), 80U);
  EXPECT_TRUE(bench.idle());
}

TEST(routed_network, a_message_for_elsewhere_passes_one_that_waits) {
  message_network_config config = configured(topology_kind::mesh);
  config.columns = 4;
  config.endpoint_buffers = 1;
  routed_network_bench bench(config, 4);  // a row
  bench.nodes[1]->delay = [](const network_transfer&) { return cycle_t{100000}; };
  bench.nodes[0]->offer(transfer(0, 1, 0, line, 1), 1);
  bench.nodes[0]->offer(transfer(0, 1, 0, line, 2), 1);
  bench.nodes[0]->offer(transfer(0, 2, 0, line, 3), 1);
  bench.run_until(1000);
  EXPECT_EQ(bench.nodes[1]->arrived.size(), 1U);
  ASSERT_EQ(bench.nodes[2]->arrived.size(), 1U);
  EXPECT_EQ(bench.nodes[2]->arrived[0].cycle, 1U + 2 * 40 + 20);
}

TEST(routed_network, tells_what_a_node_did_wrong) {
  routed_network_bench bench(configured(topology_kind::point_to_point), 2);
  routed_network& network = bench.network;
  EXPECT_TRUE(testing::names(testing::failure([&] { network.send(transfer(0, 1, 0, 129), 5); }),
                             {"network, cycle 5", "lane 0", "node 0", "129", "128"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { network.send(transfer(0, 2), 5); }),
                             {"network, cycle 5", "lane 0", "node 2"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { network.send(transfer(0, 1, 4), 5); }),
                             {"network, cycle 5", "lane 4", "node 0"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { network.give_back(node_id{1}, 2, 6); }),
                             {"network, cycle 6", "lane 2", "node 1"}));
  network.send(transfer(0, 1), 7);
  EXPECT_TRUE(testing::names(testing::failure([&] { network.send(transfer(0, 1, 1), 46); }),
                             {"network, cycle 46", "lane 1", "node 0"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { network.give_back(node_id{1}, 0, 8); }),
                             {"network, cycle 8", "lane 0", "node 1"}));
  EXPECT_TRUE(network.ready(node_id{0}, 1, 47));
  EXPECT_EQ(network.free_at(node_id{0}), 47U);

  routed_network alone(configured(topology_kind::point_to_point), 2);
  alone.send(transfer(0, 1), 1);
  EXPECT_TRUE(testing::names(testing::failure([&] { alone.advance_to(100); }),
                             {"network, cycle 11", "node 1"}));
}

TEST(routed_network, counts_by_lane_and_link) {
  routed_network_bench bench(configured(topology_kind::point_to_point), 2);
  for (std::uint32_t i = 0; i < 10; ++i) {
    bench.nodes[0]->offer(transfer(0, 1, 0, line, i), 1);
    bench.nodes[1]->offer(transfer(1, 0, 1, 8, i), 1 + 20 * i);
  }
  bench.run_until(1000);
  const statistics_tree tree = testing::report_of(bench.network);
  EXPECT_EQ(tree.find("messages"), 20);
  EXPECT_EQ(tree.find("payload"), 10 * 128 + 10 * 8);
  EXPECT_EQ(tree.find("lane.0.messages"), 10);
  EXPECT_EQ(tree.find("lane.0.payload"), 1280);
  EXPECT_EQ(tree.find("lane.1.payload"), 80);
  EXPECT_EQ(tree.find("latency.mean"), 18);
  EXPECT_EQ(tree.find("waiting.max"), 0);
  EXPECT_EQ(tree.find("hops.mean"), 1);
  EXPECT_NEAR(tree.find("utilisation.hop.max"), 0.4, 1e-9);
  EXPECT_NEAR(tree.find("utilisation.hop.min"), 0.1, 1e-9);
  EXPECT_NEAR(tree.find("utilisation.injection.mean"), 0.25, 1e-9);
  EXPECT_NEAR(tree.find("utilisation.ejection.max"), 0.4, 1e-9);
}

TEST(routed_network, counts_from_the_reset_of_the_statistics_on) {
  routed_network_bench bench(configured(topology_kind::point_to_point), 2);
  bench.nodes[0]->offer(transfer(0, 1), 91);  // on the middle link from 99 to 139
  bench.run_until(100);
  bench.network.reset_statistics();
  bench.run_until(120);
  const statistics_tree half = testing::report_of(bench.network);
  EXPECT_NEAR(half.find("utilisation.hop.max"), 1.0, 1e-9);
  EXPECT_EQ(half.find("messages"), 1);
  bench.run_until(178);
  const statistics_tree whole = testing::report_of(bench.network);
  EXPECT_NEAR(whole.find("utilisation.hop.max"), 0.5, 1e-9);
}

TEST(routed_network, parameters_have_the_published_values) {
  message_network_config config;
  parameter_set parameters = parameter_set::of(config);
  parameters.set("topology", "hypercube");
  parameters.set("bandwidth", "800");
  EXPECT_EQ(config.topology, topology_kind::hypercube);
  config.validate(8);
  EXPECT_THROW(config.validate(12), configuration_error);
  parameters.set("nodes_per_router", "3");
  config.validate(12);
  EXPECT_THROW(config.validate(8), configuration_error);
  EXPECT_THROW(parameters.set("nodes_per_router", "9"), configuration_error);
  parameters.set("nodes_per_router", "1");
  EXPECT_THROW(parameters.set("base_latency", "1"), configuration_error);
  config.router_buffers = 0;
  EXPECT_THROW(config.validate(8), configuration_error);
  EXPECT_THROW(routed_network(config, 8), configuration_error);
}

// Buffers in bytes.

TEST(routed_network, a_message_of_64_kilobytes_travels) {
  message_network_config config = configured(topology_kind::mesh);
  config.payload_bytes = 65536;
  config.router_buffer_bytes = 65536 + 32;
  config.endpoint_buffer_bytes = 65536 + 32;
  for (const switching_kind kind :
       {switching_kind::cut_through, switching_kind::store_and_forward}) {
    config.switching = kind;
    routed_network_bench bench(config, 4);  // two hops to node 3
    bench.nodes[0]->offer(transfer(0, 3, 0, 65536, 1), 1);
    bench.nodes[0]->offer(transfer(0, 3, 0, 65536, 2), 1);
    bench.run_until(200000);
    const std::vector<seen_message>& arrived = bench.nodes[3]->arrived;
    ASSERT_EQ(arrived.size(), 2U);
    const cycle_t wire = (65536 + 32) / 4;
    const bool stores = kind == switching_kind::store_and_forward;
    EXPECT_EQ(arrived[0].cycle, 1 + 20 + (stores ? 3 * wire : 0));
    EXPECT_EQ(arrived[0].what.bytes, 65536U);
    EXPECT_EQ(bench.nodes[3]->tails[0], arrived[0].cycle + wire);
    EXPECT_EQ(testing::report_of(bench.network).find("payload"), 2 * 65536);
    EXPECT_TRUE(bench.idle());
  }
}

TEST(routed_network, a_long_message_waits_for_bytes_and_other_lanes_pass) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.payload_bytes = 1000;
  config.endpoint_buffer_bytes = 1100;
  testing::link_checker checker(config);
  routed_network_bench bench(config, 2);
  bench.network.observers().attach(checker);
  bench.nodes[1]->delay = [](const network_transfer&) { return cycle_t{3000}; };
  bench.nodes[1]->taken = [&](const network_transfer& message, cycle_t now) {
    checker.given_back(message, now);
  };
  bench.nodes[0]->offer(transfer(0, 1, 0, 100, 1), 1);
  bench.nodes[0]->offer(transfer(0, 1, 0, 1000, 2), 1);
  bench.nodes[0]->offer(transfer(0, 1, 0, 8, 3), 1);
  for (std::uint32_t i = 0; i < 4; ++i) bench.nodes[0]->offer(transfer(0, 1, 1, 100, 4 + i), 1);
  bench.run_until(2900);
  std::vector<std::uint64_t> early;
  for (const seen_message& each : bench.nodes[1]->arrived) early.push_back(each.what.cargo);
  EXPECT_EQ(early, (std::vector<std::uint64_t>{1, 4, 5, 6, 7}))
      << "2 has no room beside 1, and 3 keeps its order";
  bench.run_until(20000);
  const std::vector<seen_message>& arrived = bench.nodes[1]->arrived;
  ASSERT_EQ(arrived.size(), 7U);
  EXPECT_EQ(arrived[5].what.cargo, 2U);
  // Node 1 gave the place of message 1 back 3000 cycles after its head had come; the link looks a
  // cycle later, and half of the base latency is behind it.
  EXPECT_EQ(arrived[5].cycle, arrived[0].cycle + 3000 + 1 + 8);
  EXPECT_EQ(arrived[6].what.cargo, 3U);
  EXPECT_TRUE(checker.complaints.empty()) << checker.complaints.front();
  EXPECT_EQ(checker.longest[link_kind::ejection], 1000U + 32 + 8 + 32);
}

TEST(routed_network, bytes_of_routers_push_back_to_the_source) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.endpoint_buffers = 1;
  for (const std::uint32_t bytes : {0U, 2 * (line + 32)}) {
    config.router_buffer_bytes = bytes;
    routed_network_bench bench(config, 2);
    bench.nodes[1]->delay = [](const network_transfer&) { return cycle_t{100000}; };
    for (std::uint32_t i = 0; i < 20; ++i) bench.nodes[0]->offer(transfer(0, 1, 0, line, i), 1);
    bench.run_until(5000);
    // One in the node, and in each of the two routers four, or two by bytes.
    EXPECT_EQ(bench.nodes[0]->sent.size(), bytes == 0 ? 9U : 5U);
    EXPECT_EQ(bench.network.next_wakeup(), never);
    bench.run_until(3000000);
    EXPECT_EQ(bench.nodes[1]->arrived.size(), 20U);
    EXPECT_TRUE(bench.idle());
  }
}

TEST(routed_network, refuses_buffers_and_capabilities_that_it_cannot_have) {
  const auto refused = [](const message_network_config& config, std::uint32_t nodes) {
    return testing::failure([&] { config.validate(nodes); });
  };
  message_network_config config = configured(topology_kind::mesh);
  config.router_buffer_bytes = 159;
  EXPECT_TRUE(testing::names(refused(config, 4), {"network.router_buffer_bytes", "159", "160"}));
  EXPECT_THROW(routed_network(config, 4), configuration_error);
  config.router_buffer_bytes = 160;
  config.validate(4);
  config.endpoint_buffer_bytes = 1;
  EXPECT_TRUE(testing::names(refused(config, 4), {"network.endpoint_buffer_bytes", "160"}));
  config.endpoint_buffer_bytes = 0;
  config.reorder_window = 65;
  EXPECT_TRUE(testing::names(refused(config, 4), {"reorder_window", "65", "0 to 64"}));
  config.reorder_window = 0;
  config.broadcast = true;
  config.broadcast_self = false;
  config.validate(4);
  EXPECT_TRUE(testing::names(refused(config, 1), {"network.broadcast_self"}));
  EXPECT_TRUE(testing::names(testing::failure([] { require_order(4, "the protocols of these"); }),
                             {"network.reorder_window", "4", "the protocols of these"}));
  require_order(0, "the protocols of these");
}

// Messages for everyone.

network_transfer to_everyone(std::uint32_t from, std::uint8_t lane = 0, std::uint32_t bytes = line,
                             std::uint64_t cargo = 0) {
  network_transfer what = transfer(from, from, lane, bytes, cargo);
  what.everyone = true;
  return what;
}

constexpr auto graphs = {topology_kind::point_to_point, topology_kind::mesh,
                         topology_kind::hypercube};

message_network_config broadcasting(topology_kind kind) {
  message_network_config config = configured(kind);
  config.broadcast = true;
  return config;
}

TEST(routed_network, a_message_for_everyone_comes_to_each_node_as_one_alone_would) {
  for (const topology_kind kind : graphs) {
    for (const std::uint32_t nodes_per_router : {1U, 2U}) {
      for (const bool self : {true, false}) {
        message_network_config config = broadcasting(kind);
        config.nodes_per_router = nodes_per_router;
        config.broadcast_self = self;
        routed_network_bench bench(config, 8);
        bench.nodes[5]->offer(to_everyone(5, 1, line, 77), 10);
        bench.run_until(1000);
        for (std::uint32_t n = 0; n < 8; ++n) {
          const std::vector<seen_message>& arrived = bench.nodes[n]->arrived;
          ASSERT_EQ(arrived.size(), n != 5 || self ? 1U : 0U) << "node " << n;
          if (arrived.empty()) continue;
          EXPECT_EQ(arrived[0].what.cargo, 77U);
          EXPECT_EQ(arrived[0].what.source, node_id{5});
          EXPECT_EQ(arrived[0].what.destination, node_id{n});
          EXPECT_TRUE(arrived[0].what.everyone);
          EXPECT_EQ(arrived[0].cycle,
                    10 + bench.network.least_latency(node_id{5}, node_id{n}, line));
        }
        EXPECT_TRUE(bench.idle());
        const statistics_tree tree = testing::report_of(bench.network);
        EXPECT_EQ(tree.find("messages"), 1);
        EXPECT_EQ(tree.find("payload"), 128);
        EXPECT_EQ(tree.find("broadcasts"), 1);
        EXPECT_EQ(tree.find("copies"), self ? 8 : 7);
        EXPECT_NEAR(tree.find("utilisation.injection.max"), 40 / 1000.0, 1e-9);
        EXPECT_NEAR(tree.find("utilisation.hop.max"), 40 / 1000.0, 1e-9) << "once over each link";
      }
    }
  }
}

TEST(routed_network, a_receiver_without_room_keeps_only_its_own_copy_back) {
  message_network_config config = broadcasting(topology_kind::point_to_point);
  config.endpoint_buffers = 1;
  routed_network_bench bench(config, 4);
  bench.nodes[1]->delay = [](const network_transfer&) { return cycle_t{1000}; };
  bench.nodes[0]->offer(transfer(0, 1, 0, line, 1), 1);
  bench.nodes[0]->offer(to_everyone(0, 0, line, 2), 1);
  bench.nodes[0]->offer(transfer(0, 2, 0, line, 3), 1);
  bench.nodes[0]->offer(transfer(0, 1, 0, line, 4), 1);
  bench.run_until(900);
  const auto came = [&](std::uint32_t node) {
    std::vector<std::uint64_t> all;
    for (const seen_message& each : bench.nodes[node]->arrived) all.push_back(each.what.cargo);
    return all;
  };
  EXPECT_EQ(came(0), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(came(1), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(came(2), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(came(3), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(bench.network.under_way(), 2U) << "2, of which a copy is missing, and 4";
  EXPECT_EQ(testing::report_of(bench.network).find("messages"), 2);
  bench.run_until(10000);
  EXPECT_EQ(came(1), (std::vector<std::uint64_t>{1, 2, 4}));
  EXPECT_TRUE(bench.idle());
}

TEST(routed_network, no_copy_is_lost_where_buffers_are_tiny) {
  for (const topology_kind kind : graphs) {
    for (const bool self : {true, false}) {
      message_network_config config = broadcasting(kind);
      config.broadcast_self = self;
      config.router_buffers = 1;
      config.endpoint_buffers = 1;
      config.router_buffer_bytes = line + 32;
      config.endpoint_buffer_bytes = line + 32;
      constexpr std::uint32_t nodes = 8;
      constexpr std::uint32_t messages = 20;
      testing::link_checker checker(config, nodes);
      routed_network_bench bench(config, nodes);
      bench.network.observers().attach(checker);
      for (std::uint32_t n = 0; n < nodes; ++n) {
        bench.nodes[n]->delay = [n](const network_transfer& what) {
          return cycle_t{(what.cargo * 37 + n * 11) % 300};
        };
        bench.nodes[n]->taken = [&checker](const network_transfer& message, cycle_t now) {
          checker.given_back(message, now);
        };
        for (std::uint32_t i = 0; i < messages; ++i) {
          const std::uint64_t cargo = n * messages + i;
          bench.nodes[n]->offer(to_everyone(n, static_cast<std::uint8_t>(i % 2), line, cargo), 1);
        }
      }
      bench.run_until(200000);
      EXPECT_TRUE(bench.idle());
      EXPECT_TRUE(checker.complaints.empty()) << checker.complaints.front();
      for (std::uint32_t n = 0; n < nodes; ++n) {
        std::vector<std::uint32_t> copies(std::size_t{nodes} * messages);
        std::vector<std::int64_t> last(std::size_t{nodes} * 2, -1);
        for (const seen_message& each : bench.nodes[n]->arrived) {
          ++copies[each.what.cargo];
          std::int64_t& before = last[index(each.what.source) * 2 + each.what.lane];
          EXPECT_LT(before, static_cast<std::int64_t>(each.what.cargo)) << "out of order";
          before = static_cast<std::int64_t>(each.what.cargo);
        }
        for (std::size_t cargo = 0; cargo < copies.size(); ++cargo) {
          EXPECT_EQ(copies[cargo], cargo / messages != n || self ? 1U : 0U)
              << "message " << cargo << " at node " << n;
        }
      }
    }
  }
}

TEST(routed_network, refuses_a_message_for_everyone_that_it_does_not_declare) {
  routed_network network(configured(topology_kind::point_to_point), 2);
  EXPECT_THROW(network.send(to_everyone(0), 5), simulation_error);
  EXPECT_TRUE(testing::names(testing::failure([&] { network.send(to_everyone(0), 5); }),
                             {"network, cycle 5", "lane 0", "node 0", "network.broadcast"}));
  EXPECT_FALSE(node_port(network, node_id{0}).broadcasts());
  EXPECT_EQ(node_port(network, node_id{0}).reorder_window(), 0U);
}

TEST(routed_network, a_port_tells_what_the_network_declares) {
  message_network_config config = broadcasting(topology_kind::point_to_point);
  config.reorder_window = 7;
  config.payload_bytes = 999;
  routed_network all(config, 3);
  EXPECT_TRUE(node_port(all, node_id{0}).broadcasts());
  EXPECT_EQ(node_port(all, node_id{0}).copies(), 3U);
  EXPECT_EQ(node_port(all, node_id{0}).reorder_window(), 7U);
  EXPECT_EQ(node_port(all, node_id{0}).payload_bytes(), 999U);
  config.broadcast_self = false;
  routed_network others(config, 3);
  EXPECT_EQ(node_port(others, node_id{0}).copies(), 2U);
}

// Messages that overtake each other.

/// For each lane, in which order the messages of node 0 came to node 1: their numbers as sent.
std::vector<std::vector<std::size_t>> order_of_streams(const message_network_config& config,
                                                       double* overtakings = nullptr) {
  routed_network_bench bench(config, 2);
  for (std::uint32_t i = 0; i < 200; ++i) {
    bench.nodes[0]->offer(transfer(0, 1, static_cast<std::uint8_t>(i % 2), 8 * (i % 7), i / 2), 1);
  }
  bench.run_until(200000);
  EXPECT_TRUE(bench.idle());
  std::vector<std::vector<std::size_t>> came(2);
  for (const seen_message& each : bench.nodes[1]->arrived) {
    came[each.what.lane].push_back(static_cast<std::size_t>(each.what.cargo));
  }
  if (overtakings != nullptr) *overtakings = testing::report_of(bench.network).find("overtakings");
  return came;
}

TEST(routed_network, messages_overtake_each_other_within_the_window) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.router_buffers = 80;
  for (const std::uint32_t window : {0U, 1U, 2U, 8U, 64U}) {
    config.reorder_window = window;
    double overtakings = 0;
    const auto came = order_of_streams(config, window == 0 ? nullptr : &overtakings);
    EXPECT_EQ(overtakings > 0, window > 0);
    for (const auto& order : came) {
      ASSERT_EQ(order.size(), 100U);
      const testing::overtaking most = testing::most_overtaking(order);
      EXPECT_LE(most.overtaken, window);
      EXPECT_LE(most.overtook, window);
      EXPECT_EQ(most.overtaken > 0, window > 0) << "window " << window;
      // A larger window lets more pass.
      EXPECT_GE(most.overtaken, std::min((window + 2) / 3, 9U)) << "window " << window;
    }
  }
}

TEST(routed_network, which_messages_overtake_depends_on_the_seed_alone) {
  message_network_config config = configured(topology_kind::point_to_point);
  config.reorder_window = 4;
  const auto first = order_of_streams(config);
  EXPECT_EQ(first, order_of_streams(config));
  config.reorder_seed = 2;
  EXPECT_NE(first, order_of_streams(config));
}

// Save and restore.

/// Everything that arrives, from all nodes to all: messages for everyone and for one, long and
/// short. At `move`, if it is not 0, the nodes go on with a network restored from the state.
std::vector<std::vector<seen_message>> arrivals(const message_network_config& config,
                                                cycle_t move) {
  constexpr std::uint32_t nodes = 8;
  routed_network_bench bench(config, nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    bench.nodes[n]->delay = [n](const network_transfer& what) {
      return cycle_t{(what.cargo * 37 + n * 11) % 100};
    };
    for (std::uint32_t i = 0; i < 30; ++i) {
      const auto lane = static_cast<std::uint8_t>(i % 3);
      const std::uint32_t bytes = i % 2 == 0 ? 8 : line;
      const std::uint64_t cargo = n * 100 + i;
      bench.nodes[n]->offer(config.broadcast && i % 5 == 0
                                ? to_everyone(n, lane, bytes, cargo)
                                : transfer(n, (n + i / 4) % nodes, lane, bytes, cargo),
                            1);
    }
  }
  routed_network second(config, nodes);
  message_network* network = &bench.network;
  cycle_t now = 0;
  while (now < 30000) {
    ++now;
    network->advance_to(now);
    for (const auto& node : bench.nodes) node->step(now);
    if (now != move) continue;
    EXPECT_FALSE(network->idle());
    second.restore(bench.network.save());
    EXPECT_EQ(second.save(), bench.network.save());
    network = &second;
    for (const auto& node : bench.nodes) node->move_to(second);
  }
  EXPECT_TRUE(network->idle());
  std::vector<std::vector<seen_message>> all;
  for (const auto& node : bench.nodes) all.push_back(node->arrived);
  return all;
}

TEST(routed_network, goes_on_from_a_saved_state_in_the_middle_of_everything) {
  for (const topology_kind kind : {topology_kind::point_to_point, topology_kind::mesh}) {
    for (const std::uint32_t window : {0U, 8U}) {
      message_network_config config = broadcasting(kind);
      config.reorder_window = window;
      config.router_buffers = 3;
      config.endpoint_buffers = 2;
      config.router_buffer_bytes = line + 100;
      config.endpoint_buffer_bytes = line + 50;
      const auto expected = arrivals(config, 0);
      for (const cycle_t move : {50U, 333U, 700U}) {
        const auto came = arrivals(config, move);
        for (std::size_t n = 0; n < expected.size(); ++n) {
          ASSERT_EQ(came[n].size(), expected[n].size());
          for (std::size_t i = 0; i < came[n].size(); ++i) {
            EXPECT_EQ(came[n][i].cycle, expected[n][i].cycle);
            EXPECT_EQ(came[n][i].what.cargo, expected[n][i].what.cargo);
          }
        }
      }
    }
  }
}

TEST(routed_network, refuses_the_state_of_a_network_with_other_buffers) {
  message_network_config config = configured(topology_kind::point_to_point);
  const routed_network plain(config, 2);
  config.endpoint_buffer_bytes = 160;
  routed_network by_bytes(config, 2);
  EXPECT_THROW(by_bytes.restore(plain.save()), input_error);
  config.endpoint_buffer_bytes = 0;
  config.reorder_window = 1;
  routed_network reorders(config, 2);
  EXPECT_THROW(reorders.restore(plain.save()), input_error);
}

/// Lines delivered per node and 40 cycles under uniform random traffic, all nodes sending always.
double saturation(const message_network_config& config, std::uint32_t nodes, std::uint8_t lanes) {
  routed_network_bench bench(config, nodes);
  const cycle_t warm_up = 8000;
  const cycle_t end = 24000;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    random_stream random(7, n, 0U);
    for (std::uint32_t i = 0; i < end / 40; ++i) {
      auto to = static_cast<std::uint32_t>(random.below(nodes - 1));
      if (to >= n) ++to;
      bench.nodes[n]->offer(transfer(n, to, static_cast<std::uint8_t>(i % lanes)), 1);
    }
  }
  bench.run_until(end);
  std::uint64_t delivered = 0;
  for (const auto& node : bench.nodes) {
    for (const seen_message& each : node->arrived) delivered += each.cycle > warm_up ? 1 : 0;
  }
  return static_cast<double>(delivered) * 40.0 / static_cast<double>(end - warm_up) / nodes;
}

/// What the links between the halves, and those of the nodes, allow at most, in the same unit.
double bound(std::uint32_t nodes, double bisection_links) {
  const double crossing = nodes / 2.0 * (nodes / 2.0) / (nodes - 1);  // messages a round, one way
  return std::min(1.0, bisection_links / crossing);
}

// What is reached (docs/models/routed_network.md) is more than what is asked for. In the bristled
// cube the links between routers are as busy as those of the nodes.
TEST(routed_network, saturates_near_the_bound_of_its_bisection) {
  struct machine {
    const char* name;
    topology_kind kind;
    std::uint32_t nodes;
    double bisection_links;  // of one direction
    std::uint32_t nodes_per_router = 1;
    double least = 0.8;
  };
  for (const machine& each :
       {machine{"mesh_16", topology_kind::mesh, 16, 4},
        machine{"mesh_64", topology_kind::mesh, 64, 8},
        machine{"hypercube_64", topology_kind::hypercube, 64, 32},
        machine{"bristled_hypercube_64", topology_kind::hypercube, 64, 16, 2, 0.75},
        machine{"point_to_point_16", topology_kind::point_to_point, 16, 64}}) {
    for (const std::uint8_t lanes : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}}) {
      message_network_config config = configured(each.kind);
      config.nodes_per_router = each.nodes_per_router;
      const double most = bound(each.nodes, each.bisection_links);
      const double part = saturation(config, each.nodes, lanes) / most;
      RecordProperty(std::string(each.name) + "_lanes_" + std::to_string(lanes),
                     std::to_string(part));
      EXPECT_LE(part, 1.01) << each.name << ", " << int{lanes} << " lanes";
      EXPECT_GE(part, each.least) << each.name << ", " << int{lanes} << " lanes";
    }
  }
}

}  // namespace
}  // namespace tributary
