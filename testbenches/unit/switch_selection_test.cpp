// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/switch_selection.h>

#include <gtest/gtest.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

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
    try {
      const std::string found = selected(text);
      ADD_FAILURE() << '"' << text << "\" selects " << found;
    } catch (const configuration_error& refused) {
      const std::string message = refused.what();
      EXPECT_EQ(message.rfind("network.rtl: ", 0), 0U) << message;
      EXPECT_NE(message.find("S from 0 to 2 and I from 0 to 3"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace tributary
