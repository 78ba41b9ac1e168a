// SPDX-License-Identifier: Apache-2.0
// Rules 4, 6 and 7 of the cycle contract: arbitration, links, wait buffers, responses.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>

#include "support/single_switch.h"

namespace tributary {
namespace {

using testing::single_switch;

constexpr unsigned route_bit = 1;
constexpr std::array<std::uint8_t, 2> all_ready{3, 3};
constexpr std::array<bool, 2> sinks_ready{true, true};

/// A request from an input to one of four modules: bit 1 is this switch's output, bit 0 the next's.
packet request(unsigned input, std::uint32_t module, std::uint32_t sequence,
               std::uint64_t word = 0) {
  packet made;
  made.location = location_of(mm_id{module}, word * word_bytes);
  made.pe = static_cast<std::uint16_t>(input << route_bit);
  made.sequence = sequence;
  made.set_function({form::add, sequence, 0});
  return made;
}

/// One switch, its cycles, and what is sent in the next one.
struct switch_under_test {
  explicit switch_under_test(const combining_switch_config& config) : core(config, route_bit) {}

  void send(const packet& what) { next.requests[what.pe >> route_bit] = what; }
  void answer(unsigned port, const reply& what) { next.replies[port] = what; }

  switch_traffic cycle(const std::array<std::uint8_t, 2>& ready = all_ready,
                       const std::array<bool, 2>& sinks = sinks_ready) {
    const switch_traffic leaving = core.depart(ready, sinks);
    core.commit(next);
    next = {};
    return leaving;
  }
  /// The sequence numbers that leave a port in so many cycles, -1 for none.
  std::vector<int> departures(unsigned port, int cycles,
                              const std::array<std::uint8_t, 2>& ready = all_ready) {
    std::vector<int> found;
    for (int i = 0; i < cycles; ++i) {
      const switch_traffic leaving = cycle(ready);
      const auto& gone = leaving.requests[port];
      found.push_back(gone ? static_cast<int>(gone->sequence) : -1);
    }
    return found;
  }

  single_switch core;
  switch_traffic next;
};

combining_switch_config with_link(std::uint32_t link_cycles) {
  combining_switch_config config;
  config.link_cycles = link_cycles;
  return config;
}

TEST(switch_column, a_request_leaves_in_the_cycle_after_its_arrival) {
  switch_under_test one({});
  one.send(request(0, 2, 7));
  EXPECT_FALSE(one.cycle().requests[1].has_value());
  const switch_traffic leaving = one.cycle();
  ASSERT_TRUE(leaving.requests[1].has_value());
  EXPECT_EQ(*leaving.requests[1], request(0, 2, 7));
  EXPECT_FALSE(leaving.requests[0].has_value());
  EXPECT_TRUE(one.core.idle());
}

TEST(switch_column, routes_by_its_bit) {
  for (std::uint32_t module = 0; module < 4; ++module) {
    switch_under_test one({});
    one.send(request(0, module, 1));
    one.cycle();
    const switch_traffic leaving = one.cycle();
    EXPECT_TRUE(leaving.requests[module >> 1].has_value()) << "module " << module;
    EXPECT_FALSE(leaving.requests[1 - (module >> 1)].has_value()) << "module " << module;
  }
}

TEST(switch_column, a_link_carries_one_message_every_link_cycles) {
  for (const std::uint32_t link : {1U, 2U, 3U, 4U}) {
    switch_under_test one(with_link(link));
    for (std::uint32_t i = 0; i < 3; ++i) {
      one.send(request(0, 0, i, i));
      one.cycle({0, 0});
    }
    std::vector<int> expected;
    for (int i = 0; i < 3; ++i) {
      expected.push_back(i);
      expected.insert(expected.end(), link - 1, -1);
    }
    EXPECT_EQ(one.departures(0, static_cast<int>(3 * link)), expected) << "link cycles " << link;
  }
}

TEST(switch_column, a_reverse_link_too) {
  switch_under_test one(with_link(3));
  one.answer(0, {1, 0, 0});
  one.answer(1, {2, 1, 0});
  one.cycle();
  std::vector<int> found;
  for (int i = 0; i < 4; ++i) {
    const auto gone = one.cycle().replies[0];
    found.push_back(gone ? static_cast<int>(gone->value) : -1);
  }
  EXPECT_EQ(found, (std::vector<int>{1, -1, -1, 2}));
}

TEST(switch_column, the_head_waits_for_its_own_destination) {
  switch_under_test one({});
  one.send(request(0, 1, 5));  // output 0 here, output 1 of the next switch
  one.cycle();
  EXPECT_FALSE(one.cycle({1, 3}).requests[0].has_value()) << "only output 0 of the next is ready";
  EXPECT_TRUE(one.cycle({2, 0}).requests[0].has_value());
}

TEST(switch_column, a_departure_is_seen_as_room_one_cycle_later) {
  combining_switch_config config;
  config.slots = 1;
  switch_under_test one(config);
  one.send(request(0, 0, 1));
  one.cycle();
  EXPECT_EQ(one.core.request_ready(0) & 1U, 0U);
  EXPECT_EQ(one.core.request_ready(1) & 1U, 1U) << "type B: the other input has its own queue";
  EXPECT_TRUE(one.cycle().requests[0].has_value());
  EXPECT_EQ(one.core.request_ready(0) & 1U, 1U);
}

TEST(switch_column, type_a_shares_its_queue) {
  combining_switch_config config;
  config.type = queue_type::a;
  config.slots = 2;
  switch_under_test one(config);
  one.send(request(0, 0, 1));
  one.cycle({0, 0});
  EXPECT_EQ(one.core.request_ready(0), 2U);
  EXPECT_EQ(one.core.request_ready(1), 2U);
}

/// A grant gives the priority to the other queue; queue 0 has it after reset.
TEST(switch_column, arbitration_alternates) {
  switch_under_test one(with_link(1));
  for (std::uint32_t i = 0; i < 3; ++i) {
    one.send(request(0, 0, i, i));
    one.send(request(1, 0, 10 + i, 10 + i));
    one.cycle({0, 0});
  }
  EXPECT_EQ(one.departures(0, 6), (std::vector<int>{0, 10, 1, 11, 2, 12}));
}

/// Toggling every cycle instead would lock onto the two-cycle link and starve one input.
TEST(switch_column, arbitration_starves_nobody_on_a_two_cycle_link) {
  switch_under_test one(with_link(2));
  for (std::uint32_t i = 0; i < 3; ++i) {
    one.send(request(0, 0, i, i));
    one.send(request(1, 0, 10 + i, 10 + i));
    one.cycle({0, 0});
  }
  EXPECT_EQ(one.departures(0, 12), (std::vector<int>{0, -1, 10, -1, 1, -1, 11, -1, 2, -1, 12, -1}));
}

TEST(switch_column, no_grant_leaves_the_priority) {
  switch_under_test one(with_link(1));
  one.send(request(0, 0, 1));
  one.cycle({0, 0});
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1}));  // the priority is now with queue 1
  one.cycle();
  one.cycle();
  one.send(request(0, 0, 2, 2));
  one.send(request(1, 0, 3, 3));
  one.cycle({0, 0});
  EXPECT_EQ(one.departures(0, 2), (std::vector<int>{3, 2}));
}

