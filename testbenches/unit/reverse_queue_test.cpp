// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include <tributary/network/omega/reverse_queue.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

TEST(reverse_queue, is_ready_with_room_for_four) {
  reverse_queue queue(6);
  EXPECT_TRUE(queue.ready(0));
  queue.accept(0, {1, 0, 0});
  queue.accept(0, {2, 0, 0});
  EXPECT_TRUE(queue.ready(0)) << "four of six are free";
  queue.accept(0, {3, 0, 0});
  EXPECT_FALSE(queue.ready(0)) << "three of six are free";
  queue.release(0);
  EXPECT_TRUE(queue.ready(0));
}

TEST(reverse_queue, five_slots_accept_four_behind_one) {
  reverse_queue queue(5);
  queue.accept(0, {1, 0, 0});
  EXPECT_TRUE(queue.ready(0));
  for (std::uint32_t i = 0; i < reverse_queue::arrivals_per_cycle; ++i) queue.accept(0, {2, i, 0});
  EXPECT_EQ(queue.size(0), 5U);
  EXPECT_EQ(queue.head(0), (reply{1, 0, 0}));
}

TEST(reverse_queue, first_in_first_out_on_random_use) {
  random_stream random(1, 0U, 0U);
  reverse_queue queues(7, 2);
  std::deque<reply> model[2];
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const std::size_t which = random.below(2);
    if (random.below(2) == 0 && queues.size(which) < queues.slots()) {
      const reply arrival{random.next_u64(), step, 3};
      queues.accept(which, arrival);
      model[which].push_back(arrival);
    } else if (!queues.empty(which)) {
      ASSERT_EQ(queues.release(which), model[which].front()) << "step " << step;
      model[which].pop_front();
    }
    ASSERT_EQ(queues.size(which), model[which].size());
    for (std::size_t i = 0; i < model[which].size(); ++i) {
      ASSERT_EQ(queues.entry(which, i), model[which][i]);
    }
  }
}

TEST(reverse_queue, equality_is_from_the_head) {
  reverse_queue one(5);
  reverse_queue other(5);
  one.accept(0, {1, 0, 0});
  other.accept(0, {9, 9, 9});
  other.accept(0, {1, 0, 0});
  EXPECT_FALSE(one == other);
  other.release(0);
  EXPECT_TRUE(one == other);
}

}  // namespace
}  // namespace tributary
