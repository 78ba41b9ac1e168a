// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;

/// Notes when it is woken, and for what.
class sleeper final : public timed_block {
 public:
  void wake(cycle_t now, std::uint64_t what) override { woken.emplace_back(now, what); }
  std::vector<std::pair<cycle_t, std::uint64_t>> woken;
};

TEST(agenda_test, wakes_by_cycle_rank_and_order_of_asking) {
  agenda when;
  sleeper who;
  when.wake(who, 5, 1);
  when.wake(who, 5, 2, wake_rank::processor);
  when.wake(who, 3, 3);
  when.wake(who, 5, 4);
  when.wake(who, 5, 5, wake_rank::credit);
  when.wake(who, 5, 6, wake_rank::arrival);
  EXPECT_EQ(when.next_wakeup(), 3U);
  when.advance_to(4);
  EXPECT_EQ(when.now(), 4U);
  when.advance_to(5);
  const std::vector<std::pair<cycle_t, std::uint64_t>> expected = {{3, 3}, {5, 5}, {5, 6},
                                                                   {5, 2}, {5, 1}, {5, 4}};
  EXPECT_EQ(who.woken, expected);
  EXPECT_EQ(when.next_wakeup(), never);
}

/// As of a network of many nodes: hundreds wait, and a new one belongs anywhere among them.
TEST(agenda_test, hundreds_wake_in_the_same_order) {
  agenda when;
  sleeper who;
  random_stream random(1, 2U, 3U);
  std::vector<std::pair<cycle_t, std::uint64_t>> expected;
  for (std::uint64_t asked = 0; asked < 500; ++asked) {
    const cycle_t at = 1 + random.below(60);
    when.wake(who, at, asked);
    expected.emplace_back(at, asked);
  }
  std::sort(expected.begin(), expected.end());  // those of a cycle as they were asked for
  when.advance_to(60);
  EXPECT_EQ(who.woken, expected);
}

TEST(agenda_test, a_block_may_ask_within_its_cycle) {
  agenda when;
  struct again final : timed_block {
    explicit again(agenda& its) : its_agenda(its) {}
    void wake(cycle_t now, std::uint64_t what) override {
      ++times;
      if (what > 0) its_agenda.wake(*this, now, what - 1);
    }
    agenda& its_agenda;
    int times = 0;
  } who(when);
  when.wake(who, 2, 3);
  when.advance_to(2);
  EXPECT_EQ(who.times, 4);
}

TEST(agenda_test, what_has_passed_is_refused) {
  agenda when;
  sleeper who;
  when.advance_to(10);
  when.wake(who, 10);
  EXPECT_TRUE(contains(message_of<simulation_error>([&] { when.wake(who, 9); }), "cycle 9"));
}

TEST(agenda_test, cycles_end) {
  agenda when;
  sleeper who;
  when.wake(who, (cycle_t{1} << 62) - 1, 1);
  EXPECT_THROW(when.wake(who, cycle_t{1} << 62), simulation_error);
  EXPECT_THROW(when.wake(who, never), simulation_error);
  when.advance_to((cycle_t{1} << 62) - 1);
  ASSERT_EQ(who.woken.size(), 1U);
  EXPECT_EQ(who.woken[0].first, (cycle_t{1} << 62) - 1);
}

/// Two blocks on an agenda.
struct two_sleepers {
  two_sleepers() {
    when.enroll(first);
    when.enroll(second);
  }
  agenda when;
  sleeper first;
  sleeper second;
};

TEST(agenda_test, what_was_restored_wakes_the_same_in_the_same_order) {
  two_sleepers saved;
  saved.when.advance_to(4);
  saved.when.wake(saved.second, 9, 1);
  saved.when.wake(saved.first, 9, 2);
  saved.when.wake(saved.first, 7, 3);
  saved.when.wake(saved.second, 9, 4, wake_rank::credit);
  two_sleepers restored;
  restored.when.wake(restored.first, 2, 77);
  restored.when.restore(saved.when.save());
  EXPECT_EQ(restored.when.save(), saved.when.save());
  EXPECT_EQ(restored.when.now(), 4U);
  EXPECT_EQ(restored.when.next_wakeup(), 7U);
  for (two_sleepers* each : {&saved, &restored}) {
    each->when.wake(each->first, 9, 5);
    each->when.advance_to(9);
  }
  EXPECT_EQ(restored.first.woken, saved.first.woken);
  EXPECT_EQ(restored.second.woken, saved.second.woken);
  EXPECT_EQ(saved.first.woken.size() + saved.second.woken.size(), 5U);
}

/// Asks for others as it is woken, so that hundreds wait and change all the time.
class restless final : public timed_block {
 public:
  explicit restless(agenda& time) : agenda_(time) { time.enroll(*this); }
  void wake(cycle_t now, std::uint64_t what) override {
    woken.emplace_back(now, what);
    random_stream random(what, 5U, 6U);
    for (int i = 0; i < 2 && asked_ < 4000; ++i) {
      agenda_.wake(*this, now + random.below(i == 0 ? 4 : 3000), asked_++);
    }
  }
  void begin() { wake(0, 99); }
  std::uint64_t asked() const { return asked_; }
  void go_on_from(std::uint64_t asked) { asked_ = asked; }
  std::vector<std::pair<cycle_t, std::uint64_t>> woken;

 private:
  agenda& agenda_;
  std::uint64_t asked_ = 100;
};

TEST(agenda_test, hundreds_that_come_and_go_are_restored_at_any_time) {
  agenda whole;
  restless who(whole);
  who.begin();
  whole.advance_to(20000);
  EXPECT_EQ(who.woken.size(), 3901U) << "all that were asked for, and the first";
  EXPECT_TRUE(std::is_sorted(who.woken.begin(), who.woken.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));
  for (const cycle_t stop : {1U, 30U, 200U, 900U, 2500U}) {
    agenda first;
    restless before(first);
    before.begin();
    first.advance_to(stop);
    agenda second;
    restless after(second);
    second.restore(first.save());
    EXPECT_EQ(second.save(), first.save());
    after.go_on_from(before.asked());
    second.advance_to(20000);
    before.woken.insert(before.woken.end(), after.woken.begin(), after.woken.end());
    EXPECT_EQ(before.woken, who.woken) << "restored in cycle " << stop;
  }
}

/// As agenda.cpp keeps them, so that a test can say what no agenda would.
struct kept_wakeup {
  std::uint64_t when = 0;
  std::uint64_t sequence = 0;
  std::uint64_t what = 0;
  std::uint32_t who = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(when, sequence, what, who);
  }
};

TEST(agenda_test, a_state_with_a_wake_up_of_the_past_is_refused) {
  const auto state_with = [](cycle_t cycle) {
    const std::vector<kept_wakeup> wakeups{{cycle << 2U, 0, 7, 0}};
    return save_state(cycle_t{5}, std::uint64_t{1}, wakeups);
  };
  two_sleepers later;
  later.when.restore(state_with(6));
  EXPECT_EQ(later.when.next_wakeup(), 6U);
  EXPECT_THROW(later.when.restore(state_with(5)), input_error);
  EXPECT_THROW(later.when.restore(state_with(3)), input_error);
}

TEST(agenda_test, saves_and_restores_only_blocks_that_were_enrolled) {
  two_sleepers saved;
  saved.when.wake(saved.second, 3);
  agenda alone;
  sleeper who;
  alone.enroll(who);
  EXPECT_THROW(alone.restore(saved.when.save()), input_error);
  agenda strange;
  strange.wake(who, 3);
  EXPECT_THROW(strange.save(), error);
}

}  // namespace
}  // namespace tributary
