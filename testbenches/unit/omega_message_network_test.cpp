// SPDX-License-Identifier: Apache-2.0
// Messages on the omega network: their times alone, their order and places among others.
#include <gtest/gtest.h>

#include <tributary/network/omega/omega_message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/random_choice.h"
#include "support/routed_network_bench.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::bench_node;
using testing::bench_order;
using testing::between;
using testing::one_of;
using testing::seen_message;
using bench = testing::network_with_nodes<omega_message_network>;

message_network_config with(std::uint32_t link_cycles, std::uint32_t endpoint_buffers = 16) {
  message_network_config config;
  config.topology = topology_kind::omega;
  config.omega.link_cycles = link_cycles;
  config.endpoint_buffers = endpoint_buffers;
  return config;
}

TEST(omega_message_network, a_message_is_a_header_and_two_words_a_packet) {
  EXPECT_EQ(omega_message_network::packets_of(0), 1U);
  EXPECT_EQ(omega_message_network::packets_of(8), 2U);
  EXPECT_EQ(omega_message_network::packets_of(16), 2U);
  EXPECT_EQ(omega_message_network::packets_of(128), 9U);
}

/// A packet leaves in the cycle after the send, crosses a stage a cycle, and the last one is with
/// the node a cycle later; the others leave before it, one every link_cycles.
TEST(omega_message_network, a_message_alone_takes_a_cycle_a_stage_and_its_train) {
  for (const std::uint32_t nodes : {2U, 8U, 64U}) {
    for (const std::uint32_t link : {1U, 2U, 5U}) {
      for (const std::uint32_t bytes : {0U, 8U, 128U}) {
        bench alone(with(link), nodes);
        alone.nodes[0]->offer({node_id{0}, node_id{nodes - 1}, 1, bytes, 7}, 10);
        alone.run_until(200);
        ASSERT_EQ(alone.nodes[nodes - 1]->arrived.size(), 1U);
        const seen_message& came = alone.nodes[nodes - 1]->arrived[0];
        const std::uint32_t packets = bytes == 0 ? 1 : bytes == 8 ? 2 : 9;
        std::uint32_t stages = 0;
        while (1U << stages < nodes) ++stages;
        EXPECT_EQ(came.cycle, 10 + 1 + (packets - 1) * link + stages + 1)
            << nodes << " nodes, link " << link << ", " << bytes << " bytes";
        EXPECT_EQ(came.cycle - 10, alone.network.least_latency(bytes));
        EXPECT_EQ(came.what.cargo, 7U);
        EXPECT_TRUE(alone.idle());
      }
    }
  }
}

/// Messages to a node that keeps what it has wait at their sources, and hold up nobody's else.
TEST(omega_message_network, a_full_node_holds_back_only_what_is_for_it) {
  bench machine(with(2, 1), 4);
  machine.nodes[3]->delay = [](const network_transfer&) { return cycle_t{100000}; };
  for (std::uint32_t from = 0; from < 3; ++from) {
    machine.nodes[from]->offer({node_id{from}, node_id{3}, 0, 128, from}, 1);
  }
  machine.nodes[3]->offer({node_id{3}, node_id{1}, 0, 128, 9}, 1);
  machine.run_until(1000);
  EXPECT_EQ(machine.nodes[3]->arrived.size(), 1U);
  EXPECT_EQ(machine.nodes[1]->arrived.size(), 1U);
  EXPECT_EQ(machine.network.under_way(), 2U);
  machine.run_until(320000);
  EXPECT_EQ(machine.nodes[3]->arrived.size(), 3U);
  EXPECT_TRUE(machine.network.idle());
}

TEST(omega_message_network, a_lane_that_stands_keeps_no_other) {
  bench machine(with(2, 1), 4);
  machine.nodes[2]->delay = [](const network_transfer& what) {
    return what.lane == 0 ? cycle_t{100000} : cycle_t{0};
  };
  for (std::uint64_t i = 0; i < 8; ++i)
    machine.nodes[0]->offer({node_id{0}, node_id{2}, 0, 8, i}, 1);
  for (std::uint64_t i = 0; i < 8; ++i)
    machine.nodes[0]->offer({node_id{0}, node_id{2}, 1, 8, i}, 1);
  machine.run_until(2000);
  std::map<unsigned, std::size_t> of_lane;
  for (const seen_message& each : machine.nodes[2]->arrived) ++of_lane[each.what.lane];
  EXPECT_EQ(of_lane[0], 1U);
  EXPECT_EQ(of_lane[1], 8U);
}

// Also if its places become free in step with the cycles in which the same node looks first.
TEST(omega_message_network, places_go_to_nodes_in_the_order_in_which_they_asked) {
  for (const cycle_t delay : {97U, 98U, 99U, 100U}) {
    bench four(with(2, 1), 4);
    four.nodes[0]->delay = [delay](const network_transfer&) { return delay; };
    for (std::uint32_t i = 0; i < 20; ++i) {
      for (std::uint32_t from = 1; from < 4; ++from) {
        four.nodes[from]->offer({node_id{from}, node_id{0}, 0, 0, 100 * from + i}, 1);
      }
    }
    four.run_until(5000);
    const std::vector<seen_message>& arrived = four.nodes[0]->arrived;
    ASSERT_GT(arrived.size(), 30U);
    for (std::size_t i = 3; i < arrived.size(); ++i) {
      EXPECT_EQ(index(arrived[i].what.source), index(arrived[i - 3].what.source))
          << "message " << i << ", places kept for " << delay << " cycles";
    }
  }
}