TEST(switch_column, the_queue_without_priority_goes_if_the_other_cannot) {
  switch_under_test one(with_link(1));
  one.send(request(0, 1, 1));  // wants output 1 of the next switch
  one.send(request(1, 0, 2));  // wants output 0
  one.cycle({0, 0});
  EXPECT_EQ(one.departures(0, 1, {1, 3}), (std::vector<int>{2}));
  one.send(request(1, 0, 3));
  one.cycle({0, 0});
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1})) << "queue 1 was granted last";
}

/// Two plain requests ahead of a pair, so that the pair forms also in a decoupled queue.
void make_pair(switch_under_test& one, unsigned input, std::uint32_t first, std::uint64_t word) {
  one.send(request(input, 0, first, word));
  one.cycle({0, 0});
  one.send(request(input, 0, first + 1, word));
  one.cycle({0, 0});
}

combining_switch_config coupled(std::uint32_t wait_buffer_entries) {
  combining_switch_config config = with_link(1);
  config.coupled = true;
  config.wait_buffer_entries = wait_buffer_entries;
  return config;
}

TEST(switch_column, a_combined_head_waits_for_the_wait_buffer_and_holds_up_nobody) {
  switch_under_test one(coupled(1));
  make_pair(one, 0, 1, 1);
  make_pair(one, 0, 3, 2);
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1}));
  EXPECT_EQ(one.core.core().wait_buffers().size(0), 1U);
  one.send(request(1, 0, 9, 9));
  EXPECT_EQ(one.departures(0, 3), (std::vector<int>{-1, 9, -1})) << "3 is held, 9 passes";

  one.answer(0, {100, 1, 0});
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{-1})) << "full at the start of the cycle";
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{3}));
}

TEST(switch_column, nothing_combines_while_the_wait_buffer_is_full) {
  switch_under_test one(coupled(1));
  make_pair(one, 0, 1, 1);
  one.departures(0, 1);
  make_pair(one, 0, 3, 2);
  EXPECT_EQ(one.core.core().queues().size(0), 2U) << "two entries, no pair";
  EXPECT_EQ(one.core.core().queues().combined(0), 0U);
}

/// Full counts at the start: an arrival in the cycle in which the buffer fills still combines.
TEST(switch_column, an_arrival_as_the_wait_buffer_fills_still_combines) {
  switch_under_test one(coupled(1));
  make_pair(one, 0, 1, 1);
  one.send(request(0, 0, 3, 2));
  one.cycle({0, 0});
  one.send(request(0, 0, 4, 2));
  EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1})) << "fills the buffer";
  EXPECT_EQ(one.core.core().queues().combined(0), 1U);
}

