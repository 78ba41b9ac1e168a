// SPDX-License-Identifier: Apache-2.0
// The systolic queue by the rules of its page, cycle by cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>

#include "support/queue_script.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;
using testing::queue_case;
using testing::scripted_queue;

combining_queue_config systolic(std::uint32_t slots = 4, bool coupled = false,
                                std::uint32_t adaptive_limit = 0) {
  combining_queue_config config;
  config.slots = slots;
  config.coupled = coupled;
  config.adaptive_limit = adaptive_limit;
  config.microarchitecture = queue_microarchitecture::systolic;
  return config;
}
combining_queue_config coupled(std::uint32_t slots) { return systolic(slots, true); }

const std::vector<queue_case> cases = {
    {"an arrival to an empty queue is at the exit", systolic(), "aX", "a", true},
    {"and so if the only one leaves meanwhile", systolic(), "aX !bY", "b", true},
    {"others climb", systolic(), "aX bY", "a |b@0", true},
    {"others climb", systolic(), "aX bY cZ", "a b |c@0", true},
    {"others climb", systolic(), "aX bY cZ .", "a b |c@1", true},
    {"to the top of the waiting", systolic(), "aX bY cZ . .", "a b c", true},
    {"into the exit cell, the one beside it", systolic(), "aX bY !", "b", true},
    {"to the cell above the head", systolic(), "aX bY ! cZ .", "b c", true},
    {"a row a cycle", systolic(), "aX bY ! cZ . dW .", "b c |d@1", true},
    {"and down with the others", systolic(), "aX bY ! cZ . dW . !", "c d", true},
    {"six entries, some of them in IN", systolic(6), "aA bB cC dD eE fF", "a b c |d@2 e@1 f@0",
     false},
    {"b passed the exit cell, which takes no partner", systolic(), "aX bX .", "a b", true},
    {"neighbours meet cycles after the arrival", systolic(), "aX bX . cX", "a b |c@0", true},
    {"beside the exit cell", systolic(), "aX bX . cX .", "a b |c@1", true},
    {"beside b", systolic(), "aX bX . cX . .", "a b+c", true},
    {"c is at the exit as b is above it", systolic(), "aX bY . cY", "a b |c@0", true},
    {"b came down from row 1 as c went up from 0", systolic(), "aX bY . cY !", "b+c", true},
    {"c arrives as b becomes the head", systolic(), "aX bY . !cY", "b |c@0", true},
    {"which is spared; a parallel queue would have joined them", systolic(), "aX bY . !cY .", "b c",
     true},
    {"coupled the head takes a partner", coupled(2), "aX bX .", "a+b", true},
    {"except as it leaves", coupled(2), "aX bX !", "b", true},
    {"c met a in a cycle in which the wait buffer was full", coupled(4), "aX bY . cX # .", "a b c",
     true},
    {"d arrives in such a cycle", coupled(4), "aX bY . cX # . #dY", "a b c |d@0", false},
    {"and meets b later", coupled(4), "aX bY . cX # . #dY . .", "a b+d c", true},
    {"d and e climb in neighbouring rows", coupled(6), "aX bX . cY . gZ . . dZ eY .",
     "a+b c g |d@2 e@1", true},
    {"and meet g and c in one cycle", coupled(6), "aX bX . cY . gZ . . dZ eY . .", "a+b c+e g+d",
     true},
    {"c and d both climb towards b", systolic(6), "aX bY . cY dY", "a b |c@1 d@0", true},
    {"b was beside c, and passed d: c has it", systolic(6), "aX bY . cY dY !", "b+c d", true},
    {"what does not compose or may not combine waits alone", systolic(),
     "aX bY? . cY . . dY- . . . .", "a b c d", false},
    {"c is at the exit, and not yet a pair", systolic(5, false, 1), "aX bY . cY", "a b |c@0", true},
    {"c is beside b, and not yet a pair", systolic(5, false, 1), "aX bY . cY dZ", "a b |c@1 d@0",
     true},
    {"an adaptive queue is full from the match on", systolic(5, false, 1), "aX bY . cY dZ eZ",
     "a b+c |d@1 e@0", false},
    {"what was accepted climbs on", systolic(5, false, 1), "aX bY . cY dZ eZ .", "a b+c d |e@1",
     false},
    {"accepted below the limit, combined beyond it", systolic(5, false, 1),
     "aX bY . cY dZ eZ . . .", "a b+c d+e", false},
    {"a request has its slot until it combines", systolic(3), "aX bY . cY", "a b |c@0", false},
    {"a request has its slot until it combines", systolic(3), "aX bY . cY .", "a b |c@1", false},
    {"b+c is one entry", systolic(3), "aX bY . cY . .", "a b+c", true},
};

