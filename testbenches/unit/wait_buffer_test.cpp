// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tributary/network/omega/wait_buffer.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

partner record(std::uint32_t first) {
  return {{first, 1}, {first + 1000, 2}, {form::add, first, 0}};
}

TEST(wait_buffer, is_full_at_its_entries) {
  partner_pool pool;
  wait_buffer buffer(2);
  EXPECT_TRUE(buffer.empty(0));
  buffer.insert(0, pool.acquire(record(1)), pool);
  EXPECT_FALSE(buffer.full(0));
  buffer.insert(0, pool.acquire(record(2)), pool);
  EXPECT_TRUE(buffer.full(0));
  EXPECT_EQ(buffer.size(0), 2U);
}

TEST(wait_buffer, yields_by_identity_and_once) {
  partner_pool pool;
  wait_buffer buffer(8);
  for (std::uint32_t i = 0; i < 5; ++i) buffer.insert(0, pool.acquire(record(i)), pool);
  EXPECT_EQ(buffer.take(0, {9, 1}, pool), no_partner) << "no such sequence";
  EXPECT_EQ(buffer.take(0, {3, 2}, pool), no_partner) << "another element";
  for (const std::uint32_t i : {3U, 0U, 4U, 1U, 2U}) {
    const partner_index found = buffer.take(0, {i, 1}, pool);
    ASSERT_NE(found, no_partner) << i;
    EXPECT_EQ(pool[found], record(i));
    pool.release(found);
    EXPECT_EQ(buffer.take(0, {i, 1}, pool), no_partner) << "taken twice";
  }
  EXPECT_TRUE(buffer.empty(0));
}

TEST(wait_buffer, agrees_with_a_plain_set_on_random_use) {
  random_stream random(1, 0U, 0U);
  partner_pool pool;
  wait_buffer buffers(20, 3);
  std::vector<std::vector<std::uint32_t>> model(3);
  std::uint32_t next = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t which = random.below(3);
    std::vector<std::uint32_t>& held = model[which];
    if (random.below(2) == 0 && !buffers.full(which)) {
      buffers.insert(which, pool.acquire(record(next)), pool);
      held.push_back(next++);
    } else if (!held.empty()) {
      const std::size_t at = random.below(held.size());
      const partner_index found = buffers.take(which, {held[at], 1}, pool);
      ASSERT_NE(found, no_partner) << "step " << step;
      ASSERT_EQ(pool[found], record(held[at])) << "step " << step;
      pool.release(found);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    }
    ASSERT_EQ(buffers.size(which), held.size());
    ASSERT_EQ(buffers.contents(which, pool).size(), held.size());
    ASSERT_EQ(buffers.full(which), held.size() == 20);
    if (held.empty()) continue;
    ASSERT_EQ(buffers.take((which + 1) % 3, {held.back(), 1}, pool), no_partner)
        << "of another bank";
  }
}

TEST(wait_buffer, equal_as_sets) {
  partner_pool one_pool;
  partner_pool other_pool;
  wait_buffer one(4);
  wait_buffer other(4);
  for (const std::uint32_t i : {1U, 2U, 3U}) one.insert(0, one_pool.acquire(record(i)), one_pool);
  for (const std::uint32_t i : {3U, 1U}) other.insert(0, other_pool.acquire(record(i)), other_pool);
  EXPECT_FALSE(one.equals(one_pool, other, other_pool));
  other.insert(0, other_pool.acquire(record(2)), other_pool);
  EXPECT_TRUE(one.equals(one_pool, other, other_pool));
}

TEST(wait_buffer, the_pool_uses_its_records_again) {
  partner_pool pool;
  const partner_index first = pool.acquire(record(1));
  const partner_index second = pool.acquire(record(2));
  EXPECT_NE(first, second);
  pool.release(first);
  EXPECT_EQ(pool.acquire(record(3)), first);
  EXPECT_EQ(pool[second], record(2));
}

}  // namespace
}  // namespace tributary
