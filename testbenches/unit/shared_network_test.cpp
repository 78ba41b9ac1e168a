// SPDX-License-Identifier: Apache-2.0
// The shared medium: its times, how nodes agree, and that everything arrives in one order.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <tributary/network/shared/shared_network.h>
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

message_network_config links_of(std::uint32_t base) {
  message_network_config config;
  config.base_latency = base;
  return config;
}

shared_medium_config without_collisions() {
  shared_medium_config medium;
  medium.slot_bytes = 0;
  return medium;
}

using medium_bench = testing::message_bench<shared_network>;

TEST(shared_network, one_sends_at_a_time_and_who_has_waited_longest_is_next) {
  message_network_config config = links_of(10);
  config.gap_bytes = 12;
  const std::uint64_t turn = config.wire_cycles(128) + config.gap_cycles();
  medium_bench b(config, without_collisions(), 4);
  b.nodes[0].offer(message(0, 3, 1, 1, 128), 100);
  b.nodes[2].offer(message(2, 1, 0, 2, 128), 102);
  b.nodes[1].offer(message(1, 0, 0, 3, 128), 103);
  b.run();
  EXPECT_EQ(b.nodes[3].arrived.at(0).cycle, 100U + 1 + 10);
  EXPECT_EQ(b.nodes[1].arrived.at(0).cycle, 100U + 1 + 10 + turn);
  EXPECT_EQ(b.nodes[0].arrived.at(0).cycle, 100U + 1 + 10 + 2 * turn);
}

TEST(shared_network, a_message_for_everyone_takes_one_turn) {
  for (const bool self : {false, true}) {
    message_network_config config = links_of(10);
    config.broadcast = true;
    config.broadcast_self = self;
    medium_bench b(config, without_collisions(), 5);
    network_transfer cast = message(2, 0, 0, 9, 64);
    cast.everyone = true;
    b.nodes[2].offer(cast, 50);
    b.run();
    for (std::uint32_t node = 0; node < 5; ++node) {
      const std::size_t expected = self || node != 2 ? 1 : 0;
      ASSERT_EQ(b.nodes[node].arrived.size(), expected);
      if (expected == 0) continue;
      EXPECT_EQ(b.nodes[node].arrived[0].cycle, 50U + 1 + 10);
    }
  }
}

TEST(shared_network, a_link_carries_a_part_of_its_bandwidth) {
  message_network_config config = links_of(10);
  config.bandwidth = 125;
  config.clock.period = 8000;  // a byte a cycle
  EXPECT_EQ(config.wire_cycles(68), 100U);
  config.bandwidth_divisor = 100;
  EXPECT_EQ(config.wire_cycles(68), 10000U);
  EXPECT_EQ(config.megabytes_a_second(), 1.25);
}

/// Slots that are lost for each message when so many nodes always have one.
double lost_slots_a_turn(std::uint32_t senders) {
  constexpr std::uint32_t each_sends = 800;
  message_network_config config = links_of(2);
  config.router_buffers = 1024;
  config.endpoint_buffers = 1024;
  const shared_medium_config medium;
  shared_network network(config, medium, senders + 1);
  std::deque<bench_node> nodes;
  for (std::uint32_t i = 0; i <= senders; ++i) nodes.emplace_back(network, node_id{i});
  for (std::uint32_t i = 0; i < senders; ++i) {
    for (std::uint32_t m = 0; m < each_sends; ++m) nodes[i].offer(message(i, senders, 0, m), 1);
  }
  // Until the first node may have nothing left.
  const std::uint64_t turns = each_sends;
  cycle_t now = 0;
  while (nodes[senders].arrived.size() < turns) {
    network.advance_to(++now);
    for (bench_node& each : nodes) each.step(now);
  }
  const std::uint64_t slot = config.clock.cycles_of(medium.slot_bytes, config.rate());
  const std::uint64_t taken = nodes[senders].arrived.back().cycle -
                              nodes[senders].arrived.front().cycle -
                              (turns - 1) * config.wire_cycles(0);
  return static_cast<double>(taken) / static_cast<double>(slot * (turns - 1));
}

// Metcalfe and Boggs: one of n nodes is alone in a slot with probability A = (1 - 1/n)^(n - 1), so
// that (1 - A)/A slots are lost.
TEST(shared_network, as_many_slots_are_lost_as_the_model_says) {
  EXPECT_NEAR(lost_slots_a_turn(1), 0, 0);
  EXPECT_NEAR(lost_slots_a_turn(2), 1, 0.2);
  EXPECT_NEAR(lost_slots_a_turn(4), 1 / 0.421875 - 1, 0.25);
  EXPECT_NEAR(lost_slots_a_turn(8), 1 / 0.392696 - 1, 0.3);
}

struct random_medium_traffic {
  medium_bench bench;

