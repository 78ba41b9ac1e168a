// SPDX-License-Identifier: Apache-2.0
// Messages on the omega network: their times alone, their order and places among others.
#include <gtest/gtest.h>

#include <tributary/network/omega/omega_message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/failure.h"
#include "support/random_choice.h"
#include "support/routed_network_bench.h"
#include "support/sizes.h"
#include "support/text_checks.h"

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

TEST(omega_message_network, a_message_of_64_kilobytes_is_4097_packets) {
  message_network_config config = with(2);
  config.payload_bytes = 65536;
  config.router_buffer_bytes = 65536 + 32;
  config.endpoint_buffer_bytes = 65536 + 32;
  bench alone(config, 4);
  alone.nodes[0]->offer({node_id{0}, node_id{3}, 1, 65536, 7}, 10);
  alone.nodes[0]->offer({node_id{0}, node_id{3}, 1, 65536, 8}, 10);
  alone.run_until(100000);
  ASSERT_EQ(alone.nodes[3]->arrived.size(), 2U);
  EXPECT_EQ(alone.nodes[3]->arrived[0].cycle, 10U + 1 + 4096 * 2 + 2 + 1);
  EXPECT_EQ(alone.nodes[3]->arrived[0].what.bytes, 65536U);
  EXPECT_EQ(alone.nodes[3]->arrived[1].what.cargo, 8U);
  EXPECT_TRUE(alone.idle());
}

TEST(omega_message_network, messages_have_their_bytes_reserved_at_the_far_end) {
  message_network_config config = with(1);
  config.payload_bytes = 1000;
  config.endpoint_buffer_bytes = 1100;
  bench four(config, 4);
  std::uint64_t held = 0;
  std::uint64_t most = 0;
  std::size_t seen = 0;
  std::vector<std::uint32_t> lengths;
  four.nodes[0]->delay = [](const network_transfer&) { return cycle_t{200}; };
  four.nodes[0]->taken = [&](const network_transfer&, cycle_t) {
    held -= lengths.front();
    lengths.erase(lengths.begin());
  };
  for (std::uint32_t from = 1; from < 4; ++from) {
    random_stream random(5, from, 0U);
    for (std::uint32_t i = 0; i < 40; ++i) {
      four.nodes[from]->offer(
          {node_id{from}, node_id{0}, 0, one_of(random, {0U, 128U, 500U, 1000U}), i}, 1);
    }
  }
  while (!four.idle() && four.now < 200000) {
    four.step();
    for (; seen < four.nodes[0]->arrived.size(); ++seen) {
      lengths.push_back(four.nodes[0]->arrived[seen].what.bytes + config.header_bytes);
      held += lengths.back();
    }
    most = std::max(most, held);
  }
  EXPECT_TRUE(four.idle());
  EXPECT_EQ(four.nodes[0]->arrived.size(), 120U);
  EXPECT_LE(most, 1100U);
  EXPECT_GT(most, 1032U) << "a short message stands next to the longest";
}

TEST(omega_message_network, has_neither_broadcast_nor_a_reorder_window) {
  message_network_config config = with(1);
  config.broadcast = true;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { config.validate(4); }),
                             {"network.broadcast", "omega", "false"}));
  config.broadcast = false;
  config.reorder_window = 1;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { config.validate(4); }),
                             {"network.reorder_window", "omega", "0"}));
  omega_message_network network(with(1), 4);
  EXPECT_FALSE(node_port(network, node_id{1}).broadcasts());
  EXPECT_EQ(node_port(network, node_id{1}).reorder_window(), 0U);
  network_transfer everyone{node_id{0}, node_id{0}, 0, 8, 1};
  everyone.everyone = true;
  EXPECT_THROW(network.send(everyone, 1), simulation_error);
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

// --- operations that combine ---------------------------------------------------------------------

message_network_config combining(std::uint32_t link_cycles, std::uint32_t endpoint_buffers = 16) {
  message_network_config config = with(link_cycles, endpoint_buffers);
  config.omega.combining = combining_design::improved;
  return config;
}

/// A fetch-and-phi of a node on a word of another.
network_transfer request_of(std::uint32_t from, std::uint32_t home, const word_function& function,
                            std::uint8_t tag = 0) {
  network_transfer asked{node_id{from}, node_id{home}, 0, 16, 0, {}};
  asked.operation.is = operation_part::request;
  asked.operation.tag = tag;
  asked.operation.address = 0x1240;
  asked.operation.function = function;
  return asked;
}
network_transfer answer_of(const network_transfer& request) {
  network_transfer told = request;
  std::swap(told.source, told.destination);
  told.lane = 1;
  told.bytes = 8;
  told.operation.is = operation_part::answer;
  return told;
}

/// Lets a node perform what it takes on a word.
void perform_at(bench& machine, std::uint32_t home, word_t& word) {
  machine.nodes[home]->taken = [&machine, &word, home](const network_transfer& asked, cycle_t now) {
    if (asked.operation.is != operation_part::request) return;
    network_transfer told = answer_of(asked);
    told.operation.before = word;
    word = apply(asked.operation.function, word);
    machine.nodes[home]->offer(told, now);
  };
}

