// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/event_queue.h>
#include <tributary/sim/random_stream.h>

#include <cereal/archives/binary.hpp>
#include <cereal/types/vector.hpp>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

namespace tributary {
namespace {

TEST(event_queue, empty_never_wakes) {
  event_queue<int> queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_wakeup(), never);
  int event = 0;
  EXPECT_FALSE(queue.pop_due(never, event));
}

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

TEST(event_queue, earliest_first_and_first_come_among_equals) {
  event_queue<int> queue;
  queue.schedule(7, 1);
  queue.schedule(3, 2);
  queue.schedule(7, 3);
  queue.schedule(3, 4);
  queue.schedule(1, 5);
  std::vector<int> order;
  int event = 0;
  while (queue.pop_due(100, event)) order.push_back(event);
  EXPECT_EQ(order, (std::vector<int>{5, 2, 4, 1, 3}));
}

TEST(event_queue, agrees_with_a_sorted_map_on_random_use) {
  random_stream random(1, 0U, 0U);
  event_queue<std::uint64_t> queue;
  std::multimap<cycle_t, std::uint64_t> model;  // keeps insertion order among equals
  cycle_t now = 1;
  for (std::uint64_t step = 0; step < 20000; ++step) {
    if (random.below(2) == 0) {
      const cycle_t when = now + random.below(20);
      queue.schedule(when, step);
      model.emplace(when, step);
    } else {
      now += random.below(3);
      std::uint64_t event = 0;
      const bool due = queue.pop_due(now, event);
      ASSERT_EQ(due, !model.empty() && model.begin()->first <= now);
      if (due) {
        ASSERT_EQ(event, model.begin()->second);
        model.erase(model.begin());
      }
    }
    ASSERT_EQ(queue.empty(), model.empty());
    ASSERT_EQ(queue.next_wakeup(), model.empty() ? never : model.begin()->first);
  }
}

TEST(event_queue, holds_what_can_only_be_moved) {
  event_queue<std::unique_ptr<int>> queue;
  queue.schedule(2, std::make_unique<int>(2));
  queue.schedule(1, std::make_unique<int>(1));
  std::unique_ptr<int> event;
  EXPECT_TRUE(queue.pop_due(2, event));
  EXPECT_EQ(*event, 1);
  EXPECT_TRUE(queue.pop_due(2, event));
  EXPECT_EQ(*event, 2);
}

TEST(event_queue, continues_after_storing) {
  event_queue<int> original;
  for (int i = 0; i < 20; ++i) {
    original.schedule(static_cast<cycle_t>(i % 5), i);
  }
  int event = 0;
  original.pop_due(1, event);
  std::stringstream storage;
  cereal::BinaryOutputArchive output(storage);
  output(original);
  event_queue<int> restored;
  cereal::BinaryInputArchive input(storage);
  input(restored);
  original.schedule(2, 100);
  restored.schedule(2, 100);
  int restored_event = 0;
  while (original.pop_due(100, event)) {
    EXPECT_TRUE(restored.pop_due(100, restored_event));
    EXPECT_EQ(restored_event, event);
  }
  EXPECT_TRUE(restored.empty());
}

}  // namespace
}  // namespace tributary
