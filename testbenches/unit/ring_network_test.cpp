// SPDX-License-Identifier: Apache-2.0
// The ring: its times, its one order, and that everything arrives.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/choice/network_choice.h>
#include <tributary/network/ring/ring_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/message_bench.h>
#include <support/sizes.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::bench_node;
using testing::failure;
using testing::message;
using testing::names;

message_network_config ring_of(std::uint32_t hop, std::uint32_t base) {
  message_network_config config;
  config.topology = topology_kind::ring;
  config.hop_latency = hop;
  config.base_latency = base;
  return config;
}

network_transfer for_everyone(std::uint32_t from, std::uint64_t cargo, std::uint32_t bytes = 0) {
  network_transfer made = message(from, 0, 0, cargo, bytes);
  made.everyone = true;
  return made;
}

using ring_bench = testing::message_bench<ring_network>;

TEST(ring_network, a_message_takes_its_links_and_what_is_for_everyone_begins_at_the_gate) {
  ring_bench b(ring_of(3, 10), 6);
  b.nodes[2].offer(message(2, 5, 1, 7), 100);
  b.nodes[5].offer(message(5, 1, 1, 8), 200);
  b.nodes[4].offer(for_everyone(4, 9), 300);
  b.run();
  ASSERT_EQ(b.nodes[5].arrived.size(), 2U);
  EXPECT_EQ(b.nodes[5].arrived[0].cycle, 100U + 1 + 3 * 3 + 10);
  ASSERT_EQ(b.nodes[1].arrived.size(), 2U);
  EXPECT_EQ(b.nodes[1].arrived[0].cycle, 200U + 1 + 2 * 3 + 10);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto& last = b.nodes[i].arrived.back();
    EXPECT_EQ(last.what.cargo, 9U);
    EXPECT_EQ(index(last.what.destination), i);
    EXPECT_EQ(last.cycle, 300U + 1 + 2 * 3 + i * 3 + 10) << "two links to the gate";
  }
}

/// One behind the other over the links that they share, and side by side over others.
TEST(ring_network, messages_hold_links_for_their_length) {
  message_network_config config = ring_of(1, 2);
  const std::uint64_t wire = config.wire_cycles(128);
  ring_bench b(config, 8);
  b.nodes[1].offer(message(1, 4, 1, 1, 128), 100);
  b.nodes[2].offer(message(2, 5, 1, 2, 128), 101);
  b.nodes[6].offer(message(6, 7, 1, 3, 128), 101);
  b.run();
  EXPECT_EQ(b.nodes[4].arrived.at(0).cycle, 100U + 1 + 3 + 2);
  // Link 2 is taken from cycle 102 on.
  EXPECT_EQ(b.nodes[5].arrived.at(0).cycle, 102 + wire + 3 + 2);
  EXPECT_EQ(b.nodes[7].arrived.at(0).cycle, 101U + 1 + 1 + 2);
}

struct random_traffic {
  ring_bench bench;

  explicit random_traffic(std::uint64_t seed) : bench(config_of(seed), nodes_of(seed)) {
    random_stream draws(seed, 1U, 3U);
    const std::uint32_t count = nodes_of(seed);
    for (bench_node& each : bench.nodes) {
      each.delay = [seed](const network_transfer& what) {
        return (what.cargo * 7 + seed + index(what.destination)) % 40;
      };
    }
    for (std::uint64_t cargo = 1; cargo <= 200; ++cargo) {
      const auto from = static_cast<std::uint32_t>(draws.below(count));
      const auto bytes = static_cast<std::uint32_t>(draws.below(3) * 32);
      const cycle_t at = 1 + draws.below(600);
      if (draws.below(2) == 0) {
        bench.nodes[from].offer(for_everyone(from, cargo, bytes), at);
      } else {
        const auto to = static_cast<std::uint32_t>(draws.below(count));
        const auto lane = static_cast<std::uint8_t>(draws.below(4));
        bench.nodes[from].offer(message(from, to, lane, cargo, bytes), at);
      }
    }
  }
  static std::uint32_t nodes_of(std::uint64_t seed) {
    return static_cast<std::uint32_t>(2 + seed % 8);
  }
  static message_network_config config_of(std::uint64_t seed) {
    message_network_config config =
        ring_of(static_cast<std::uint32_t>(1 + seed % 4), static_cast<std::uint32_t>(2 + seed % 9));
    config.endpoint_buffers = static_cast<std::uint32_t>(1 + seed % 3);
    config.router_buffers = static_cast<std::uint32_t>(1 + seed % 2);
    return config;
  }
};

