// SPDX-License-Identifier: Apache-2.0
// Rules 1 to 3 of the cycle contract, one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/switch_column.h>

#include "support/queue_script.h"

namespace tributary {
namespace {

using testing::queue_case;
using testing::scripted_queue;

combining_queue_config type_b(std::uint32_t slots = 4) {
  combining_queue_config config;
  config.slots = slots;
  return config;
}
combining_queue_config coupled_b(std::uint32_t slots = 4) {
  combining_queue_config config = type_b(slots);
  config.coupled = true;
  return config;
}
combining_queue_config type_a(std::uint32_t slots) {
  combining_queue_config config = type_b(slots);
  config.writers = 2;
  return config;
}
combining_queue_config ordered(combining_queue_config config) {
  config.coupled = true;
  config.order = match_order::ordered;
  return config;
}
combining_queue_config adaptive(std::uint32_t slots, std::uint32_t limit) {
  combining_queue_config config = type_b(slots);
  config.adaptive_limit = limit;
  return config;
}
combining_queue_config without_add() {
  combining_queue_config config = coupled_b();
  config.combining_forms = static_cast<std::uint8_t>(~(1U << static_cast<unsigned>(form::add)));
  return config;
}

const std::vector<queue_case> cases = {
    {"type B: one writer, one slot is enough", type_b(2), "aX", "a", true},
    {"no slot", type_b(2), "aX bY", "a b", false},
    {"a slot that the head left", type_b(2), "aX bY !", "b", true},
    {"type A: a slot for each writer", type_a(3), "aX", "a", true},
    {"type A: one free slot for two writers", type_a(3), "aX bY", "a b", false},
    {"the third combined and took no slot", type_b(3), "aX bY cY:", "a b+c", true},
    {"a full queue refuses even what could combine", type_b(3), "aX bY cY: dZ", "a b+c d", false},
    {"below the adaptive limit", adaptive(6, 2), "aZ bX cX", "a b+c", true},
    {"two combined requests, three free slots", adaptive(6, 2), "aZ bX cX dY eY", "a b+c d+e",
     false},
    {"the head that left was plain", adaptive(6, 2), "aZ bX cX dY eY !", "b+c d+e", false},
    {"one combined request has left", adaptive(6, 2), "aZ bX cX dY eY ! !", "d+e", true},
    {"without a limit all may be combined", coupled_b(3), "aX bX cY dY", "a+b c+d", true},
    {"decoupled: the only entry is the head", type_b(), "aX bX cX", "a b+c", true},
    {"decoupled: the second may combine while the head leaves", type_b(), "aY bX !cX", "b+c", true},
    {"coupled takes the head", coupled_b(), "aX bX", "a+b", true},
    {"but not as it leaves", coupled_b(), "aX !bX", "b", true},
    {"the new head may combine while the old one leaves", coupled_b(), "aY bX !cX", "b+c", true},
    {"never two into one", coupled_b(6), "aX bX cX dX", "a+b c+d", true},
    {"those of an earlier pair do not count", coupled_b(), "aX bX ! aX cY dY", "a c+d", true},
    {"nor does one whose slot a request took", coupled_b(), "aX bX ! cX dX", "c+d", true},
    {"nor do they for requests behind a pair", coupled_b(), "aX bX cY dY ! eZ fW gV", "c+d e f g",
     false},
    {"only the same word combines", coupled_b(), "aX bY", "a b", true},
    {"a compare-and-swap waits alone, the oldest that composes is joined", coupled_b(8),
     "aX? bX cX^ dX= eX^", "a b c+e d", true},
    {"requests marked so do not combine", coupled_b(), "aX- bX cX-", "a b c", true},
    {"disabled forms do not combine, as first or second", without_add(), "aX bX cX0 dX:", "a b c+d",
     true},
    {"nothing combines while the wait buffer is full", coupled_b(), "aX #bX", "a b", true},
    {"arrivals of one cycle do not pair", type_a(6), "aY bX,cX", "a b c", true},
    {"in the next cycle they are there", type_a(6), "aY bX,cX dX", "a b+d c", true},
    {"of two arrivals the second sees the partner taken", type_a(8), "aY bX cX,dX", "a b+c d",
     true},
    {"and finds the next one", type_a(8), "aY bX cX? dX^ eX,fX0", "a b+e c d+f", true},
    {"the oldest may overtake", coupled_b(6), "aX bX& cX", "a+c b", true},
    {"a request seals the older entries of its word; the newest is not sealed",
     ordered(coupled_b(6)), "aX bX& cX dX", "a b c+d", true},
    {"also when it joins: d would pass c of its own input", ordered(coupled_b(6)), "aX bX| cX& dX",
     "a b+c d", true},
    {"sealed for input 0 only", ordered(type_a(8)), "aX bX& _,cX", "a+c b", true},
    {"a seal to one input stays when the other seals too", ordered(type_a(8)), "aX bX& _,cX& dX",
     "a b+c d", true},
    {"another word seals nothing", ordered(type_a(8)), "aX bY cX", "a+c b", true},
    {"of simultaneous inserts that of the lower port is the older", ordered(type_a(8)),
     "aX,bX& cX,dX0", "a+c b+d", true},
    {"joining a would pass b", ordered(type_a(8)), "aX,bX& _,cX", "a b c", true},
    {"first in, first out around the ring", type_b(3), "aA bB cC !dD !eE !fF", "d e f", false},
};

class combining_queue_rules : public ::testing::TestWithParam<queue_case> {};

TEST_P(combining_queue_rules, hold) {
  const queue_case& tested = GetParam();
  scripted_queue run(tested.config);
  run.run(tested.script);
  EXPECT_EQ(run.state(), tested.state) << tested;
  EXPECT_EQ(run.queue.ready(0), tested.ready) << tested;
}

INSTANTIATE_TEST_SUITE_P(cases, combining_queue_rules, ::testing::ValuesIn(cases));

TEST(combining_queue, another_module_has_another_word) {
  scripted_queue b(coupled_b());
  b.run("aX");
  packet elsewhere = testing::scripted_request("bX");
  elsewhere.location = location_of(mm_id{1}, elsewhere.address());
  EXPECT_EQ(b.queue.accept(0, elsewhere, {}, b.pool), nullptr);
}

TEST(combining_queue, the_sum_goes_on_and_the_first_is_kept) {
  scripted_queue b(coupled_b());
  b.run("aX cX");
  EXPECT_EQ(b.queue.combined(0), 1U);
  b.run("!");
  const combining_queue::released& sum = b.left.at(0);
  EXPECT_EQ(sum.request.function(), (word_function{form::add, 1 + 4, 0}));
  EXPECT_EQ(sum.request.sequence, std::uint32_t{'a'});
  ASSERT_NE(sum.partner, no_partner);
  EXPECT_EQ(b.pool[sum.partner], (partner{{'a', 0}, {'c', 0}, {form::add, 1, 0}}));
  EXPECT_EQ(b.queue.combined(0), 0U);
}

/// To combine f with g, the switch sends g after f and keeps f: a store before an addition is no
/// addition before a store.
TEST(combining_queue, the_function_that_goes_on_is_the_second_after_the_first) {
  struct {
    const char* script;
    word_t left;  ///< in a word of 100
  } const all[] = {{"cX: bX !", 4 + 2}, {"bX cX: !", 4}};
  for (const auto& each : all) {
    scripted_queue b(coupled_b());
    b.run(each.script);
    ASSERT_EQ(b.left.size(), 1U) << each.script << ": they did not combine";
    EXPECT_EQ(apply(b.left[0].request.function(), 100), each.left) << each.script;
  }
}

/// Rule 12: one that joins adds (256 - rate) >> 4, any other takes away (rate + 15) >> 4.
TEST(combining_queue, the_rate_rises_with_what_joins_and_falls_with_what_does_not) {
  combining_queue_config config = adaptive(8, 2);
  config.coupled = true;
  config.adaptation = queue_adaptation::gradual;
  scripted_queue measured(config);
  std::vector<unsigned> rates;
  for (const char* const arrival : {"aX", "bX", "cX", "dX", "eY"}) {
    measured.run(arrival);
    rates.push_back(measured.queue.combining_rate(0));
  }
  EXPECT_EQ(measured.state(), "a+b c+d e");
  EXPECT_EQ(rates, (std::vector<unsigned>{0, 16, 15, 30, 28}));
}

TEST(combining_queue, seals_do_not_outlive_their_entry) {
  scripted_queue b(ordered(coupled_b(2)));
  for (int round = 0; round < 5; ++round) {
    b.run("aX bX& ! ! cX dX");
    EXPECT_EQ(b.state(), "c+d") << "round " << round;
    b.run("!");
  }
}

/// Section 5: 2 slots (B coupled), 3 (B decoupled, A coupled), 4 (A decoupled). The queue is
/// offered requests to one word as fast as it is ready, and nothing leaves.
TEST(combining_queue, slots_needed_to_combine) {
  for (const queue_type type : {queue_type::a, queue_type::b}) {
    for (const bool coupled : {false, true}) {
      combining_switch_config a_switch;
      a_switch.type = type;
      a_switch.coupled = coupled;
      const std::uint32_t needed = (coupled ? 2 : 3) + (type == queue_type::a ? 1 : 0);
      EXPECT_EQ(a_switch.slots_to_combine(), needed);
      for (std::uint32_t slots = type == queue_type::a ? 2 : 1; slots <= 6; ++slots) {
        combining_queue_config config = type == queue_type::a ? type_a(slots) : type_b(slots);
        config.coupled = coupled;
        scripted_queue filled(config);
        for (int cycle = 0; cycle < 10; ++cycle) {
          if (filled.queue.ready(0)) filled.run("aX");
        }
        EXPECT_EQ(filled.queue.combined(0) > 0, slots >= needed)
            << needed << " slots needed, coupled " << coupled << ", slots " << slots;
      }
    }
  }
}

TEST(combining_queue, queues_side_by_side_are_independent) {
  combining_queue queues(coupled_b(), 3);
  partner_pool pool;
  queues.accept(1, testing::scripted_request("aX"), {}, pool);
  EXPECT_TRUE(queues.empty(0));
  EXPECT_EQ(queues.size(1), 1U);
  EXPECT_EQ(queues.accept(2, testing::scripted_request("bX"), {}, pool), nullptr)
      << "not the neighbour's entry";
}

TEST(combining_queue, equality_is_from_the_head) {
  scripted_queue one(coupled_b(3));
  scripted_queue other(coupled_b(3));
  const auto equal = [&] { return one.queue.equals(one.pool, other.queue, other.pool); };
  one.run("aX");
  other.run("yY zZ !aX");
  EXPECT_FALSE(equal());
  other.run("!");
  EXPECT_TRUE(equal()) << "other place in the ring";
  one.run("bX");
  EXPECT_FALSE(equal()) << "one has a partner";
  other.run("cX");
  EXPECT_FALSE(equal()) << "another partner";
}

}  // namespace
}  // namespace tributary
