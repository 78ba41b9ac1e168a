// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/magic/idle_handler.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

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

TEST(idle_handler, serves_at_the_first_multiple_not_before_the_time) {
  agenda time;
  idle_handler idle(period(100), time);
  taker who(idle);
  ask(idle, 101, 1);
  ask(idle, 100, 2);
  ask(idle, 99, 3);
  ask(idle, 301, 4);
  ask(idle, 200, 5);
  EXPECT_EQ(idle.size(), 5U);
  time.advance_to(99);
  EXPECT_EQ(idle.front(99), nullptr);
  time.advance_to(1000);
  EXPECT_EQ(who.runs, (runs{{100, 2}, {100, 3}, {200, 1}, {200, 5}, {400, 4}}));
  EXPECT_EQ(time.next_wakeup(), never) << "nobody waits, nothing to do";
}

TEST(idle_handler, a_time_that_has_passed_means_now) {
  agenda time;
  idle_handler idle(period(100), time);
  taker who(idle);
  time.advance_to(250);
  ask(idle, 20, 1);
  time.advance_to(299);
  EXPECT_TRUE(who.runs.empty());
  time.advance_to(300);
  ask(idle, 300, 2);
  time.advance_to(300);
  EXPECT_EQ(who.runs, (runs{{300, 1}, {300, 2}}));
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

  statistics_tree tree;
  idle.report(tree.group("idle"), 0);
  EXPECT_EQ(tree.find("idle.invocations"), 1);
  EXPECT_EQ(tree.find("idle.late.sum"), 22);
  EXPECT_EQ(tree.find("idle.peak"), 1);
  idle.reset_statistics();
  statistics_tree after;
  idle.report(after.group("idle"), 0);
  EXPECT_EQ(after.find("idle.invocations"), 0);
  EXPECT_EQ(after.find("idle.peak"), 0);
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
      const cycle_t at = time.now() + random.below(200);
      ask(idle, at, i);
      due.push_back((at + cycles - 1) / cycles * cycles);
    }
    time.advance_to(time.now() + 500);
    ASSERT_EQ(who.runs.size(), due.size());
    for (std::size_t i = 0; i < due.size(); ++i) {
      ASSERT_EQ(who.runs[i].cycle, due[who.runs[i].handler]);
      if (i > 0 && who.runs[i - 1].cycle == who.runs[i].cycle) {
        ASSERT_LT(who.runs[i - 1].handler, who.runs[i].handler);
      }
    }
  }
}

TEST(idle_handler, a_restored_one_serves_what_waits_and_has_the_same_statistics) {
  agenda time;
  idle_handler idle(period(100), time);
  taker who(idle);
  ask(idle, 50, 1);
  ask(idle, 60, 5);
  ask(idle, 250, 2);
  ask(idle, 300, 3);
  time.advance_to(150);
  agenda other_time;
  idle_handler other(period(100), other_time);
  taker other_who(other);
  other.restore(idle.save());
  other_time.restore(time.save());
  EXPECT_EQ(other.size(), 2U);
  EXPECT_FALSE(other.idle());
  for (idle_handler* each : {&idle, &other}) ask(*each, 260, 4);
  time.advance_to(1000);
  other_time.advance_to(1000);
  EXPECT_EQ(other_who.runs, (runs{{300, 2}, {300, 3}, {300, 4}}));
  EXPECT_TRUE(other.idle());
  statistics_tree mine;
  idle.report(mine.group("idle"), 0);
  statistics_tree theirs;
  other.report(theirs.group("idle"), 0);
  EXPECT_EQ(theirs.to_json_text(), mine.to_json_text());
  EXPECT_EQ(mine.find("idle.peak"), 4);
}

}  // namespace
}  // namespace tributary
