// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/cost_table.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/parameters.h>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

struct step {
  std::uint32_t cycles = 1;
  void bind(parameter_set& set) { set.add("cycles", cycles, {0, 1000}, "cycles", "Of a step."); }
};

struct transfer_costs {
  std::uint32_t base = 12;
  std::uint32_t line = 46;
  void bind(parameter_set& set) {
    set.add("base", base, {0, 1000}, "cycles", "Once.");
    set.add("line", line, {0, 1000}, "cycles", "A line.");
  }
};

struct costs {
  std::uint32_t setup = 233;
  transfer_costs transfer;
  std::vector<step> steps = std::vector<step>(1);
  void bind(parameter_set& set) {
    set.add("setup", setup, {0, 1000}, "cycles", "Set-up.");
    set.add_group("transfer", transfer, "Transfer.");
    set.add_list("steps", steps, "Steps.");
  }
};

class cost_table : public ::testing::Test {
 protected:
  void load(const std::string& text) {
    scratch_.write("costs.json", text);
    load_cost_table(set_, path_);
  }

  /// The message about a text that is refused, without the file's folder; nothing may change.
  std::string refusal_of(const std::string& text) {
    std::string message = "nothing was refused";
    try {
      load(text);
    } catch (const configuration_error& failure) {
      message = failure.what();
    }
    EXPECT_EQ(read_.setup, 233U);
    EXPECT_EQ(read_.transfer.base, 12U);
    EXPECT_EQ(read_.transfer.line, 46U);
    EXPECT_EQ(read_.steps.size(), 1U);
    EXPECT_EQ(set_.origin("setup"), "default");
    const std::size_t folder = message.find(path_);
    if (folder == std::string::npos) return message + " (without the file's name)";
    return message.erase(folder, path_.size() - std::string("costs.json").size());
  }

  testing::scratch_directory scratch_;
  std::string path_ = scratch_.path("costs.json");
  costs read_;
  parameter_set set_ = parameter_set::of(read_);
};

TEST_F(cost_table, reads_a_whole_table) {
  load(R"({"setup": 200, "transfer": {"base": 13, "line": 0}, "steps": [{"cycles": 4}, {}]})");
  EXPECT_EQ(read_.setup, 200U);
  EXPECT_EQ(read_.transfer.base, 13U);
  EXPECT_EQ(read_.transfer.line, 0U);
  ASSERT_EQ(read_.steps.size(), 2U);
  EXPECT_EQ(read_.steps[0].cycles, 4U);
  EXPECT_NE(set_.origin("transfer.line").find("costs.json, line 1"), std::string::npos);
}

TEST_F(cost_table, reads_what_the_set_prints) {
  load(set_.resolved_json());
  EXPECT_EQ(read_.transfer.line, 46U);
}

TEST_F(cost_table, reads_dotted_names) {
  load(R"({"setup": 1, "transfer.base": 2, "transfer.line": 3, "steps": []})");
  EXPECT_EQ(read_.transfer.line, 3U);
  EXPECT_TRUE(read_.steps.empty());
}

TEST_F(cost_table, refuses_a_missing_entry) {
  EXPECT_TRUE(testing::names(refusal_of(R"({"setup": 1, "transfer": {"base": 2}, "steps": []})"),
                             {"costs.json", "transfer.line"}));
  EXPECT_NE(refusal_of(R"({"setup": 1, "transfer": {"base": 2, "line": 3}})").find("steps"),
            std::string::npos);
  EXPECT_NE(refusal_of("{}").find("setup"), std::string::npos);
}

TEST_F(cost_table, finds_what_is_missing_even_if_it_was_set_before) {
  set_.set("transfer.line", "46");
  EXPECT_TRUE(testing::names(refusal_of(R"({"setup": 1, "transfer": {"base": 2}, "steps": []})"),
                             {"transfer.line"}));
}

TEST_F(cost_table, refuses_an_unknown_entry_even_if_another_is_missing) {
  const std::string refusal =
      refusal_of(R"({"set_up": 1, "transfer": {"base": 2, "line": 3}, "steps": []})");
  EXPECT_EQ(refusal.find("costs.json, line 1, column 2: set_up: "), 0U) << refusal;
  EXPECT_NE(refusal.find("setup"), std::string::npos) << refusal;
  EXPECT_NE(
      refusal_of(R"({"setup": 1, "transfer": {"base": 2, "line": 3, "word": 1}, "steps": []})")
          .find("transfer.word"),
      std::string::npos);
}

TEST_F(cost_table, refuses_a_negative_entry) {
  const std::string refusal =
      refusal_of(R"({"setup": 1, "transfer": {"base": -2, "line": 3}, "steps": []})");
  EXPECT_EQ(refusal.find("costs.json, line 1, column 35: transfer.base: "), 0U) << refusal;
  EXPECT_NE(refusal.find("-2"), std::string::npos) << refusal;
}

TEST_F(cost_table, refuses_what_is_no_number_of_cycles) {
  for (const char* value : {"1001", "2.5", "\"2\"", "null", "true", "{}"}) {
    const std::string refusal = refusal_of(std::string(R"({"setup": )") + value +
                                           R"(, "transfer": {"base": 2, "line": 3}, "steps": []})");
    EXPECT_NE(refusal.find("costs.json"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("setup"), std::string::npos) << refusal;
  }
  EXPECT_NE(refusal_of(R"({"setup": 1, "transfer": 5, "steps": []})").find("transfer"),
            std::string::npos);
  EXPECT_NE(refusal_of("[1, 2]").find("costs.json"), std::string::npos);
}

TEST_F(cost_table, refuses_a_file_that_is_not_there_or_no_json) {
  EXPECT_THROW(load_cost_table(set_, scratch_.path("none.json")), input_error);
  EXPECT_THROW(load("{"), input_error);
}

}  // namespace
}  // namespace tributary
