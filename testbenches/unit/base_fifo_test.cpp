// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

#include <cstdint>
#include <deque>
#include <string>

namespace tributary {
namespace {

TEST(fifo, agrees_with_a_deque_on_random_use) {
  random_stream random(1, 0U, 0U);
  fifo<int> queue;
  std::deque<int> model;
  for (int step = 0; step < 100000; ++step) {
    // Long phases of growing and of draining, so that both ways of moving the head are met.
    const bool growing = (step / 500) % 2 == 0;
    if (random.below(10) < (growing ? 7U : 3U)) {
      queue.push(step);
      model.push_back(step);
    } else if (!model.empty()) {
      ASSERT_EQ(queue.front(), model.front());
      queue.pop();
      model.pop_front();
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
    if (!model.empty()) {
      const std::size_t at = random.below(model.size());
      ASSERT_EQ(queue[at], model[at]);
    }
  }
}

TEST(fifo, equal_when_the_contents_are) {
  fifo<int> a;
  a.push(1);
  a.push(2);
  a.pop();
  fifo<int> b;
  b.push(2);
  EXPECT_TRUE(a == b);
  b.push(3);
  EXPECT_FALSE(a == b);
}

TEST(fifo, continues_after_storing) {
  fifo<int> original;
  for (int i = 0; i < 5; ++i) {
    original.push(i);
  }
  original.pop();
  fifo<int> restored;
  restore_state(save_state(original), restored);
  EXPECT_TRUE(restored == original);
  EXPECT_EQ(restored.front(), 1);
}

/// The last eight bytes are the place of the first item among those that are stored.
TEST(fifo, a_state_that_begins_behind_its_end_is_refused) {
  fifo<std::uint32_t> queue;
  for (const std::uint32_t each : {1U, 2U, 3U}) queue.push(each);
  queue.pop();
  std::string state = save_state(queue);
  fifo<std::uint32_t> restored;
  restore_state(state, restored);
  EXPECT_EQ(restored, queue);
  state[state.size() - 8] = 4;
  EXPECT_THROW(restore_state(state, restored), input_error);
  state[state.size() - 1] = '\x7f';
  EXPECT_THROW(restore_state(state, restored), input_error);
}

}  // namespace
}  // namespace tributary
