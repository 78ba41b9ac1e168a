// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/nic/network_interface.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

constexpr std::uint64_t local_base = std::uint64_t{1} << 40;

access request(std::uint64_t address, std::uint64_t tag = 0) {
  access made;
  made.address = address;
  made.function = {form::add, 1, 0};
  made.tag = tag;
  return made;
}

/// The interfaces of a machine of four, behind an obedient network.
struct interfaces_under_test {
  explicit interfaces_under_test(network_interface_config config, std::uint32_t link_cycles = 1)
      : map(address_map_config(), 4), core(config, map, 1, link_cycles, 4) {}

  /// Simulates a cycle; returns what left for the network.
  std::vector<packet> cycle(std::uint8_t ready = 3, bool local_ready = true) {
    ++now;
    const std::vector<std::uint8_t> network(4, ready);
    const std::vector<std::uint8_t> local(4, local_ready ? 1 : 0);
    std::vector<packet> sent;
    core.depart(network.data(), local.data());
    core.advance();
    core.release_requests(
        now, [&](std::size_t, const packet& what) { sent.push_back(what); },
        [&](std::size_t, const packet& what) { sent_locally.push_back(what); });
    return sent;
  }
  std::vector<std::uint64_t> addresses(int cycles) {
    std::vector<std::uint64_t> found;
    for (int i = 0; i < cycles; ++i) {
      for (const packet& each : cycle()) found.push_back(each.address());
    }
    return found;
  }
  memory_response answer(std::uint32_t pe, std::uint32_t sequence, word_t value = 0) {
    return core.deliver(pe, {value, sequence, static_cast<std::uint16_t>(pe)}, now);
  }

  address_map map;
  network_interface core;
  cycle_t now = 0;
  std::vector<packet> sent_locally;
};

network_interface_config config(std::uint32_t outstanding,
                                issue_policy policy = issue_policy::unordered) {
  network_interface_config made;
  made.outstanding = outstanding;
  made.policy = policy;
  return made;
}

TEST(network_interface, turns_a_request_into_a_packet) {
  interfaces_under_test one(config(1));
  one.core.offer(2, request(8 * 7, 99), 1);
  const std::vector<packet> sent = one.cycle();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].address(), 56U);
  EXPECT_EQ(index(sent[0].module()), 3U) << "word 7 of four modules";
  EXPECT_EQ(sent[0].id(), (request_id{0, 2}));
  EXPECT_EQ(sent[0].function(), (word_function{form::add, 1, 0}));
  EXPECT_EQ(sent[0].combinable, 1);

  one.cycle();
  one.cycle();
  const memory_response response = one.answer(2, 0, 123);
  EXPECT_EQ(index(response.pe), 2U);
  EXPECT_EQ(response.tag, 99U);
  EXPECT_EQ(response.value, 123U);
  EXPECT_EQ(response.accepted, 1U);
  EXPECT_TRUE(one.core.idle());
  EXPECT_EQ(one.core.latency().sum(), 2U);
}

/// Records lie in chunks of eight.
TEST(network_interface, knows_many_outstanding_requests_in_any_order) {
  for (const std::uint32_t outstanding : {9U, 17U, 20U}) {
    interfaces_under_test one(config(outstanding, issue_policy::one_per_word));
    const auto tag_of = [](std::uint32_t pe, std::uint32_t i) { return 100 * pe + i; };
    for (std::uint32_t pe = 0; pe < 4; ++pe) {
      for (std::uint32_t i = 0; i < outstanding; ++i) {
        one.core.offer(pe, request(8 * tag_of(pe, i), tag_of(pe, i)), 1);
      }
    }
    for (std::uint32_t i = 0; i < outstanding; ++i) EXPECT_EQ(one.cycle().size(), 4U) << i;
    // Every seventh, around and around.
    for (std::uint32_t i = 0; i < outstanding; ++i) {
      const std::uint32_t sequence = 7 * i % outstanding;
      for (std::uint32_t pe = 0; pe < 4; ++pe) {
        const auto asked = one.core.find_request({sequence, static_cast<std::uint16_t>(pe)});
        ASSERT_TRUE(asked) << outstanding << ", " << sequence << " of " << pe;
        EXPECT_EQ(asked->address, 8 * tag_of(pe, sequence));
        const memory_response response = one.answer(pe, sequence);
        EXPECT_EQ(response.tag, tag_of(pe, sequence));
        EXPECT_EQ(response.accepted, sequence + 1);
        EXPECT_FALSE(one.core.find_request({sequence, static_cast<std::uint16_t>(pe)}));
      }
    }
    EXPECT_TRUE(one.core.idle());
  }
}

