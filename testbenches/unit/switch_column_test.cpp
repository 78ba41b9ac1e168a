// SPDX-License-Identifier: Apache-2.0
// Rules 4, 6, 7 and 13 of the cycle contract by example: arbitration, wait buffers, links,
// responses, registers, counters. combining_switch_stall_test holds every cycle of random switches
// to a model of the rules.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <tributary/network/omega/core_switch.h>
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

  /// The same of responses and a processor-side line.
  std::vector<int> responses(unsigned line, int cycles) {
    std::vector<int> found;
    for (int i = 0; i < cycles; ++i) {
      const switch_traffic leaving = cycle();
      const auto& gone = leaving.replies[line];
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

/// A grant gives the priority to the other queue; queue 0 has it after reset. Toggling every cycle
/// instead would lock onto the two-cycle link and starve one input.
TEST(switch_column, arbitration_alternates_and_starves_nobody) {
  for (const std::uint32_t link : {1U, 2U}) {
    switch_under_test one(with_link(link));
    std::vector<int> expected;
    for (std::uint32_t i = 0; i < 3; ++i) {
      one.send(request(0, 0, i, i));
      one.send(request(1, 0, 10 + i, 10 + i));
      one.cycle({0, 0});
      for (const std::uint32_t sequence : {i, 10 + i}) {
        expected.push_back(static_cast<int>(sequence));
        expected.insert(expected.end(), link - 1, -1);
      }
    }
    EXPECT_EQ(one.departures(0, static_cast<int>(6 * link)), expected) << "link cycles " << link;
  }
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

TEST(switch_column, an_empty_queue_has_no_turn) {
  switch_under_test one(with_link(1));
  for (std::uint32_t i = 1; i <= 3; ++i) {
    one.send(request(0, 0, i, i));
    one.cycle({0, 0});
  }
  EXPECT_EQ(one.departures(0, 3), (std::vector<int>{1, 2, 3}))
      << "nothing comes by the other input";
}

TEST(switch_column, a_link_carries_a_response_every_link_cycles) {
  for (const std::uint32_t link : {1U, 2U, 3U}) {
    switch_under_test one(with_link(link));
    std::vector<int> expected;
    for (std::uint32_t i = 1; i <= 3; ++i) {
      one.answer(0, {0, i, 0});
      one.cycle(all_ready, {false, false});
      expected.push_back(static_cast<int>(i));
      expected.insert(expected.end(), link - 1, -1);
    }
    EXPECT_EQ(one.responses(0, static_cast<int>(3 * link)), expected) << "link cycles " << link;
  }
}

/// Two ports bring two halves each in a cycle, all of which may go to one queue.
TEST(switch_column, takes_responses_while_both_reverse_queues_have_room_for_four) {
  for (const std::uint16_t input : {std::uint16_t{0}, std::uint16_t{1}}) {
    combining_switch_config config = with_link(1);
    config.reverse_slots = 6;
    switch_under_test one(config);
    std::vector<bool> ready;
    for (std::uint32_t i = 0; i < 3; ++i) {
      one.answer(0, {0, i, static_cast<std::uint16_t>(input << route_bit)});
      one.cycle(all_ready, {false, false});
      ready.push_back(one.core.reply_ready());
    }
    EXPECT_EQ(ready, (std::vector<bool>{true, true, false}))
        << "of six slots of the queue to input " << input << " one, two and three are taken";
  }
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

/// Whether it is alone in its queue or another waits behind it when its partner comes.
TEST(switch_column, a_head_that_is_joined_waits_for_the_wait_buffer) {
  for (const bool another_waits : {false, true}) {
    switch_under_test one(coupled(1));
    make_pair(one, 1, 11, 3);
    one.send(request(0, 1, 1, 1));  // takes output 1 of the next switch, the pair output 0
    one.cycle({0, 0});
    if (another_waits) one.send(request(0, 1, 2, 2));
    one.cycle({0, 0});
    one.send(request(0, 1, 3, 1));
    one.cycle({0, 0});
    ASSERT_EQ(one.core.core().counters().combined, 2U);
    EXPECT_EQ(one.departures(0, 1, {1, 3}), (std::vector<int>{11}));
    ASSERT_EQ(one.core.core().wait_buffers().size(0), 1U) << "of one entry";
    EXPECT_EQ(one.departures(0, 2), (std::vector<int>{-1, -1}))
        << "another waits behind it: " << another_waits;
    one.answer(0, {100, 11, 1 << route_bit});
    one.cycle();
    EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1}));
  }
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

TEST(switch_column, the_peak_of_a_wait_buffer_stays_when_its_level_falls) {
  switch_under_test one(coupled(8));
  const auto peak_after = [&](std::uint32_t pairs) {
    for (std::uint32_t i = 0; i < pairs; ++i) make_pair(one, 0, 10 * pairs + 2 * i, i);
    one.departures(0, 3);
    for (std::uint32_t i = 0; i < pairs; ++i) {
      one.answer(0, {0, 10 * pairs + 2 * i, 0});
      one.cycle();
    }
    EXPECT_TRUE(one.core.core().wait_buffers().empty(0));
    return one.core.core().counters().wait_buffer_peak;
  };
  EXPECT_EQ(peak_after(1), 1U);
  EXPECT_EQ(peak_after(3), 3U);
  EXPECT_EQ(peak_after(2), 3U);
}

combining_switch_config with_registers() {
  combining_switch_config config = coupled(8);
  config.arrival_registers = true;
  return config;
}

TEST(switch_column, a_queue_keeps_a_slot_for_the_request_in_the_register) {
  combining_switch_config config = with_registers();
  config.slots = 2;
  switch_under_test one(config);
  std::vector<int> ready;  // bit 0 is that of the queue for output 0
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (i < 2) one.send(request(0, 0, i, i));
    one.cycle({0, 0});
    ready.push_back(one.core.request_ready(0));
  }
  EXPECT_EQ(ready, (std::vector<int>{3, 2, 2}))
      << "one in the register; one there and one in the queue; two in the queue";
}

/// Five slots of a reverse queue are room for four responses beside one that is on the way.
TEST(switch_column, a_reverse_queue_keeps_slots_for_both_halves_of_the_response_in_the_register) {
  for (const bool combined : {false, true}) {
    combining_switch_config config = with_registers();
    config.reverse_slots = 5;
    switch_under_test one(config);
    one.send(request(0, 0, 1));
    one.cycle({0, 0});
    if (combined) one.send(request(0, 0, 2));
    one.cycle({0, 0});
    one.cycle({0, 0});
    EXPECT_EQ(one.departures(0, 1), (std::vector<int>{1}));
    ASSERT_EQ(one.core.core().wait_buffers().size(0), combined ? 1U : 0U);
    one.answer(0, {100, 1, 0});
    one.cycle(all_ready, {false, false});
    EXPECT_EQ(one.core.reply_ready(), !combined) << "a second half follows: " << combined;
  }
}

TEST(switch_column, what_is_in_a_register_is_in_the_column) {
  switch_under_test one(with_registers());
  one.send(request(0, 0, 1));
  one.cycle();
  EXPECT_FALSE(one.core.idle()) << "a request came into the register";
  one.departures(0, 3);
  EXPECT_TRUE(one.core.idle()) << "it has left";
  one.answer(0, {0, 1, 0});
  one.cycle();
  EXPECT_FALSE(one.core.idle()) << "its response came into the register";
  one.departures(0, 3);
  EXPECT_TRUE(one.core.idle()) << "that has left too";
}

/// What speaks for a switch that is implemented elsewhere counts as that switch does.
TEST(switch_column, counts_of_a_switch_elsewhere_are_its_own) {
  core_switch elsewhere(coupled(8), route_bit);
  switch_column column(coupled(8), route_bit);
  const auto cycle = [&](const std::array<std::uint8_t, 2>& ready, const switch_traffic& arrived) {
    const switch_traffic departed = elsewhere.depart(ready, sinks_ready);
    const switch_activity& activity = elsewhere.commit(arrived);
    column.advance_links();
    column.count(departed, arrived, activity, elsewhere.core().wait_buffers().size(0));
  };
  switch_traffic first;
  first.requests[0] = request(0, 0, 1);
  switch_traffic second;
  second.requests[0] = request(0, 0, 2);
  switch_traffic answer;
  answer.replies[0] = reply{100, 1, 0};
  cycle({0, 0}, first);
  cycle({0, 0}, second);  // which joins it
  for (int i = 0; i < 3; ++i) cycle({0, 0}, {});
  cycle(all_ready, {});
  for (int i = 0; i < 3; ++i) cycle(all_ready, {});
  cycle(all_ready, answer);
  for (int i = 0; i < 3; ++i) cycle(all_ready, {});
  const combining_counters& expected = elsewhere.core().counters();
  const combining_counters& counted = column.counters();
  ASSERT_EQ(expected.combined, 1U);
  EXPECT_EQ(counted.arrived, expected.arrived);
  EXPECT_EQ(counted.combined, expected.combined);
  EXPECT_EQ(counted.departed, expected.departed);
  EXPECT_EQ(counted.decombined, expected.decombined);
  EXPECT_EQ(counted.wait_buffer_peak, expected.wait_buffer_peak);
  EXPECT_EQ(counted.cycles, expected.cycles);
  EXPECT_EQ(counted.waiting_cycles, expected.waiting_cycles) << "a pair is one entry";
  EXPECT_EQ(counted.held_cycles, expected.held_cycles);
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

TEST(switch_column, refuses_what_never_accepts_a_request) {
  combining_switch_config config;
  config.slots = 1;
  EXPECT_NO_THROW(config.validate());
  config.type = queue_type::a;
  EXPECT_THROW(config.validate(), configuration_error);
}

}  // namespace
}  // namespace tributary
