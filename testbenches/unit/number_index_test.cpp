// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/number_index.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

namespace tributary {
namespace {

TEST(number_index, finds_what_was_set_and_not_erased) {
  number_index index;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::mt19937_64 random(7);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::uint64_t key = random() % 500 << (i % 3 * 20);
    const auto known = expected.find(key);
    ASSERT_EQ(index.find(key), known == expected.end() ? number_index::none : known->second) << key;
    if (known != expected.end() && random() % 2 == 0) {
      index.erase(key);
      expected.erase(known);
    } else {
      std::uint32_t& number = index[key];
      ASSERT_EQ(number, known == expected.end() ? number_index::none : known->second) << key;
      expected[key] = number = i;
    }
  }
  for (const auto& [key, number] : expected) EXPECT_EQ(index.find(key), number) << key;
}

TEST(number_index, knows_the_key_0_only_when_it_is_there) {
  number_index index;
  EXPECT_EQ(index.find(0), number_index::none);
  index[0] = 3;
  EXPECT_EQ(index.find(0), 3U);
  index.erase(0);
  EXPECT_EQ(index.find(0), number_index::none);
}

}  // namespace
}  // namespace tributary
