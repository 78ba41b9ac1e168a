// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/magic/idle_handler.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/block_statistics.h>

namespace tributary {
namespace {

/// Takes what is due as soon as it is told.
class taker final : public selector {
 public:
  struct run {
    cycle_t cycle;
    unsigned handler;
    friend bool operator==(const run& a, const run& b) {
      return a.cycle == b.cycle && a.handler == b.handler;
    }
  };
  explicit taker(idle_handler& from) : from_(from) { from.tell(*this); }
  void look(cycle_t now) override {
    while (from_.front(now) != nullptr) {
      runs.push_back({now, static_cast<unsigned>(from_.front_handler())});
      from_.take(now);
    }
  }
  std::vector<run> runs;

 private:
  idle_handler& from_;
};
using runs = std::vector<taker::run>;

idle_handler_config period(std::uint64_t cycles) {
  idle_handler_config config;
  config.period = cycles;
  return config;
}

void ask(idle_handler& of, cycle_t at, unsigned run) {
  of.after(at, static_cast<handler_id>(run), message());
}

TEST(idle_handler, a_due_handler_shows_until_it_is_taken) {
  agenda time;
  idle_handler idle(period(10), time);
  message with;
  with.type = 44;
  with.aux = 7;
  with.data = payload_handle{2};
  idle.after(3, handler_id{9}, with);
  time.advance_to(25);
  ASSERT_NE(idle.front(25), nullptr);
  EXPECT_EQ(idle.front_handler(), handler_id{9});
  const message taken = idle.take(25);
  EXPECT_EQ(taken.type, 44);
  EXPECT_EQ(taken.aux, 7);
  EXPECT_EQ(taken.origin, message_origin::timed);
  EXPECT_EQ(taken.data, no_payload);
  EXPECT_EQ(idle.front(25), nullptr);
  EXPECT_THROW(idle.take(25), error);

  EXPECT_EQ(testing::statistic(idle, "invocations"), 1);
  EXPECT_EQ(testing::statistic(idle, "late.sum"), 22);
  EXPECT_EQ(testing::statistic(idle, "peak"), 1);
  idle.reset_statistics();
  EXPECT_EQ(testing::statistic(idle, "invocations"), 0);
  EXPECT_EQ(testing::statistic(idle, "peak"), 0);
}

TEST(idle_handler, one_that_asks_again_is_served_a_period_later) {
  agenda time;
  idle_handler idle(period(100), time);
  ask(idle, 50, 1);
  for (cycle_t expected = 100; expected <= 500; expected += 100) {
    EXPECT_EQ(time.next_wakeup(), expected);
    time.advance_to(expected);
    ASSERT_NE(idle.front(expected), nullptr);
    idle.take(expected);
    ask(idle, expected + 1, 1);
  }
}

TEST(idle_handler, one_that_waits_with_the_same_message_runs_once) {
  agenda time;
  idle_handler idle(period(100), time);
  taker who(idle);
  ask(idle, 50, 1);
  ask(idle, 90, 1);
  ask(idle, 350, 1);
  ask(idle, 50, 2);
  message other;
  other.address = 128;
  idle.after(50, handler_id{1}, other);
  EXPECT_EQ(idle.size(), 3U);
  ask(idle, 20, 3);
  ask(idle, 130, 4);
  ask(idle, 20, 4);  // earlier than the one that waits
  time.advance_to(500);
  EXPECT_EQ(who.runs, (runs{{100, 1}, {100, 2}, {100, 1}, {100, 3}, {100, 4}, {200, 4}}));
  EXPECT_TRUE(idle.idle());
}

TEST(idle_handler, refuses_what_never_comes) {
  agenda time;
  EXPECT_THROW(idle_handler(period(0), time), configuration_error);
  idle_handler idle(period(100), time);
  EXPECT_THROW(ask(idle, never, 1), simulation_error);
  EXPECT_THROW(idle.after(1, no_handler, message()), error);
  EXPECT_EQ(idle.size(), 0U);
}

TEST(idle_handler, agrees_with_a_formula_on_random_use) {
  random_stream random(3, 0U, 0U);
  for (int round = 0; round < 50; ++round) {
    agenda time;
    const std::uint64_t cycles = 1 + random.below(40);
    idle_handler idle(period(cycles), time);
    taker who(idle);
    std::vector<cycle_t> due;
    for (unsigned i = 0; i < 100; ++i) {
      time.advance_to(time.now() + random.below(20));
      // A time that has passed means now.
      const cycle_t at = time.now() + random.below(200) - std::min<cycle_t>(time.now(), 50);
      ask(idle, at, i);
      due.push_back((std::max(at, time.now()) + cycles - 1) / cycles * cycles);
    }
    time.advance_to(time.now() + 500);
    EXPECT_EQ(time.next_wakeup(), never) << "no handler waits";
    ASSERT_EQ(who.runs.size(), due.size());
    for (std::size_t i = 0; i < due.size(); ++i) {
      ASSERT_EQ(who.runs[i].cycle, due[who.runs[i].handler]);
      if (i > 0 && who.runs[i - 1].cycle == who.runs[i].cycle) {
        ASSERT_LT(who.runs[i - 1].handler, who.runs[i].handler);
      }
    }
  }
}

}  // namespace
}  // namespace tributary
