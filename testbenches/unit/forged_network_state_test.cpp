// SPDX-License-Identifier: Apache-2.0
// States of a combining network with one value changed: indices must stay within their buffers.
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/reverse_queue.h>
#include <tributary/network/omega/switch_column.h>
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
  // The last bytes are head, size, combined, limit and announced of the only queue.
  EXPECT_THROW(restore_state(with_byte(state, 5, 4), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 4, 5), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 4, '\xff'), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 3, 1), restored), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 1, 5), restored), input_error);
}

TEST(forged_network_state, a_queue_has_as_many_partners_as_combined_requests) {
  testing::scripted_queue one(four_slots());
  one.run("aX bX cX dX");
  const std::string state = save_state(one.queue);
  combining_queue restored(four_slots());
  EXPECT_NO_THROW(restore_state(state, restored));
  EXPECT_THROW(restore_state(with_byte(state, 3, 1), restored), input_error);
}

TEST(forged_network_state, registers_are_announced_to_their_queues) {
  combining_switch_config config;
  config.arrival_registers = true;
  switch_column column(config);
  partner_pool pool;
  switch_departures leaving;
  const std::uint8_t none[] = {0, 0};
  column.depart(none, none, leaving);
  switch_column::arrivals arriving;
  arriving.requests.resize(2);
  arriving.replies.resize(2);
  arriving.requests[0] = packet{};
  column.commit(leaving, arriving, pool);
  ASSERT_EQ(column.queues().announced(column.queue_of(0, 0)), 1U);
  const std::string state = save_state(column);
  switch_column restored(config);
  EXPECT_NO_THROW(restore_state(state, restored));
  EXPECT_EQ(save_state(restored), state);
  // Of the only queue that has one: after its head, size, combined and limit.
  std::string forged = state;
  const std::size_t at = state.find(std::string("\0\0\0\4\1", 5));
  ASSERT_NE(at, std::string::npos);
  forged[at + 4] = 0;
  EXPECT_THROW(restore_state(forged, restored), input_error);
}

TEST(forged_network_state, ready_bits_are_those_of_the_queues) {
  combining_switch_config config;
  switch_column column(config);
  partner_pool pool;
  switch_departures leaving;
  const std::uint8_t none[] = {0, 0};
  column.depart(none, none, leaving);
  packet request;
  for (; (column.request_ready()[0] & 1U) != 0; ++request.sequence) {
    request.location = request.sequence;
    column.accept_request(0, request, leaving, pool);
  }
  ASSERT_EQ(request.sequence, config.slots);
  switch_column restored(config);
  restore_state(save_state(column), restored);
  EXPECT_EQ(restored.request_ready()[0], column.request_ready()[0]);
  EXPECT_TRUE(restored.equals(pool, column, pool));
  restore_state(save_state(switch_column(config)), restored);
  EXPECT_EQ(restored.request_ready()[0], 3);
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
  // The last bytes are head, size and announced, two bytes each.
  EXPECT_THROW(restore_state(with_byte(state, 6, 5), queue), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 4, 6), queue), input_error);
  EXPECT_THROW(restore_state(with_byte(state, 2, 6), queue), input_error);
}

}  // namespace
}  // namespace tributary
