// SPDX-License-Identifier: Apache-2.0
// A fabric of line cards: latencies by hand, its queues, copies for everyone, checkpoints.
#include <tributary/network/switching/fabric_network.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/sim/error.h>

#include "support/routed_network_bench.h"

namespace tributary {
namespace {

using testing::bench_node;

/// Gigabit Ethernet in cycles of 30 ns.
message_network_config ethernet() {
  message_network_config config;
  config.clock.period = 30000;
  config.lanes = 2;
  config.bandwidth = 125;
  config.header_bytes = 26;
  config.payload_bytes = 2048;
  config.least_payload = 46;
  config.gap_bytes = 12;
  config.base_latency = 5;
  config.hop_latency = 1;
  config.router_buffers = 8;
  config.endpoint_buffers = 8;
  return config;
}

fabric_config without_ports() {
  fabric_config fabric;
  fabric.ports = false;
  return fabric;
}

/// Quadrants of five line cards with two hosts each, three of them whole.
std::shared_ptr<const network_graph> sixteen_cards() {
  grid_config grid;
  grid.sizes = {5, 2, 2};
  grid.wraps = true;
  grid.hosts_per_switch = 2;
  grid.equipped = 16;
  return std::make_shared<const network_graph>(grid_graph(grid));
}

/// A fabric and a node at each place.
struct fabric_bench {
  fabric_bench(const message_network_config& config, const fabric_config& fabric)
      : network(config, fabric, sixteen_cards()) {
    for (std::uint32_t n = 0; n < network.nodes(); ++n) {
      nodes.push_back(std::make_unique<bench_node>(network, node_id{n}));
    }
  }

  void offer(std::uint32_t from, std::uint32_t to, std::uint32_t bytes, cycle_t at,
             std::uint8_t lane = 0) {
    nodes[from]->offer({node_id{from}, node_id{to}, lane, bytes, ++cargo}, at);
  }
  void run_until(cycle_t last) {
    while (now < last) {
      network.advance_to(++now);
      for (const auto& each : nodes) each->step(now);
    }
  }
  /// The cycles in which messages were whole at a node, in the order in which they came.
  std::vector<cycle_t> tails(std::uint32_t node) const { return nodes[node]->tails; }
  /// What came to a node, by `cargo`.
  std::vector<std::uint64_t> came(std::uint32_t node) const {
    std::vector<std::uint64_t> all;
    for (const auto& each : nodes[node]->arrived) all.push_back(each.what.cargo);
    return all;
  }

