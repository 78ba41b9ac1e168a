// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <tributary/magic/outbox.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>

namespace tributary {
namespace {

class outlets final : public message_outlet, public answer_outlet {
 public:
  struct pushed {
    message what;
    cycle_t from;
  };
  struct answered {
    std::uint8_t tag;
    word_t value;
    cycle_t from;
  };
  std::vector<pushed> messages;
  std::vector<answered> answers;
  bool full = false;

  void push(const message& what, cycle_t from) override {
    if (full) throw simulation_error("full");
    messages.push_back({what, from});
  }
  void answer(std::uint8_t tag, word_t value, cycle_t from) override {
    answers.push_back({tag, value, from});
  }
};

TEST(outbox, takes_a_place_at_once_and_hands_over_later) {
  outlets to;
  outbox out({}, to, to);
  message what;
  what.type = 20;
  out.send(what, 100);
  out.answer(3, 77, 101);
  ASSERT_EQ(to.messages.size(), 1U);
  EXPECT_EQ(to.messages[0].what, what);
  EXPECT_EQ(to.messages[0].from, 101U);
  ASSERT_EQ(to.answers.size(), 1U);
  EXPECT_EQ(to.answers[0].tag, 3);
  EXPECT_EQ(to.answers[0].value, 77U);
  EXPECT_EQ(to.answers[0].from, 102U);
}

TEST(outbox, latency_is_a_parameter) {
  outlets to;
  outbox_config config;
  config.latency = 5;
  outbox out(config, to, to);
  out.send({}, 7);
  EXPECT_EQ(to.messages[0].from, 12U);
  config.latency = 1001;
  EXPECT_THROW(outbox(config, to, to), configuration_error);
}

TEST(outbox, counts_what_was_taken) {
  outlets to;
  outbox out({}, to, to);
  out.send({}, 1);
  to.full = true;
  EXPECT_THROW(out.send({}, 2), simulation_error);
  out.answer(0, 0, 3);
  EXPECT_EQ(testing::statistic(out, "messages"), 1);
  EXPECT_EQ(testing::statistic(out, "answers"), 1);
  out.reset_statistics();
  EXPECT_EQ(testing::statistic(out, "messages"), 0);
  EXPECT_EQ(testing::statistic(out, "answers"), 0);
}

}  // namespace
}  // namespace tributary