TEST(omega_message_network, an_operation_alone_takes_as_long_as_a_train_of_its_bytes) {
  for (const std::uint32_t nodes : {2U, 8U, 64U}) {
    for (const std::uint32_t link : {1U, 2U, 5U}) {
      bench alone(combining(link), nodes);
      word_t word = 17;
      perform_at(alone, 0, word);
      alone.nodes[nodes - 1]->offer(request_of(nodes - 1, 0, {form::add, 3, 0}), 10);
      alone.run_until(200);
      ASSERT_EQ(alone.nodes[0]->arrived.size(), 1U);
      ASSERT_EQ(alone.nodes[nodes - 1]->arrived.size(), 1U);
      EXPECT_EQ(alone.nodes[0]->arrived[0].cycle - 10, alone.network.least_latency(16));
      const seen_message& answer = alone.nodes[nodes - 1]->arrived[0];
      EXPECT_EQ(answer.cycle - alone.nodes[0]->sent[0].cycle, alone.network.least_latency(8));
      EXPECT_EQ(answer.what.operation.before, 17U);
      EXPECT_EQ(answer.what.bytes, 8U);
      EXPECT_EQ(word, 20U);
      EXPECT_TRUE(alone.idle());
    }
  }
}

TEST(omega_message_network, operations_on_one_word_combine_and_their_answers_split) {
  constexpr std::uint32_t nodes = 16;
  bench machine(combining(2, 1), nodes);
  machine.nodes[3]->delay = [](const network_transfer&) { return cycle_t{30}; };
  word_t word = 1000;
  perform_at(machine, 3, word);
  for (std::uint32_t from = 0; from < nodes; ++from) {
    if (from != 3) machine.nodes[from]->offer(request_of(from, 3, {form::add, 1, 0}), 10);
  }
  machine.run_until(1000);
  EXPECT_LT(machine.nodes[3]->arrived.size(), 12U) << "hardly any operations combined";
  std::vector<word_t> answers;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    if (from == 3) continue;
    ASSERT_EQ(machine.nodes[from]->arrived.size(), 1U) << from;
    answers.push_back(machine.nodes[from]->arrived[0].what.operation.before);
  }
  std::sort(answers.begin(), answers.end());
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], 1000 + i);
  EXPECT_EQ(word, 1000U + nodes - 1);
  EXPECT_TRUE(machine.idle());
}

TEST(omega_message_network, an_answer_that_nobody_asked_for_is_refused) {
  bench machine(combining(2), 4);
  machine.nodes[0]->offer(answer_of(request_of(1, 0, {form::add, 1, 0})), 1);
  EXPECT_THROW(machine.run_until(20), simulation_error);
}

/// Of random operations next to random messages, as `arrivals`, with what operations found.
struct operated {
  arrivals all;
  std::vector<word_t> found;
};

operated run_operations(const traffic_case& what, bench_order order) {
  traffic_case own = what;
  own.config.omega.slots = std::max(own.config.omega.slots, 2U);
  own.config.omega.combining = combining_design::improved;
  bench machine(own.config, own.nodes);
  std::vector<random_stream> stalls;
  offer_all(machine, own, stalls);
  word_t word = 0;
  perform_at(machine, 0, word);
  for (std::uint32_t from = 1; from < own.nodes; ++from) {
    for (std::uint8_t tag = 0; tag < 8; ++tag) {
      machine.nodes[from]->offer(request_of(from, 0, {form::add, 1, 0}, tag), 1);
    }
  }
  while (!machine.idle() && machine.now < 3'000'000) machine.step(order);
  EXPECT_TRUE(machine.idle()) << "case " << own.seed << ": messages are stuck";
  operated seen;
  for (std::uint32_t n = 0; n < own.nodes; ++n) {
    EXPECT_FALSE(machine.nodes[n]->late) << own.seed;
    for (const seen_message& came : machine.nodes[n]->arrived) {
      seen.all.emplace_back(n, came.cycle, came.what.cargo);
      const network_operation& operation = came.what.operation;
      if (operation.is == operation_part::answer) seen.found.push_back(operation.before);
    }
  }
  EXPECT_EQ(word, 8U * (own.nodes - 1));
  return seen;
}

TEST(omega_message_network, operations_find_each_sum_once_next_to_other_messages) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(30); ++seed) {
    const traffic_case what(seed);
    operated first = run_operations(what, bench_order::network_first);
    EXPECT_EQ(first.all, run_operations(what, bench_order::nodes_first).all) << seed;
    EXPECT_EQ(first.all, run_operations(what, bench_order::nodes_first_downwards).all) << seed;
    std::sort(first.found.begin(), first.found.end());
    ASSERT_EQ(first.found.size(), 8U * (what.nodes - 1)) << seed;
    for (std::size_t i = 0; i < first.found.size(); ++i) EXPECT_EQ(first.found[i], i) << seed;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
