// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/error.h>

#include <cerrno>
#include <type_traits>

namespace tributary {
namespace {

static_assert(std::is_base_of_v<std::runtime_error, error>);
static_assert(std::is_base_of_v<error, configuration_error>);
static_assert(std::is_base_of_v<error, input_error>);
static_assert(std::is_base_of_v<error, simulation_error>);
static_assert(!std::is_base_of_v<input_error, configuration_error>);

TEST(error, configuration_message_names_all_parts) {
  const configuration_error thrown(
      configuration_problem{"network.slots", "run.json, line 4, column 12", "65 is out of range",
                            "1 to 64 entries", "choose a value in the range"});
  EXPECT_STREQ(thrown.what(),
               "run.json, line 4, column 12: network.slots: 65 is out of range "
               "(allowed: 1 to 64 entries); choose a value in the range");
}

TEST(error, configuration_message_leaves_out_empty_parts) {
  EXPECT_EQ(to_string(configuration_problem{"slots", "", "is missing", "", ""}),
            "slots: is missing");
  EXPECT_EQ(to_string(configuration_problem{"", "--set", "is wrong", "", "correct it"}),
            "--set: is wrong; correct it");
}

TEST(error, configuration_error_takes_a_whole_sentence) {
  EXPECT_STREQ(configuration_error("slots and limit exclude each other").what(),
               "slots and limit exclude each other");
}

TEST(error, file_error_tells_the_systems_reason) {
  EXPECT_STREQ(file_error("out/results.json", "cannot write", ENOSPC, "free some space").what(),
               "out/results.json: cannot write: No space left on device; free some space");
  EXPECT_STREQ(file_error("a", "cannot open", ENOENT, "").what(),
               "a: cannot open: No such file or directory");
}

}  // namespace
}  // namespace tributary
