// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/switch_selection.h>

#include <gtest/gtest.h>

#include <string>

#include <tributary/sim/error.h>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::contains;
using testing::message_of;

constexpr std::size_t stages = 3;
constexpr std::size_t switches = 4;

std::string selected(const std::string& text) {
  return describe_selection(select_switches("network.rtl", text, stages, switches), stages,
                            switches);
}

TEST(switch_selection, names_all_stages_and_single_switches) {
  EXPECT_EQ(selected("none"), "none");
  EXPECT_EQ(selected("all"), "all 12");
  EXPECT_EQ(selected("stage 2"), "stage 2 (4)");
  EXPECT_EQ(selected("stage 0 switch 3"), "stage 0 switch 3");
  EXPECT_EQ(selected(" stage 2 ,stage 1  switch 0"), "stage 1 switch 0, stage 2 (4)");
}

TEST(switch_selection, sorts_and_takes_each_once) {
  EXPECT_EQ(selected("stage 1 switch 3, stage 1 switch 1, stage 1 switch 3"),
            "stage 1 switch 1, stage 1 switch 3");
  EXPECT_EQ(selected("stage 1 switch 3, stage 1"), "stage 1 (4)");
  EXPECT_EQ(selected("stage 0, stage 1, stage 2"), "all 12");
}

TEST(switch_selection, refuses_what_names_no_switch) {
  for (const std::string text :
       {"stage", "stage 3", "stage -1", "stage 1 switch 4", "stage 1 switch", "switch 1", "some",
        "stage 1 switch 1 2", "all, stage 7", "stage 1,", " ,stage 1", "stage 99999999999999999999",
        "stage 1x", ""}) {
    const std::string refusal = message_of<configuration_error>([&] { selected(text); });
    EXPECT_TRUE(begins_with(refusal, "network.rtl: ")) << text;
    EXPECT_TRUE(contains(refusal, "S from 0 to 2 and I from 0 to 3")) << text;
  }
}

}  // namespace
}  // namespace tributary
