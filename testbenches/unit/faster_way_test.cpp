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
  EXPECT_EQ(ways(choice, 16, {3, 2}), "0011111100111111");
}

TEST(faster_way, tries_the_slower_one_ever_more_seldom) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 36, {2, 3}), "001100001100000000110000000000000000");
  ways(choice, 4000, {2, 3});
  const std::string taken = ways(choice, 516, {2, 3});
  EXPECT_NE(taken.find('1'), std::string::npos) << taken;
  EXPECT_LE(taken.size() - taken.find_last_of('1'), 259U) << taken;
}

TEST(faster_way, changes_with_the_times) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 8, {3, 2}), "00111111");
  EXPECT_EQ(ways(choice, 12, {3, 4}), "001111111100");
  EXPECT_EQ(ways(choice, 6, {3, 4}), "000011");
}

TEST(faster_way, is_not_decided_by_one_disturbed_piece) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 1, {2, 3}), "0");
  EXPECT_EQ(ways(choice, 1, {20, 30}), "0");
  EXPECT_EQ(ways(choice, 1, {20, 30}), "1");
  EXPECT_EQ(ways(choice, 6, {2, 3}), "100001");
}

TEST(faster_way, stays_with_equal_times) {
  faster_way choice;
  EXPECT_EQ(ways(choice, 8, {2, 2}), "00110000");
}

}  // namespace
}  // namespace tributary
