// SPDX-License-Identifier: Apache-2.0
// States of a combining network with one value changed: indices must stay within their buffers.
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/reverse_queue.h>
#include <tributary/network/omega/wait_buffer.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include "support/queue_script.h"

namespace tributary {
namespace {

combining_queue_config four_slots() {
  combining_queue_config config;
  config.slots = 4;
  config.coupled = true;
  return config;
}

/// The state with one byte replaced, counted from its end.
std::string with_byte(std::string state, std::size_t from_end, char value) {
  state[state.size() - from_end] = value;
  return state;
}

TEST(forged_network_state, levels_of_a_queue_stay_within_its_slots) {
  const combining_queue queue(four_slots());
  const std::string state = save_state(queue);
  combining_queue restored(four_slots());
  EXPECT_NO_THROW(restore_state(state, restored));
  // The last bytes are head, size, combined, limit, announced and was_ready of the only queue.
  EXPECT_THROW(restore_state(with_byte(state, 6, 4), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 5, 5), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 5, '\xff'), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 4, 1), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 2, 2), restored), input_error);
}

TEST(forged_network_state, a_queue_of_other_slots_is_refused) {
  combining_queue_config two = four_slots();
  two.slots = 2;
  combining_queue restored(four_slots());
  EXPECT_THROW(restore_state(save_state(combining_queue(two)), restored), input_error);
}

TEST(forged_network_state, partners_are_in_the_pool) {
  testing::scripted_queue script(four_slots());
  script.run("aX bX");
  ASSERT_EQ(script.state(), "a+b");
  EXPECT_NO_THROW(script.queue.check_partners(script.pool));
  EXPECT_THROW(script.queue.check_partners(partner_pool()), input_error);
  wait_buffer waiting(2);
  waiting.insert(0, script.queue.partner_of(0, 0), script.pool);
  EXPECT_NO_THROW(waiting.check_partners(script.pool));
  EXPECT_THROW(waiting.check_partners(partner_pool()), input_error);
  // Its last four bytes are its size: one more than its list has.
  const std::string state = save_state(waiting);
  restore_state(with_byte(state, 4, 2), waiting);
  EXPECT_THROW(waiting.check_partners(script.pool), input_error);
}

TEST(forged_network_state, links_of_the_pool_stay_within_it) {
  partner_pool pool;
  pool.release(pool.acquire({}));
  EXPECT_NO_THROW(pool.check());
  // Its last four bytes are the first free record.
  const std::string state = save_state(pool);
  restore_state(with_byte(state, 4, 1), pool);
  EXPECT_THROW(pool.check(), input_error);
}

TEST(forged_network_state, levels_of_a_reverse_queue_stay_within_its_slots) {
  reverse_queue queue(5);
  const std::string state = save_state(queue);
  EXPECT_NO_THROW(restore_state(state, queue));
  // The last bytes are head, size, announced and was_ready, two bytes each.
  EXPECT_THROW(restore_state(with_byte(state, 8, 5), queue), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 6, 6), queue), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 4, 5), queue), input_error);
}

}  // namespace
}  // namespace tributary