TEST(switch_column, a_response_is_followed_by_its_second_half) {
  switch_under_test one(coupled(8));
  make_pair(one, 0, 5, 1);
  const switch_traffic leaving = one.cycle();
  ASSERT_TRUE(leaving.requests[0].has_value());
  EXPECT_EQ(leaving.requests[0]->function(), (word_function{form::add, 11, 0}));
  EXPECT_FALSE(one.core.idle()) << "a partner is in the wait buffer";
  one.answer(0, {100, 5, 0});
  one.cycle();
  EXPECT_EQ(one.cycle().replies[0], (reply{100, 5, 0}));
  EXPECT_EQ(one.cycle().replies[0], (reply{105, 6, 0}));
  EXPECT_TRUE(one.core.idle());
}

/// Type A pairs requests of both inputs; same-cycle responses enter in port order, each followed
/// by its second half.
TEST(switch_column, order_of_responses_of_one_cycle) {
  combining_switch_config config = coupled(8);
  config.type = queue_type::a;
  config.slots = 8;
  switch_under_test one(config);
  one.send(request(0, 0, 1));
  one.send(request(1, 2, 2));
  one.cycle({0, 0});
  one.send(request(1, 0, 3));
  one.send(request(0, 2, 4));
  one.cycle({0, 0});
  const switch_traffic leaving = one.cycle();
  ASSERT_TRUE(leaving.requests[0] && leaving.requests[1]);
  one.answer(1, {200, 2, 2});
  one.answer(0, {100, 1, 0});
  one.cycle();
  switch_traffic back = one.cycle();
  EXPECT_EQ(back.replies[0], (reply{100, 1, 0}));
  EXPECT_EQ(back.replies[1], (reply{101, 3, 2})) << "the second half of port 0's response";
  back = one.cycle();
  EXPECT_EQ(back.replies[0], (reply{202, 4, 0}));
  EXPECT_EQ(back.replies[1], (reply{200, 2, 2}));
}

TEST(switch_column, takes_responses_while_both_reverse_queues_have_room_for_four) {
  combining_switch_config config;
  config.reverse_slots = 5;
  switch_under_test one(config);
  EXPECT_TRUE(one.core.reply_ready());
  one.answer(0, {1, 0, 0});
  one.cycle(all_ready, {false, false});
  EXPECT_TRUE(one.core.reply_ready()) << "four of five are free";
  one.answer(0, {1, 1, 0});
  one.cycle(all_ready, {false, false});
  EXPECT_FALSE(one.core.reply_ready()) << "one queue has three free, so neither port is ready";
  EXPECT_EQ(one.core.core().reply_ready(), (std::vector<std::uint8_t>{0, 0}));
  one.cycle();
  EXPECT_TRUE(one.core.reply_ready());
}

TEST(switch_column, counts_what_happened) {
  switch_under_test one(coupled(8));
  make_pair(one, 0, 5, 1);
  one.cycle();
  one.answer(0, {100, 5, 0});
  one.cycle();
  const combining_counters& counts = one.core.core().counters();
  EXPECT_EQ(counts.arrived, 2U);
  EXPECT_EQ(counts.combined, 1U);
  EXPECT_EQ(counts.departed, 1U);
  EXPECT_EQ(counts.decombined, 1U);
  EXPECT_EQ(counts.wait_buffer_peak, 1U);
}

TEST(switch_column, states_compare) {
  switch_under_test one({});
  switch_under_test other({});
  const auto same = [&] {
    return one.core.core().equals(one.core.pool(), other.core.core(), other.core.pool());
  };
  EXPECT_TRUE(same());
  one.send(request(0, 0, 1));
  one.cycle();
  EXPECT_FALSE(same());
  one.cycle();
  EXPECT_FALSE(same()) << "the link timer and the priority differ";
  other.send(request(0, 0, 1));
  other.cycle();
  other.cycle();
  EXPECT_TRUE(same());
}

TEST(switch_column, slots_to_combine) {
  combining_switch_config config;
  EXPECT_EQ(config.slots_to_combine(), 3U);
  config.coupled = true;
  EXPECT_EQ(config.slots_to_combine(), 2U);
  config.type = queue_type::a;
  EXPECT_EQ(config.slots_to_combine(), 3U);
  config.coupled = false;
  EXPECT_EQ(config.slots_to_combine(), 4U);
}

TEST(switch_column, refuses_what_never_accepts_a_request) {
  combining_switch_config config;
  config.slots = 1;
  EXPECT_NO_THROW(config.validate());
  config.type = queue_type::a;
  EXPECT_THROW(config.validate(), configuration_error);
}

}  // namespace
}  // namespace tributary