TEST(network_interface, waits_for_a_word_whose_request_is_the_last_of_many) {
  interfaces_under_test one(config(20, issue_policy::one_per_word));
  for (std::uint64_t i = 0; i < 12; ++i) one.core.offer(1, request(8 * i), 1);
  one.addresses(12);
  one.core.offer(1, request(8 * 11), one.now);
  EXPECT_TRUE(one.cycle().empty());
  one.answer(1, 11);
  EXPECT_EQ(one.cycle().size(), 1U);
}

TEST(network_interface, issues_first_in_first_out) {
  interfaces_under_test one(config(8));
  for (std::uint64_t i = 0; i < 5; ++i) one.core.offer(0, request(i * 8), 1);
  EXPECT_EQ(one.addresses(6), (std::vector<std::uint64_t>{0, 8, 16, 24, 32}));
}

TEST(network_interface, a_refused_head_holds_up_those_behind_it) {
  interfaces_under_test one(config(8));
  one.core.offer(0, request(3 * 8), 1);  // module 3: output 1
  one.core.offer(0, request(0), 1);      // module 0: output 0
  EXPECT_TRUE(one.cycle(1).empty()) << "only output 0 is ready";
  EXPECT_EQ(one.core.waiting(0), 2U);
  EXPECT_EQ(one.cycle(2).size(), 1U);
  EXPECT_EQ(one.cycle(1).size(), 1U);
}

TEST(network_interface, the_link_takes_one_request_every_link_cycles) {
  interfaces_under_test one(config(8), 3);
  for (std::uint64_t i = 0; i < 3; ++i) one.core.offer(0, request(i * 8), 1);
  std::vector<std::size_t> sent;
  for (int i = 0; i < 7; ++i) sent.push_back(one.cycle().size());
  EXPECT_EQ(sent, (std::vector<std::size_t>{1, 0, 0, 1, 0, 0, 1}));
}

TEST(network_interface, keeps_to_its_outstanding_requests) {
  interfaces_under_test one(config(2));
  for (std::uint64_t i = 0; i < 4; ++i) one.core.offer(1, request(i * 8), 1);
  EXPECT_EQ(one.addresses(5).size(), 2U);
  EXPECT_EQ(one.core.outstanding(1), 2U);
  EXPECT_EQ(one.core.waiting(1), 2U);
  one.answer(1, 1);
  EXPECT_EQ(one.addresses(5), (std::vector<std::uint64_t>{16}));
}

TEST(network_interface, unordered_sends_several_to_one_word) {
  interfaces_under_test one(config(4));
  for (int i = 0; i < 3; ++i) one.core.offer(0, request(8), 1);
  EXPECT_EQ(one.addresses(5).size(), 3U);
}

TEST(network_interface, one_per_word_waits_for_the_word) {
  interfaces_under_test one(config(4, issue_policy::one_per_word));
  one.core.offer(0, request(8), 1);
  one.core.offer(0, request(16), 1);
  one.core.offer(0, request(8), 1);
  one.core.offer(0, request(24), 1);
  EXPECT_EQ(one.addresses(6), (std::vector<std::uint64_t>{8, 16})) << "the third waits, in order";
  one.answer(0, 1);
  EXPECT_TRUE(one.addresses(3).empty()) << "another word was answered";
  one.answer(0, 0);
  EXPECT_EQ(one.addresses(3), (std::vector<std::uint64_t>{8, 24}));
}

TEST(network_interface, one_per_word_is_per_element) {
  interfaces_under_test one(config(4, issue_policy::one_per_word));
  one.core.offer(0, request(8), 1);
  one.core.offer(1, request(8), 1);
  EXPECT_EQ(one.cycle().size(), 2U);
}

TEST(network_interface, own_words_go_by_the_local_port) {
  interfaces_under_test one(config(4));
  const address_region& local = one.map.regions()[1];
  const std::uint64_t own = one.map.address_in(local, mm_id{2}, 0);
  const std::uint64_t other = one.map.address_in(local, mm_id{3}, 0);
  ASSERT_GE(own, local_base);
  one.core.offer(2, request(own), 1);
  one.core.offer(2, request(other), 1);
  EXPECT_TRUE(one.cycle(3, false).empty()) << "the port is busy, the network is no way around";
  EXPECT_TRUE(one.sent_locally.empty());
  EXPECT_TRUE(one.cycle().empty());
  ASSERT_EQ(one.sent_locally.size(), 1U);
  EXPECT_EQ(one.sent_locally[0].address(), own);
  const std::vector<packet> sent = one.cycle();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(index(sent[0].module()), 3U);
}

TEST(network_interface, refuses_addresses_outside_every_region) {
  interfaces_under_test one(config(1));
  EXPECT_THROW(one.core.offer(0, request(address_limit - 8), 1), simulation_error);
  EXPECT_THROW(one.core.offer(0, request(4), 1), simulation_error) << "not a word";
  EXPECT_TRUE(one.core.idle());
}