/// Messages of a source, destination and lane.
std::vector<std::uint64_t> stream(const std::vector<testing::seen_message>& from,
                                  std::uint32_t source, std::uint32_t to, std::uint8_t lane) {
  std::vector<std::uint64_t> all;
  for (const auto& each : from) {
    const bool for_it = each.what.everyone || index(each.what.destination) == to;
    if (each.what.lane == lane && for_it && index(each.what.source) == source) {
      all.push_back(each.what.cargo);
    }
  }
  return all;
}

void expect_streams_in_order(const ring_bench& b, std::uint64_t seed) {
  const auto count = static_cast<std::uint32_t>(b.nodes.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      for (std::uint8_t lane = 0; lane < most_network_lanes; ++lane) {
        EXPECT_EQ(stream(b.nodes[to].arrived, from, to, lane),
                  stream(b.nodes[from].sent, from, to, lane))
            << "seed " << seed;
      }
    }
  }
}

TEST(ring_network, everything_arrives_once_and_what_is_for_everyone_in_one_order) {
  for (std::uint64_t seed = 1; seed <= testing::halved(40); ++seed) {
    random_traffic traffic(seed);
    traffic.bench.run();
    std::vector<std::vector<std::uint64_t>> orders;
    std::size_t sent = 0;
    std::size_t casts = 0;
    std::size_t arrived = 0;
    for (const bench_node& each : traffic.bench.nodes) {
      std::vector<std::uint64_t> order;
      for (const auto& came : each.arrived) {
        if (came.what.everyone) order.push_back(came.what.cargo);
      }
      orders.push_back(order);
      sent += each.sent.size();
      arrived += each.arrived.size();
      for (const auto& one : each.sent) casts += one.what.everyone ? 1 : 0;
    }
    expect_streams_in_order(traffic.bench, seed);
    const std::size_t count = traffic.bench.nodes.size();
    EXPECT_EQ(sent, 200U);
    EXPECT_EQ(arrived, sent - casts + casts * count);
    for (const auto& order : orders) EXPECT_EQ(order, orders[0]) << "seed " << seed;
  }
}

TEST(ring_network, a_restored_ring_goes_on_as_the_saved_one) {
  const auto arrivals = [](bool restored) {
    random_traffic traffic(5);
    traffic.bench.run_until(300);
    ring_network other(random_traffic::config_of(5), random_traffic::nodes_of(5));
    if (restored) {
      other.restore(traffic.bench.network.save());
      for (bench_node& each : traffic.bench.nodes) each.move_to(other);
      while (traffic.bench.now < 20000) {
        ++traffic.bench.now;
        other.advance_to(traffic.bench.now);
        for (bench_node& each : traffic.bench.nodes) each.step(traffic.bench.now);
      }
      EXPECT_TRUE(other.idle());
    } else {
      traffic.bench.run();
    }
    std::vector<cycle_t> heads;
    for (const bench_node& each : traffic.bench.nodes) {
      for (const auto& came : each.arrived) heads.push_back(came.cycle);
    }
    return heads;
  };
  EXPECT_EQ(arrivals(true), arrivals(false));
}

TEST(ring_network, what_it_has_not_is_refused) {
  const auto refusal = [](auto&& change, std::uint32_t nodes = 4) {
    message_network_config config = ring_of(1, 2);
    change(config);
    return failure<configuration_error>([&] { make_message_network(config, nodes); });
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_TRUE(names(refusal([](auto&) {}, 1), {"network.topology", "1 nodes", "2 to"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.reorder_window = 2; }), {"network.reorder_window"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.broadcast_self = false; }), {"broadcast_self"}));
  ring_bench b(ring_of(1, 2), 4);
  network_transfer astray = for_everyone(1, 1);
  astray.lane = 1;
  EXPECT_TRUE(names(failure<simulation_error>([&] { b.network.send(astray, 1); }),
                    {"network, cycle 1", "lane 1 of node 1", "lane 0"}));
  EXPECT_TRUE(names(failure<simulation_error>([&] { b.network.give_back(node_id{2}, 0, 3); }),
                    {"network, cycle 3", "lane 0 of node 2", "holds no message"}));
}

}  // namespace
}  // namespace tributary