  explicit random_medium_traffic(std::uint64_t seed)
      : bench(config_of(seed), medium_of(seed), nodes_of(seed)) {
    random_stream draws(seed, 1U, 3U);
    const std::uint32_t count = nodes_of(seed);
    for (bench_node& each : bench.nodes) {
      each.delay = [seed](const network_transfer& what) {
        return (what.cargo * 7 + seed + index(what.destination)) % 40;
      };
    }
    for (std::uint64_t cargo = 1; cargo <= 200; ++cargo) {
      const auto from = static_cast<std::uint32_t>(draws.below(count));
      const auto to = static_cast<std::uint32_t>(draws.below(count));
      network_transfer made = message(from, to, static_cast<std::uint8_t>(draws.below(4)), cargo,
                                      static_cast<std::uint32_t>(draws.below(3) * 32));
      made.everyone = draws.below(2) == 0;
      bench.nodes[from].offer(made, 1 + draws.below(600));
    }
  }
  static std::uint32_t nodes_of(std::uint64_t seed) {
    return static_cast<std::uint32_t>(2 + seed % 8);
  }
  static shared_medium_config medium_of(std::uint64_t seed) {
    return seed % 3 == 0 ? without_collisions() : shared_medium_config{64, seed};
  }
  static message_network_config config_of(std::uint64_t seed) {
    message_network_config config = links_of(static_cast<std::uint32_t>(2 + seed % 9));
    config.broadcast = true;
    config.endpoint_buffers = static_cast<std::uint32_t>(1 + seed % 3);
    config.router_buffers = static_cast<std::uint32_t>(1 + seed % 2);
    return config;
  }
};

/// Cargo from a node that came, or was sent, to another by a lane.
std::vector<std::uint64_t> stream_of(const std::vector<testing::seen_message>& all,
                                     std::uint32_t source, std::uint32_t to, std::uint8_t lane) {
  std::vector<std::uint64_t> cargo;
  for (const auto& each : all) {
    const bool for_it = each.what.everyone || index(each.what.destination) == to;
    if (each.what.lane == lane && for_it && index(each.what.source) == source) {
      cargo.push_back(each.what.cargo);
    }
  }
  return cargo;
}

TEST(shared_network, everything_arrives_once_and_in_order) {
  for (std::uint64_t seed = 1; seed <= testing::halved(40); ++seed) {
    random_medium_traffic traffic(seed);
    traffic.bench.run();
    const std::deque<bench_node>& nodes = traffic.bench.nodes;
    std::vector<std::uint64_t> first_order;
    for (std::uint32_t to = 0; to < nodes.size(); ++to) {
      std::vector<std::uint64_t> order;
      for (const auto& came : nodes[to].arrived) {
        if (came.what.everyone) order.push_back(came.what.cargo);
      }
      if (to == 0) first_order = order;
      EXPECT_EQ(order, first_order) << "seed " << seed << ", node " << to;
      for (std::uint32_t from = 0; from < nodes.size(); ++from) {
        for (std::uint8_t lane = 0; lane < most_network_lanes; ++lane) {
          EXPECT_EQ(stream_of(nodes[to].arrived, from, to, lane),
                    stream_of(nodes[from].sent, from, to, lane))
              << "seed " << seed << ", from " << from << " to " << to;
        }
      }
    }
  }
}

TEST(shared_network, a_restored_medium_goes_on_as_the_saved_one) {
  const auto arrivals = [](bool restored) {
    random_medium_traffic traffic(5);
    traffic.bench.run_until(300);
    shared_network other(random_medium_traffic::config_of(5), random_medium_traffic::medium_of(5),
                         random_medium_traffic::nodes_of(5));
    if (restored) {
      other.restore(traffic.bench.network.save());
      for (bench_node& each : traffic.bench.nodes) each.move_to(other);
      while (traffic.bench.now < 60000) {
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

TEST(shared_network, what_it_has_not_is_refused) {
  const auto refusal = [](auto&& change, std::uint32_t nodes = 4) {
    message_network_config config = links_of(2);
    change(config);
    return failure<configuration_error>([&] { shared_network(config, {}, nodes); });
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_TRUE(names(refusal([](auto&) {}, 1), {"network.kind", "1 nodes", "2 to"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.reorder_window = 2; }), {"network.reorder_window"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.router_latency = 2; }), {"network.router_latency"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.router_buffer_bytes = 1000; }),
                    {"network.router_buffer_bytes"}));
  EXPECT_TRUE(names(refusal([](auto& c) { c.endpoint_buffer_bytes = 1000; }),
                    {"network.endpoint_buffer_bytes"}));
  EXPECT_TRUE(
      names(refusal([](auto& c) { c.bandwidth_divisor = 0; }), {"network.bandwidth_divisor"}));
  medium_bench b(links_of(2), shared_medium_config{}, 4);
  EXPECT_TRUE(names(failure<simulation_error>([&] { b.network.give_back(node_id{2}, 0, 3); }),
                    {"network, cycle 3", "lane 0 of node 2", "holds no message"}));
}

}  // namespace
}  // namespace tributary
