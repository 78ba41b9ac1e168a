// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/names.h>

#include <string>
#include <vector>

namespace tributary {
namespace {

TEST(nearest_name, edit_distance_counts_letters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("slots", "slots"), 0U);
  EXPECT_EQ(edit_distance("slots", "slot"), 1U);
  EXPECT_EQ(edit_distance("slots", "plots"), 1U);
  EXPECT_EQ(edit_distance("slots", "solts"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(nearest_name, finds_what_was_meant) {
  const std::vector<std::string> known{"network.slots", "network.stages", "memory.latency"};
  EXPECT_EQ(nearest_name("network.slot", known), "network.slots");
  EXPECT_EQ(nearest_name("netwrok.stages", known), "network.stages");
  EXPECT_EQ(nearest_name("memroy.latnecy", known), "memory.latency");
}

TEST(nearest_name, finds_a_name_whose_group_was_forgotten) {
  EXPECT_EQ(nearest_name("slots", {"memory.latency", "network.slots"}), "network.slots");
}

TEST(nearest_name, first_of_equals) { EXPECT_EQ(nearest_name("b", {"c", "d"}), "c"); }

TEST(nearest_name, says_nothing_rather_than_something_far) {
  EXPECT_EQ(nearest_name("frequency", {"slots", "latency"}), "");
  EXPECT_EQ(nearest_name("slots", {}), "");
  EXPECT_EQ(nearest_name("", {"slots"}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), {"slots"}), "");
}

}  // namespace
}  // namespace tributary