  fabric_network network;
  std::vector<std::unique_ptr<bench_node>> nodes;
  cycle_t now = 0;
  std::uint64_t cargo = 0;
};

using cycles = std::vector<cycle_t>;

TEST(fabric_network, a_unit_takes_the_published_times) {
  // 180 ns on a line card, 330 ns at most; 60 ns more to leave it, and 30 a link.
  fabric_bench bench(ethernet(), without_ports());
  bench.offer(0, 1, 1, 1);
  bench.offer(2, 4, 1, 1);    // cards 1 and 2
  bench.offer(8, 10, 1, 1);   // the last card of a quadrant and the first of the next
  bench.offer(18, 20, 1, 1);  // the same over a quadrant between them
  bench.offer(30, 5, 1, 1);   // the last card
  bench.run_until(100);
  EXPECT_EQ(bench.tails(1), cycles{1 + 6});
  EXPECT_EQ(bench.tails(4), cycles{1 + 6 + 2 + 1});
  EXPECT_EQ(bench.tails(10), cycles{1 + 6 + 2 + 2});
  EXPECT_EQ(bench.tails(20), cycles{1 + 6 + 2 + 3});
  EXPECT_EQ(bench.network.hops(node_id{30}, node_id{5}), 4U);
  EXPECT_EQ(bench.tails(5), cycles{1 + 6 + 2 + 4});
  EXPECT_TRUE(bench.network.idle());
}

TEST(fabric_network, a_message_takes_a_cycle_for_each_unit) {
  for (const auto& [bytes, units] : std::vector<std::pair<std::uint32_t, cycle_t>>{
           {0, 1}, {1, 1}, {69, 1}, {70, 2}, {138, 2}, {139, 3}, {2048, 30}}) {
    fabric_bench bench(ethernet(), without_ports());
    bench.offer(0, 1, bytes, 1);
    bench.run_until(100);
    EXPECT_EQ(bench.tails(1), cycles{1 + 5 + units}) << bytes;
    EXPECT_EQ(bench.network.wire_cycles(bytes), units) << bytes;
  }
}

TEST(fabric_network, ports_keep_a_frame_on_the_way_in_and_out) {
  // 72 bytes at 8 ns are 19.2 cycles, so 20; 154 are 41.07; with 22 bytes around them 46 and 128
  // make one unit and three.
  fabric_bench bench(ethernet(), fabric_config());
  bench.offer(0, 1, 32, 1);
  bench.offer(2, 4, 128, 1);
  bench.run_until(200);
  EXPECT_EQ(bench.tails(1), cycles{1 + 20 + 5 + 1 + 20});
  EXPECT_EQ(bench.tails(4), cycles{1 + 42 + 5 + 3 + 3 + 42});
  EXPECT_EQ(bench.network.least_latency(node_id{2}, node_id{4}, 128), 42U + 5 + 3 + 3);
}

TEST(fabric_network, an_output_serves_message_behind_message) {
  fabric_bench bench(ethernet(), without_ports());
  bench.offer(1, 0, 690, 1);  // ten units each; equals by node
  bench.offer(3, 2, 690, 1);
  bench.offer(5, 0, 690, 1);
  bench.offer(4, 0, 690, 1);
  bench.run_until(200);
  EXPECT_EQ(bench.tails(0), (cycles{1 + 15, 1 + 25, 1 + 35}));
  EXPECT_EQ(bench.came(0), (std::vector<std::uint64_t>{1, 4, 3}));
  EXPECT_EQ(bench.tails(2), cycles{1 + 15});
}

TEST(fabric_network, a_node_sends_one_message_after_the_other) {
  fabric_bench bench(ethernet(), without_ports());
  bench.offer(0, 1, 690, 1);
  bench.offer(0, 1, 690, 1);
  bench.run_until(200);
  EXPECT_EQ(bench.tails(1), (cycles{1 + 15, 1 + 25}));
  // The link of Ethernet rests for 12 bytes, 3.2 cycles and so 4.
  fabric_bench ports(ethernet(), fabric_config());
  ports.offer(0, 1, 32, 1);
  ports.offer(0, 1, 32, 1);
  ports.run_until(200);
  EXPECT_EQ(ports.tails(1), (cycles{1 + 46, 1 + 46 + 24}));
}

TEST(fabric_network, ports_rest_and_outputs_serve_one_frame_at_a_time) {
  fabric_bench out(ethernet(), fabric_config());
  out.offer(2, 1, 32, 1);  // both from cards one link away
  out.offer(8, 1, 32, 1);
  out.run_until(200);
  EXPECT_EQ(out.tails(1), (cycles{1 + 49, 1 + 49 + 24}));
  fabric_bench in(ethernet(), fabric_config());
  in.offer(0, 1, 32, 1);
  in.offer(0, 2, 32, 1);
  in.run_until(200);
  EXPECT_EQ(in.tails(2), cycles{1 + 24 + 49});
  // Links that are faster than the fabric: 690 and 22 bytes are eleven units.
  message_network_config fast = ethernet();
  fast.bandwidth = 100000;
  fabric_bench units(fast, fabric_config());
  units.offer(2, 1, 690, 1);
  units.offer(8, 1, 690, 1);
  units.run_until(200);
  EXPECT_EQ(units.tails(1), (cycles{1 + 1 + 5 + 3 + 11 + 1, 1 + 1 + 5 + 3 + 22 + 1}));
}

TEST(fabric_network, a_node_that_takes_nothing_keeps_back_no_other) {
  for (const bool ports : {false, true}) {
    message_network_config config = ethernet();
    config.router_buffers = 4;
    config.endpoint_buffers = 1;
    fabric_config fabric;
    fabric.ports = ports;
    fabric.connection_buffers = 1;
    fabric_bench bench(config, fabric);
    bench.nodes[1]->delay = [](const network_transfer& what) {
      return cycle_t{what.lane == 0 ? 2000U : 0U};
    };
    for (int i = 0; i < 3; ++i) bench.offer(0, 1, 69, 1);
    bench.offer(0, 2, 69, 1);
    bench.offer(0, 1, 69, 1, 1);
    bench.run_until(1000);
    // The first is at the node, the second has the connection's buffer, the third waits.
    EXPECT_EQ(bench.came(1), (std::vector<std::uint64_t>{1, 5})) << ports;
    EXPECT_EQ(bench.came(2), (std::vector<std::uint64_t>{4})) << ports;
    EXPECT_EQ(bench.network.under_way(), 2U) << ports;
    EXPECT_EQ(bench.network.waiting().size(), 2U) << ports;
    bench.run_until(10000);
    EXPECT_EQ(bench.came(1), (std::vector<std::uint64_t>{1, 5, 2, 3})) << ports;
    EXPECT_TRUE(bench.network.idle()) << ports;
  }
}

TEST(fabric_network, an_input_that_is_full_takes_no_more) {
  message_network_config config = ethernet();
  config.router_buffers = 1;
  config.endpoint_buffers = 1;
  fabric_config fabric = without_ports();
  fabric.connection_buffers = 1;
  fabric_bench bench(config, fabric);
  bench.nodes[1]->delay = [](const network_transfer&) { return cycle_t{1000}; };
  for (int i = 0; i < 5; ++i) bench.offer(0, 1, 69, 1);
  bench.run_until(500);
  // One at the node, one in the fabric, one at the input, two still with their sender.
  EXPECT_EQ(bench.nodes[0]->sent.size(), 3U);
  EXPECT_FALSE(bench.network.ready(node_id{0}, 0, 500));
  EXPECT_TRUE(bench.network.ready(node_id{0}, 1, 500));
  bench.run_until(20000);
  EXPECT_EQ(bench.came(1), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(fabric_network, a_message_for_everyone_enters_copy_by_copy) {
  for (const bool self : {false, true}) {
    message_network_config config = ethernet();
    config.broadcast = true;
    config.broadcast_self = self;
    fabric_bench bench(config, without_ports());
    network_transfer message{node_id{1}, node_id{1}, 0, 690, 77};
    message.everyone = true;
    bench.nodes[1]->offer(message, 1);
    bench.offer(1, 31, 69, 1);
    bench.run_until(1000);
    EXPECT_EQ(bench.tails(0), cycles{1 + 15});
    EXPECT_EQ(bench.came(1).size(), self ? 1U : 0U);
    // Node 31 is at card 15, two links from card 0; the copies before its own take ten each.
    const cycle_t last = 1 + 15 + 4 + 10 * (self ? 31 : 30);
    EXPECT_EQ(bench.tails(31), (cycles{last, last + 1})) << self;
    EXPECT_EQ(bench.came(31), (std::vector<std::uint64_t>{77, 1})) << self;
    EXPECT_TRUE(bench.network.idle());
  }
}

/// The key that the fabric refuses, or "nothing".
std::string refused_by_fabric(const std::function<void(message_network_config&)>& change) {
  message_network_config config = ethernet();
  change(config);
  try {
    fabric_network(config, fabric_config(), sixteen_cards());
  } catch (const configuration_error& refusal) {
    return refusal.problem() == nullptr ? refusal.what() : refusal.problem()->key;
  }
  return "nothing";
}

TEST(fabric_network, refuses_what_it_does_not_have) {
  using config = message_network_config;
  EXPECT_EQ(refused_by_fabric([](config&) {}), "nothing");
  EXPECT_EQ(refused_by_fabric([](config& c) { c.base_latency = 2; }), "network.base_latency");
  EXPECT_EQ(refused_by_fabric([](config& c) { c.router_latency = 1; }), "network.router_latency");
  EXPECT_EQ(refused_by_fabric([](config& c) { c.reorder_window = 1; }), "network.reorder_window");
  EXPECT_EQ(refused_by_fabric([](config& c) { c.router_buffer_bytes = 4096; }),
            "network.router_buffer_bytes");
  EXPECT_EQ(refused_by_fabric([](config& c) { c.endpoint_buffer_bytes = 4096; }),
            "network.endpoint_buffer_bytes");
  EXPECT_THROW(fabric_network(ethernet(), fabric_config(), nullptr), error);
  fabric_bench bench(ethernet(), fabric_config());
  EXPECT_THROW(bench.network.give_back(node_id{3}, 0, 1), simulation_error);
}

TEST(fabric_network, goes_on_from_a_checkpoint_of_any_cycle) {
  message_network_config config = ethernet();
  config.endpoint_buffers = 2;
  fabric_config fabric = without_ports();
  fabric.connection_buffers = 2;
  const auto offer_all = [](fabric_bench& bench) {
    for (std::uint32_t n = 1; n < 32; ++n) {
      for (int i = 0; i < 3; ++i) bench.offer(n, n % 3, 300, n);
    }
  };
  fabric_bench whole(config, fabric);
  offer_all(whole);
  whole.run_until(2000);
  ASSERT_TRUE(whole.network.idle());
  for (const cycle_t stop : {1U, 10U, 57U, 200U}) {
    fabric_bench bench(config, fabric);
    offer_all(bench);
    bench.run_until(stop);
    fabric_network other(config, fabric, sixteen_cards());
    other.restore(bench.network.save());
    EXPECT_EQ(other.save(), bench.network.save());
    for (const auto& each : bench.nodes) each->move_to(other);
    for (cycle_t now = stop + 1; now <= 2000; ++now) {
      other.advance_to(now);
      for (const auto& each : bench.nodes) each->step(now);
    }
    for (std::uint32_t n = 0; n < 3; ++n) {
      EXPECT_EQ(bench.tails(n), whole.tails(n)) << stop;
      EXPECT_EQ(bench.came(n), whole.came(n)) << stop;
    }
    EXPECT_TRUE(other.idle());
  }
  fabric_network narrow(config, fabric, std::make_shared<const network_graph>(ring_graph(4, 1)));
  EXPECT_THROW(narrow.restore(whole.network.save()), input_error);
}

}  // namespace
}  // namespace tributary
