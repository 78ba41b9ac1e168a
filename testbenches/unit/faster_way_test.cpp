// SPDX-License-Identifier: Apache-2.0
// The way that takes less time is taken, and the other one is tried ever more seldom.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

#include <ultracomputer/faster_way.h>

namespace tributary {
namespace {

/// The ways of so many pieces, a digit each, where the ways take these times.
std::string ways(faster_way& choice, int pieces, const std::array<double, 2>& times) {
  std::string taken;
  for (int i = 0; i < pieces; ++i) {
    const std::size_t way = choice.second() ? 1 : 0;
    taken += std::to_string(way);
    choice.took(times[way]);
  }
  return taken;
}

TEST(faster_way, is_the_second_if_it_takes_less_time) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 12, {3, 2}), "011111011111");
}

TEST(faster_way, tries_the_slower_one_ever_more_seldom) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 32, {2, 3}), "01000010000000010000000000000000");
  ways(choice, 4000, {2, 3});
  const std::string taken = ways(choice, 514, {2, 3});
  EXPECT_NE(taken.find('1'), std::string::npos) << taken;
  EXPECT_LE(taken.size() - taken.find_last_of('1'), 258U) << taken;
}

TEST(faster_way, changes_with_the_times) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 6, {3, 2}), "011111");
  EXPECT_EQ(ways(choice, 20, {3, 4}), "01111111100000100000");
}

TEST(faster_way, stays_with_equal_times) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 6, {2, 2}), "010000");
}

}  // namespace
}  // namespace tributary