// Both in one cycle, whichever of the two nodes the network looks at first in it.
TEST(omega_message_network, two_free_places_go_to_the_two_that_asked_first) {
  for (const cycle_t offset : {0U, 1U, 2U, 3U}) {
    message_network_config config = with(2, 2);
    config.router_buffers = 1;  // so that a node sends its next message when the last one leaves
    bench four(config, 4);
    bench_node& taker = *four.nodes[0];
    taker.delay = [&](const network_transfer&) {  // places become free every 100 cycles
      return 100 - (taker.arrived.back().cycle + offset) % 100;
    };
    std::map<cycle_t, int> sent;
    for (std::uint32_t from = 1; from < 4; ++from) {
      for (std::uint32_t i = 0; i < 20; ++i) {
        four.nodes[from]->offer({node_id{from}, node_id{0}, 0, 0, 100 * from + i}, 1);
      }
    }
    four.run_until(1800);
    for (std::uint32_t from = 1; from < 4; ++from) {
      for (const seen_message& each : four.nodes[from]->sent) ++sent[each.cycle];
    }
    ASSERT_GT(sent.size(), 10U);
    for (const auto& [cycle, messages] : sent) {
      if (cycle < 99) continue;  // until the places are taken
      EXPECT_EQ(messages, 2) << "in cycle " << cycle << ", offset " << offset;
    }
  }
}

TEST(omega_message_network, refuses_what_it_cannot_carry) {
  EXPECT_THROW(omega_message_network(with(2), 6), configuration_error);
  EXPECT_THROW(omega_message_network(with(2), 1), configuration_error);
  bench machine(with(2), 4);
  machine.step();
  const auto send = [&](const network_transfer& what) { machine.network.send(what, machine.now); };
  EXPECT_THROW(send({node_id{0}, node_id{4}, 0, 8, 1}), simulation_error);
  EXPECT_THROW(send({node_id{0}, node_id{1}, 4, 8, 1}), simulation_error);
  EXPECT_THROW(send({node_id{0}, node_id{1}, 0, 129, 1}), simulation_error);
  send({node_id{0}, node_id{1}, 0, 128, 1});
  EXPECT_THROW(send({node_id{0}, node_id{1}, 0, 8, 1}), simulation_error) << "the link is busy";
  EXPECT_THROW(machine.network.give_back(node_id{1}, 0, machine.now), simulation_error);
}

/// What arrived at each node, in order.
using arrivals = std::vector<std::tuple<std::uint32_t, cycle_t, std::uint64_t>>;

struct traffic_case {
  explicit traffic_case(std::uint64_t number) : seed(number) {
    random_stream random(seed, 0U, 0U);
    config = with(between(random, 1, 4), between(random, 1, 8));
    config.omega.slots = between(random, 1, 6);
    config.router_buffers = between(random, 1, 4);
    nodes = 1U << between(random, 1, 5);
    stalls = one_of(random, {0U, 10U, 3000U});
    spacing = one_of(random, {1U, 30U, 400U});
    hot = random.below(3) == 0;
  }
  std::uint64_t seed;
  message_network_config config;
  std::uint32_t nodes = 0;
  std::uint32_t stalls = 0;
  std::uint32_t spacing = 0;
  bool hot = false;
};

void offer_all(bench& machine, const traffic_case& what, std::vector<random_stream>& stalls) {
  for (std::uint32_t n = 0; n < what.nodes; ++n) stalls.emplace_back(what.seed, n, 2U);
  for (std::uint32_t n = 0; n < what.nodes; ++n) {
    machine.nodes[n]->delay = [&what, &stalls, n](const network_transfer&) {
      return cycle_t{between(stalls[n], 0, what.stalls)};
    };
    random_stream random(what.seed, n, 1U);
    cycle_t at = 1;
    for (std::uint64_t i = 0; i < 30; ++i) {
      at += between(random, 0, what.spacing);
      const std::uint32_t to =
          what.hot && random.below(2) == 0 ? 0 : between(random, 0, what.nodes - 1);
      machine.nodes[n]->offer({node_id{n}, node_id{to}, static_cast<std::uint8_t>(random.below(4)),
                               one_of(random, {0U, 8U, 128U}), n * 1000 + i},
                              at);
    }
  }
}

arrivals run(const traffic_case& what, bench_order order) {
  bench machine(what.config, what.nodes);
  std::vector<random_stream> stalls;
  offer_all(machine, what, stalls);
  while (!machine.idle() && machine.now < 3'000'000) machine.step(order);
  EXPECT_TRUE(machine.idle()) << "case " << what.seed << ": messages are stuck";
  arrivals all;
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, std::uint64_t> last;
  for (std::uint32_t n = 0; n < what.nodes; ++n) {
    const testing::bench_node& node = *machine.nodes[n];
    EXPECT_FALSE(node.late) << what.seed;
    for (std::size_t i = 0; i < node.arrived.size(); ++i) {
      const seen_message& came = node.arrived[i];
      all.emplace_back(n, came.cycle, came.what.cargo);
      std::uint64_t& before = last[{index(came.what.source), n, came.what.lane}];
      EXPECT_LT(before, came.what.cargo + 1) << "order of a stream, case " << what.seed;
      before = came.what.cargo + 1;
      if (i > 0) {
        EXPECT_GE(came.cycle, node.tails[i - 1]) << "the node's link, case " << what.seed;
      }
    }
  }
  EXPECT_EQ(all.size(), std::size_t{30} * what.nodes) << "case " << what.seed;
  return all;
}

TEST(omega_message_network, random_traffic_arrives_once_in_order_whoever_is_asked_first) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(40); ++seed) {
    const traffic_case what(seed);
    const arrivals first = run(what, bench_order::network_first);
    EXPECT_EQ(first, run(what, bench_order::nodes_first)) << seed;
    EXPECT_EQ(first, run(what, bench_order::nodes_first_downwards)) << seed;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
