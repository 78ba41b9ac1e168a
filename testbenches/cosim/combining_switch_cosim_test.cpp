// SPDX-License-Identifier: Apache-2.0
// The RTL of the combining switch beside its core, cycle by cycle, at every variant that was built.
#include <gtest/gtest.h>

#include <cstdint>

#include <tributary/rtl/switch_variants.h>

#include "divergence.h"
#include "support/sizes.h"
#include "variant_run.h"

namespace tributary {
namespace {

/// Cycles a variant, over all its runs; TRIBUTARY_LONG=1 for the long form.
std::uint64_t cycles_of_a_variant() {
  return testing::long_form() ? 500'000 : testing::scaled(24'000);
}

class combining_switch_cosim : public ::testing::TestWithParam<switch_variant> {};

TEST_P(combining_switch_cosim, equals_the_core_cycle_by_cycle) {
  for (const unsigned route_bit : {0U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const testing::run_case what{route_bit, seed};
      testing::variant_run both(GetParam(), what);
      ASSERT_EQ(first_divergence(both, GetParam(), what, cycles_of_a_variant() / 6), "");
      if (GetParam().parameters.Forms == 0) {
        EXPECT_EQ(both.combined(), 0U);
        continue;
      }
      EXPECT_GT(both.combined(), 0U) << "nothing combined: the traffic shows nothing";
      EXPECT_GT(both.decombined(), 0U);
    }
  }
}

TEST_P(combining_switch_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  constexpr std::uint64_t cycles = 300;
  const testing::run_case what{1, 7, cycles};
  testing::variant_run both(GetParam(), what);
  for (unsigned resets = 0; resets < 5; ++resets) {
    ASSERT_EQ(first_divergence(both, GetParam(), what, cycles), "");
    EXPECT_TRUE(both.idle());
  }
}

INSTANTIATE_TEST_SUITE_P(variants, combining_switch_cosim,
                         ::testing::ValuesIn(built_switch_variants()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tributary
