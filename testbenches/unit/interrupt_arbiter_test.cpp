// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/nic/interrupt_arbiter.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

const auto anyone = [](std::uint32_t) { return true; };

std::vector<std::uint32_t> chosen(interrupt_arbiter& arbiter, int times) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < times; ++i) all.push_back(*arbiter.choose(anyone));
  return all;
}

TEST(interrupt_arbiter, gives_interrupts_in_turn) {
  interrupt_arbiter arbiter(3, 0);
  EXPECT_EQ(chosen(arbiter, 7), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(interrupt_arbiter, passes_by_masked_processors) {
  interrupt_arbiter arbiter(4, 0b0101);
  EXPECT_EQ(chosen(arbiter, 4), (std::vector<std::uint32_t>{1, 3, 1, 3}));
  EXPECT_FALSE(interrupt_arbiter(2, 0b11).choose(anyone));
  interrupt_arbiter many(64, ~std::uint64_t{0} ^ (std::uint64_t{1} << 33 | std::uint64_t{1} << 63));
  EXPECT_EQ(chosen(many, 3), (std::vector<std::uint32_t>{33, 63, 33}));
  EXPECT_EQ(interrupt_arbiter(2, 0b100).choose(anyone), 0U) << "there is no processor 2";
}

TEST(interrupt_arbiter, goes_on_behind_the_one_that_it_chose) {
  interrupt_arbiter arbiter(4, 0);
  EXPECT_EQ(arbiter.choose([](std::uint32_t each) { return each == 2; }), 2U);
  EXPECT_EQ(arbiter.choose(anyone), 3U);
  EXPECT_FALSE(arbiter.choose([](std::uint32_t) { return false; }));
  EXPECT_EQ(arbiter.choose(anyone), 0U) << "whom nobody chose has lost no turn";
}

/// W8 of the specification.
TEST(interrupt_arbiter, k_times_n_interrupts_give_each_processor_k) {
  for (std::uint32_t processors = 1; processors <= 16; ++processors) {
    interrupt_arbiter arbiter(processors, 0);
    std::vector<std::uint32_t> given(processors);
    for (std::uint32_t i = 0; i < 7 * processors; ++i) ++given[*arbiter.choose(anyone)];
    EXPECT_EQ(given, std::vector<std::uint32_t>(processors, 7)) << processors;
  }
}

TEST(interrupt_arbiter, is_saved_and_restored) {
  interrupt_arbiter arbiter(3, 0);
  chosen(arbiter, 2);
  interrupt_arbiter other(3, 0);
  restore_state(save_state(arbiter), other);
  EXPECT_EQ(other.choose(anyone), 2U);
}

}  // namespace
}  // namespace tributary
