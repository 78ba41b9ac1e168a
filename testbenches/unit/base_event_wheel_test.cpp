// SPDX-License-Identifier: Apache-2.0
// A wheel hands out what a queue does, in its order.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/event_queue.h>
#include <tributary/sim/event_wheel.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

constexpr std::size_t span = event_wheel<int>::span;

template <class T>
std::vector<T> taken(event_wheel<T>& wheel, cycle_t now) {
  std::vector<T> events;
  wheel.take_due(now, [&](const std::vector<T>& due, std::size_t i) { events.push_back(due[i]); });
  return events;
}

template <class T>
std::vector<T> taken(event_queue<T>& queue, cycle_t now) {
  std::vector<T> events;
  T event{};
  while (queue.pop_due(now, event)) events.push_back(event);
  return events;
}

TEST(event_wheel, far_ones_come_before_near_ones_of_the_same_cycle) {
  event_wheel<int> wheel;
  const cycle_t when = span + 10;
  wheel.schedule(when, 1);
  EXPECT_TRUE(taken(wheel, 20).empty());
  wheel.schedule(when, 2);
  wheel.schedule(when, 3);
  wheel.schedule(when - 1, 4);
  EXPECT_EQ(taken(wheel, when - 1), (std::vector<int>{4}));
  EXPECT_EQ(taken(wheel, when), (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(taken(wheel, when + 10 * span).empty());
}

TEST(event_wheel, late_ones_come_at_once) {
  event_wheel<int> wheel;
  EXPECT_TRUE(taken(wheel, 100).empty());
  wheel.schedule(40, 1);
  wheel.schedule(100, 2);
  wheel.schedule(101, 3);
  EXPECT_EQ(taken(wheel, 100), (std::vector<int>{1, 2}));
  EXPECT_EQ(taken(wheel, 101), (std::vector<int>{3}));
}

TEST(event_wheel, what_comes_next_lies_behind) {
  event_wheel<int> wheel;
  for (int i = 0; i < 5; ++i) wheel.schedule(3, i);
  wheel.take_due(3, [&](const std::vector<int>& due, std::size_t i) {
    ASSERT_EQ(due.size(), 5U);
    EXPECT_EQ(due[i], static_cast<int>(i));
    wheel.schedule(3 + span, 100 + due[i]);  // where 3 was in the wheel
  });
  EXPECT_EQ(taken(wheel, 3 + span), (std::vector<int>{100, 101, 102, 103, 104}));
}

/// Cycles from one call to the next: mostly one, sometimes many.
std::uint64_t steps(random_stream& random) {
  if (random.below(20) != 0) return 1;
  return 1 + random.below(random.below(2) == 0 ? 10 : 4 * span);
}

/// In how many cycles an event falls due: soon, at the edge of the wheel or beyond.
std::uint64_t distance(random_stream& random) {
  switch (random.below(4)) {
    case 0:
      return span - 2 + random.below(4);
    case 1:
      return random.below(5 * span);
    default:
      return random.below(20);
  }
}

TEST(event_wheel, agrees_with_a_queue_on_random_use) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_stream random(seed, 0U, 0U);
    event_queue<std::uint64_t> queue;
    event_wheel<std::uint64_t> wheel;
    std::uint64_t number = 0;
    cycle_t now = 0;
    for (int round = 0; round < 3000; ++round) {
      now += steps(random);
      const std::vector<std::uint64_t> expected = taken(queue, now);
      std::vector<std::uint64_t> seen;
      // Some are scheduled while others are taken, one of them by no cycles ahead.
      std::vector<cycle_t> meanwhile;
      wheel.take_due(now, [&](const std::vector<std::uint64_t>& due, std::size_t i) {
        seen.push_back(due[i]);
        if (random.below(2) == 0) meanwhile.push_back(now + distance(random));
        if (random.below(2) == 0 && !meanwhile.empty()) {
          wheel.schedule(meanwhile.back(), number);
          queue.schedule(meanwhile.back(), number);
          ++number;
        }
      });
      ASSERT_EQ(seen, expected) << "cycle " << now;
      for (std::uint64_t i = random.below(5); i > 0; --i) {
        const cycle_t when = now + distance(random);
        wheel.schedule(when, number);
        queue.schedule(when, number);
        ++number;
      }
      if (round % 100 == 0) {
        event_wheel<std::uint64_t> restored;
        restored.schedule(1, 0);
        restore_state(save_state(wheel), restored);
        ASSERT_EQ(save_state(restored), save_state(wheel));
        wheel = restored;
      }
    }
    EXPECT_GT(number, 5000U);
  }
}

}  // namespace
}  // namespace tributary