class systolic_queue_rules : public ::testing::TestWithParam<queue_case> {};

TEST_P(systolic_queue_rules, hold) {
  const queue_case& tested = GetParam();
  scripted_queue run(tested.config);
  run.run(tested.script);
  EXPECT_EQ(run.state(), tested.state) << tested;
  EXPECT_EQ(run.queue.ready(0), tested.ready) << tested;
}

INSTANTIATE_TEST_SUITE_P(cases, systolic_queue_rules, ::testing::ValuesIn(cases));

TEST(systolic_queue, order_is_first_in_first_out) {
  scripted_queue one(systolic(6));
  one.run("aA bB cC dD eE fF ! ! ! ! ! !");
  ASSERT_EQ(one.left.size(), 6U);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(one.left[i].request.sequence, 'a' + i);
}

TEST(systolic_queue, a_pair_leaves_as_one) {
  scripted_queue one(systolic());
  one.run("aX bY . cY ! !");
  ASSERT_EQ(one.left.size(), 2U);
  EXPECT_EQ(one.left[0].request.a, 1U);
  EXPECT_EQ(one.left[1].request.a, 2U + 4U) << "b and c as one";
}

TEST(systolic_queue, pairs_of_one_cycle_are_told_the_oldest_first) {
  scripted_queue one(coupled(6));
  one.run("aX bX . cY . gZ . . dZ eY . .");
  EXPECT_EQ(one.pairs, "a+b g+d c+e ");
  EXPECT_EQ(one.queue.combined(0), 3U);
}

TEST(systolic_queue, equality_looks_at_the_rows_of_those_that_climb) {
  scripted_queue early(systolic());
  early.run("aX bY . cZ");
  scripted_queue late = early;
  const auto equal = [&] { return early.queue.equals(early.pool, late.queue, late.pool); };
  EXPECT_TRUE(equal());
  early.run(".");
  EXPECT_FALSE(equal()) << "c is a row higher";
  late.run(".");
  EXPECT_TRUE(equal());
}

TEST(systolic_queue, has_one_writer_and_no_seals) {
  combining_queue_config config = systolic();
  config.writers = 2;
  EXPECT_THROW(combining_queue{config}, configuration_error);
  config = systolic();
  config.order = match_order::ordered;
  EXPECT_THROW(combining_queue{config}, configuration_error);
}

/// What `validate` says of a systolic switch with these choices; empty if it accepts.
std::string refusal(queue_type type, match_order order) {
  combining_switch_config config;
  config.microarchitecture = queue_microarchitecture::systolic;
  config.type = type;
  config.order = order;
  return message_of<configuration_error>([&] { config.validate(); });
}

TEST(systolic_queue, a_switch_refuses_it_for_type_a_and_for_ordered) {
  EXPECT_EQ(refusal(queue_type::b, match_order::oldest), "");
  for (const std::string& text : {refusal(queue_type::a, match_order::oldest),
                                  refusal(queue_type::b, match_order::ordered)}) {
    EXPECT_TRUE(contains(text, "network.microarchitecture: systolic with "));
    EXPECT_TRUE(testing::names(text, {"systolic", "queue_type B", "oldest"}));
  }
}

}  // namespace
}  // namespace tributary
