// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/payload_memory.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

TEST(payload_memory, a_payload_is_there_until_its_last_holder_has_released_it) {
  payload_memory memory;
  const payload_handle data = memory.allocate();
  EXPECT_TRUE(memory.has(data));
  EXPECT_FALSE(memory.has(payload_handle{1}));
  EXPECT_FALSE(memory.has(no_payload));
  memory.retain(data);
  memory.release(data);
  EXPECT_TRUE(memory.has(data));
  EXPECT_EQ(memory.in_use(), 1U);
  memory.release(data);
  EXPECT_FALSE(memory.has(data));
  EXPECT_EQ(memory.in_use(), 0U);
}

TEST(payload_memory, a_place_is_given_again_with_words_of_0) {
  payload_memory memory;
  const payload_handle first = memory.allocate();
  const payload_handle second = memory.allocate();
  EXPECT_NE(first, second);
  memory.words(first)[0] = 7;
  memory.words(first).back() = 8;
  memory.words(second)[0] = 9;
  memory.release(first);
  const payload_handle third = memory.allocate();
  EXPECT_EQ(third, first);
  EXPECT_EQ(memory.words(third), line_data{});
  EXPECT_EQ(memory.words(second)[0], 9U) << "the other one is as it was";
  EXPECT_EQ(memory.in_use(), 2U);
}

TEST(payload_memory, says_so_when_handles_run_out) {
  payload_memory memory;
  for (int i = 0; i < 65535; ++i) memory.allocate();
  EXPECT_EQ(memory.in_use(), 65535U);
  EXPECT_TRUE(testing::names(testing::failure<simulation_error>([&] { memory.allocate(); }),
                             {"more than 65535 payloads", "release"}));
  memory.release(payload_handle{77});
  EXPECT_EQ(memory.allocate(), payload_handle{77});
}

/// The handles of free payloads are the last two numbers of two bytes, holders four behind words.
TEST(payload_memory, a_state_whose_free_payloads_are_held_or_none_is_refused) {
  payload_memory memory;
  for (int i = 0; i < 3; ++i) memory.allocate();
  memory.release(payload_handle{0});
  memory.release(payload_handle{1});
  const std::string state = save_state(memory);
  payload_memory restored;
  const auto refused = [&](std::size_t from_end, char value) {
    std::string forged = state;
    forged[forged.size() - from_end] = value;
    return testing::names(testing::failure<input_error>([&] { restore_state(forged, restored); }),
                          {"a free payload of a node is held"});
  };
  EXPECT_TRUE(refused(2, 2)) << "one that is held";
  EXPECT_TRUE(refused(2, 3)) << "one that is none";
  EXPECT_TRUE(refused(2, 0)) << "one twice";
  EXPECT_TRUE(refused(12 + 4, 0)) << "one that nobody holds and that is not free";
  restore_state(state, restored);
  EXPECT_EQ(restored.in_use(), 1U);
}

TEST(payload_memory, is_saved_and_restored) {
  payload_memory memory;
  memory.allocate();
  const payload_handle second = memory.allocate();
  memory.words(second)[3] = 5;
  memory.retain(second);
  memory.release(payload_handle{0});
  payload_memory other;
  restore_state(save_state(memory), other);
  EXPECT_FALSE(other.has(payload_handle{0}));
  EXPECT_EQ(other.words(second)[3], 5U);
  other.release(second);
  EXPECT_TRUE(other.has(second));
  EXPECT_EQ(other.allocate(), payload_handle{0});
}

}  // namespace
}  // namespace tributary
