// SPDX-License-Identifier: Apache-2.0
// Vectors whose elements are zeroes until they are written.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include <tributary/memory/packet.h>
#include <tributary/sim/zeroed_vector.h>

namespace tributary {
namespace {

/// Bytes from the last line of the cache to where the elements begin.
template <class T>
std::size_t misalignment(const zeroed_vector<T>& values) {
  return reinterpret_cast<std::uintptr_t>(values.data()) % 64;
}

TEST(zeroed_vector, begins_with_a_line_of_the_cache_whatever_its_size) {
  for (std::size_t size = 1; size < 3000; size = 2 * size + 1) {
    EXPECT_EQ(misalignment(zeroed_vector<std::uint8_t>(size)), 0U) << size;
    EXPECT_EQ(misalignment(zeroed_vector<packet>(size)), 0U) << size;
  }
}

TEST(zeroed_vector, has_zeroes_where_nothing_was_written) {
  zeroed_vector<packet> packets(1000);
  packets[7].location = 5;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(packets[i].location, i == 7 ? 5U : 0U) << i;
    EXPECT_EQ(packets[i].combinable, 0U) << i;  // 1 in a packet that is made
  }
}

TEST(zeroed_vector, is_copied_and_grows_as_any_vector) {
  zeroed_vector<std::uint32_t> numbers(3);
  for (std::uint32_t i = 0; i < 100; ++i) numbers.push_back(i);
  const zeroed_vector<std::uint32_t> copy = numbers;
  EXPECT_TRUE(copy == numbers);
  ASSERT_EQ(copy.size(), 103U);
  EXPECT_EQ(copy[2], 0U);
  EXPECT_EQ(copy[102], 99U);
  zeroed_vector<std::uint32_t> values(2, 9U);
  EXPECT_EQ(values[0] + values[1], 18U);
}

}  // namespace
}  // namespace tributary