TEST(network_interface, refuses_responses_to_nothing) {
  interfaces_under_test one(config(1));
  EXPECT_THROW(one.answer(0, 0), simulation_error) << "nothing was sent";
  one.core.offer(0, request(8), 1);
  one.cycle();
  EXPECT_THROW(one.core.deliver(1, {0, 0, 0}, 2), simulation_error) << "at another element";
  EXPECT_THROW(one.answer(0, 1), simulation_error) << "another sequence number";
  EXPECT_NO_THROW(one.answer(0, 0));
  EXPECT_THROW(one.answer(0, 0), simulation_error) << "a second time";
}

TEST(network_interface, knows_what_is_outstanding) {
  interfaces_under_test one(config(2));
  one.core.offer(3, request(8 * 5), 1);
  one.cycle(0);
  one.cycle();
  EXPECT_EQ(one.core.accepted_cycle({0, 3}), 2U);
  ASSERT_TRUE(one.core.find_request({0, 3}));
  EXPECT_EQ(one.core.find_request({0, 3})->address, 40U);
  EXPECT_FALSE(one.core.find_request({1, 3}));
  EXPECT_EQ(one.core.total_outstanding(), 1U);
  EXPECT_EQ(one.core.total_waiting(), 0U);
}

TEST(network_interface, tells_how_long_requests_wait_at_their_source) {
  interfaces_under_test one(config(1));
  for (std::uint64_t i = 0; i < 3; ++i) one.core.offer(0, request(i * 8), 1);
  one.cycle();   // in cycle 1 the first goes at once
  one.cycle(0);  // the second must wait for its response, and then for the network
  one.answer(0, 0);
  one.cycle(0);
  one.cycle();  // it goes in cycle 4
  one.answer(0, 1);
  one.cycle();  // and the third in cycle 5
  ASSERT_EQ(one.core.waiting(0), 0U);
  statistics_tree tree;
  one.core.report(tree.group("interface"));
  EXPECT_EQ(tree.find("interface.source_wait.count"), 3);
  EXPECT_EQ(tree.find("interface.source_wait.max"), 4);
  EXPECT_EQ(tree.find("interface.source_wait.mean"), (0 + 3 + 4) / 3.0);
}

TEST(network_interface, automatic_follows_the_order_of_the_requests) {
  const network_interface_config automatic = config(4, issue_policy::automatic);
  EXPECT_EQ(automatic.resolved(true).policy, issue_policy::one_per_word);
  EXPECT_EQ(automatic.resolved(false).policy, issue_policy::unordered);
  const network_interface_config unordered = config(4, issue_policy::unordered);
  EXPECT_EQ(unordered.resolved(true).policy, issue_policy::unordered);
}

/// A hot load takes 10 cycles, a cold addition 100, a cold load 1,000.
TEST(network_interface, tells_latencies_by_class) {
  interfaces_under_test one(config(4));
  const auto ask = [&](std::uint64_t address, heat warmth, form kind) {
    access asked = request(address);
    asked.warmth = warmth;
    asked.function = {kind, 1, 0};
    one.core.offer(0, asked, one.now);
    one.cycle();
  };
  const auto answer_after = [&](std::uint32_t sequence, cycle_t latency) {
    one.now = one.core.accepted_cycle({sequence, 0}) + latency;
    one.answer(0, sequence);
  };
  ask(8, heat::hot, form::identity);
  ask(16, heat::cold, form::add);
  ask(24, heat::cold, form::identity);
  answer_after(0, 10);
  answer_after(1, 100);
  answer_after(2, 1000);
  statistics_tree tree;
  one.core.report(tree.group("interface"));
  EXPECT_EQ(tree.find("interface.latency.count"), 3);
  EXPECT_EQ(tree.find("interface.latency_distribution.count"), 3);
  EXPECT_EQ(tree.find("interface.hot.latency.mean"), 10);
  EXPECT_EQ(tree.find("interface.cold.latency.mean"), 550);
  EXPECT_EQ(tree.find("interface.loads.latency.mean"), 505);
  EXPECT_EQ(tree.find("interface.atomics.latency.mean"), 100);
  // The greatest value of a bin of eight cycles.
  EXPECT_EQ(tree.find("interface.hot.latency_p50"), 15);
  EXPECT_EQ(tree.find("interface.cold.latency_p50"), 103);
  EXPECT_EQ(tree.find("interface.cold.latency_p99"), 1007);

  one.core.reset_statistics();
  statistics_tree none;
  one.core.report(none.group("interface"));
  EXPECT_EQ(none.find("interface.cold.latency.count"), 0);
  EXPECT_TRUE(std::isnan(none.find("interface.cold.latency_p99")));
}

}  // namespace
}  // namespace tributary
