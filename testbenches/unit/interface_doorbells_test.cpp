// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/interface_doorbells.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

host_interface_config with(std::uint32_t queues, doorbell_kind kind) {
  host_interface_config config;
  config.queues = queues;
  config.doorbells = kind;
  config.scan_cycles = 10;
  config.posts = 2;
  return config;
}

TEST(interface_doorbells, are_looked_at_in_turn_since_the_firmware_was_free) {
  interface_doorbells bells(with(4, doorbell_kind::per_queue));
  bells.ring({2, 0, 5, 100});
  // In cycle 100 it has looked at 0 to 3 twice, and at 0 and 1; 2 is next.
  EXPECT_EQ(bells.find(0, 100).looks, 1u);
  // In cycle 110 it looks at 3: then come 0, 1, 2.
  EXPECT_EQ(bells.find(0, 110).looks, 4u);
  const doorbell_post found = bells.take(bells.find(0, 100));
  EXPECT_EQ(found.queue, 2u);
  EXPECT_EQ(found.value, 5u);
  EXPECT_TRUE(bells.empty());
  EXPECT_EQ(bells.looks().value(), 1u);
  // The turn goes on behind the queue that was found.
  bells.ring({2, 0, 6, 100});
  bells.ring({3, 0, 7, 100});
  EXPECT_EQ(bells.take(bells.find(100, 100)).value, 7u);
  EXPECT_EQ(bells.take(bells.find(100, 100)).value, 6u);
}

TEST(interface_doorbells, know_whether_what_was_found_is_still_there) {
  interface_doorbells bells(with(4, doorbell_kind::per_queue));
  bells.ring({2, 0, 5, 100});
  bells.ring({1, 0, 6, 100});
  const doorbell_finding where = bells.find(0, 0);
  EXPECT_EQ(where.queue, 1u);
  EXPECT_TRUE(bells.is_there(where));
  bells.activate(1, false);
  EXPECT_FALSE(bells.is_there(where));
  EXPECT_EQ(bells.take(bells.find(0, 0)).value, 5u);
}

TEST(interface_doorbells, pass_over_queues_that_are_not_active) {
  interface_doorbells bells(with(4, doorbell_kind::per_queue));
  bells.activate(0, false);
  bells.activate(1, false);
  EXPECT_EQ(bells.active(), 2u);
  bells.ring({3, 0, 1, 0});
  EXPECT_EQ(bells.find(0, 0).looks, 2u);
  bells.activate(3, false);
  EXPECT_TRUE(bells.empty());
  bells.activate(3, true);
  EXPECT_TRUE(bells.empty());
  EXPECT_EQ(bells.active(), 2u);
  // What was posted before it was closed is forgotten.
  bells.ring({3, 0, 9, 0});
  EXPECT_EQ(bells.take(bells.find(0, 0)).value, 9u);
}

TEST(interface_doorbells, of_the_central_queue_take_one_look) {
  for (const std::uint32_t queues : {1U, 64U}) {
    interface_doorbells bells(with(queues, doorbell_kind::central));
    bells.ring({queues - 1, 0, 1, 0});
    bells.ring({0, 0, 2, 0});
    EXPECT_EQ(bells.find(0, 5).looks, 1u);
    EXPECT_FALSE(bells.can_ring(0));
    EXPECT_EQ(bells.take(bells.find(0, 5)).value, 1u);
    EXPECT_TRUE(bells.can_ring(0));
    EXPECT_EQ(bells.take(bells.find(0, 5)).value, 2u);
  }
}

TEST(interface_doorbells, hold_so_many_posts_of_each_queue) {
  interface_doorbells bells(with(2, doorbell_kind::per_queue));
  bells.ring({0, 0, 1, 0});
  bells.ring({0, 0, 2, 0});
  EXPECT_FALSE(bells.can_ring(0));
  EXPECT_TRUE(bells.can_ring(1));
  const std::string state = save_state(bells);
  interface_doorbells other(with(2, doorbell_kind::per_queue));
  restore_state(state, other);
  EXPECT_EQ(other.take(other.find(0, 0)).value, 1u);
  EXPECT_EQ(other.take(other.find(0, 0)).value, 2u);
}

}  // namespace
}  // namespace tributary
