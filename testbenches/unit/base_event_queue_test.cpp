// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/event_queue.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

#include <map>
#include <memory>
#include <vector>

namespace tributary {
namespace {

TEST(event_queue, hands_out_only_what_is_due) {
  event_queue<int> queue;
  queue.schedule(5, 50);
  EXPECT_EQ(queue.next_wakeup(), 5U);
  int event = 0;
  EXPECT_FALSE(queue.pop_due(4, event));
  EXPECT_EQ(event, 0);
  EXPECT_TRUE(queue.pop_due(5, event));
  EXPECT_EQ(event, 50);
  EXPECT_TRUE(queue.empty());
}

TEST(event_queue, agrees_with_a_sorted_map_on_random_use) {
  random_stream random(1, 0U, 0U);
  event_queue<std::uint64_t> queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_wakeup(), never);
  std::multimap<cycle_t, std::uint64_t> model;  // keeps insertion order among equals
  cycle_t now = 1;
  for (std::uint64_t step = 0; step < 20000; ++step) {
    if (random.below(2) == 0) {
      const cycle_t when = now + random.below(20);
      queue.schedule(when, step);
      model.emplace(when, step);
    } else {
      now += random.below(3);
      const auto event = queue.pop_due(now);
      ASSERT_EQ(event.has_value(), !model.empty() && model.begin()->first <= now);
      if (event) {
        ASSERT_EQ(*event, model.begin()->second);
        model.erase(model.begin());
      }
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.next_wakeup(), model.empty() ? never : model.begin()->first);
  }
}

TEST(event_queue, holds_what_can_only_be_moved) {
  event_queue<std::unique_ptr<int>> queue;
  queue.schedule(2, std::make_unique<int>(2));
  queue.schedule(1, std::make_unique<int>(1));
  EXPECT_EQ(**queue.pop_due(2), 1);
  std::unique_ptr<int> event;
  EXPECT_TRUE(queue.pop_due(2, event));
  EXPECT_EQ(*event, 2);
}

TEST(event_queue, equal_when_the_future_is_equal) {
  event_queue<int> a;
  a.schedule(9, 90);
  a.schedule(4, 40);
  a.schedule(9, 91);
  event_queue<int> b;
  b.schedule(1, 0);
  b.pop_due(1);
  b.schedule(9, 90);
  b.schedule(9, 91);
  b.schedule(4, 40);
  EXPECT_EQ(a, b);

  event_queue<int> other_order;
  other_order.schedule(4, 40);
  other_order.schedule(9, 91);
  other_order.schedule(9, 90);
  EXPECT_NE(a, other_order);
  b.pop_due(4);
  EXPECT_NE(a, b);
}

TEST(event_queue, clear_forgets_everything) {
  event_queue<int> queue;
  queue.schedule(1, 1);
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue, event_queue<int>());
}

TEST(event_queue, continues_after_storing) {
  event_queue<int> original;
  for (int i = 0; i < 20; ++i) {
    original.schedule(static_cast<cycle_t>(i % 5), i);
  }
  original.pop_due(1);
  event_queue<int> restored;
  restore_state(save_state(original), restored);
  EXPECT_EQ(restored, original);
  original.schedule(2, 100);
  restored.schedule(2, 100);
  while (!original.empty()) {
    EXPECT_EQ(restored.pop_due(100), original.pop_due(100));
  }
  EXPECT_TRUE(restored.empty());
}

}  // namespace
}  // namespace tributary
