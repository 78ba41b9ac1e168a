// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::failure;

const std::string layout = "machine 1";
const std::string parameters = R"({"slots": 4})";
constexpr std::uint64_t seed = 7;
const std::string state = "what a machine holds";

std::string opened(const std::string& sealed) {
  return open_checkpoint(layout, parameters, seed, sealed);
}
std::string refusal(const std::string& sealed) {
  return failure<input_error>([&] { opened(sealed); });
}

TEST(checkpoint, gives_the_state_back) {
  EXPECT_EQ(opened(seal_checkpoint(layout, parameters, seed, state)), state);
}

TEST(checkpoint, of_another_machine_is_refused_by_what_differs) {
  const std::string other_layout = refusal(seal_checkpoint("machine 2", parameters, seed, state));
  EXPECT_TRUE(testing::names(other_layout, {"machine 1"}));
  const std::string other_parameters = refusal(seal_checkpoint(layout, "{}", seed, state));
  const std::string other_seed = refusal(seal_checkpoint(layout, parameters, 8, state));
  EXPECT_TRUE(testing::names(other_seed, {"8", "7"}));
  const std::set<std::string> told = {"", other_layout, other_parameters, other_seed};
  EXPECT_EQ(told.size(), 4U) << "each has a reason of its own";
}

TEST(checkpoint, whose_state_is_damaged_is_refused) {
  const std::string whole = seal_checkpoint(layout, parameters, seed, state);
  const std::size_t first = whole.find(state);
  ASSERT_NE(first, std::string::npos);
  std::set<std::string> told = {"", refusal(seal_checkpoint(layout, "{}", seed, state))};
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::string damaged = whole;
    damaged[first + i] = static_cast<char>(damaged[first + i] ^ 1);
    told.insert(refusal(damaged));
    EXPECT_EQ(told.size(), 3U) << "byte " << i << ": another reason, and the same for all bytes";
  }
}

TEST(checkpoint, that_is_cut_short_is_refused) {
  const std::string whole = seal_checkpoint(layout, parameters, seed, state);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size << " bytes of " << whole.size();
  }
}

}  // namespace
}  // namespace tributary
