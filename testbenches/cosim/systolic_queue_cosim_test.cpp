// SPDX-License-Identifier: Apache-2.0
// The RTL of a switch with systolic queues beside its core, cycle by cycle: decoupled as in the
// improved switch, coupled with deeper queues at the ends of the other axes, and with one slot.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <switch_systolic_coupled.h>
#include <switch_systolic_decoupled.h>
#include <switch_systolic_single.h>
#include <tributary/rtl/verilated_switch.h>

#include "lockstep_run.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::lockstep_run;

template <class Design>
class systolic_queue_cosim : public ::testing::Test {
 protected:
  static lockstep_run run_of(unsigned route_bit, std::uint64_t seed) {
    verilated_options options;
    options.name = Design::name;
    options.seed = static_cast<int>(seed);
    return lockstep_run(Design::name, config_of(Design::parameters), route_bit, seed,
                        std::make_unique<verilated_switch<Design>>(route_bit, options));
  }
};

struct design_names {
  template <class Design>
  static std::string GetName(int) {
    return Design::name;
  }
};

using designs =
    ::testing::Types<switch_systolic_decoupled, switch_systolic_coupled, switch_systolic_single>;
TYPED_TEST_SUITE(systolic_queue_cosim, designs, design_names);

TYPED_TEST(systolic_queue_cosim, equals_the_core_cycle_by_cycle) {
  const std::uint64_t cycles = testing::long_form() ? 500'000 : testing::scaled(24'000);
  const bool combines = TypeParam::parameters.Slots > 1;
  for (const unsigned route_bit : {0U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      lockstep_run both = this->run_of(route_bit, seed);
      for (std::uint64_t cycle = 0; cycle < cycles / 6; ++cycle) ASSERT_NO_THROW(both.step());
      EXPECT_EQ(both.combined() > 0, combines) << both.combined() << " combined";
      EXPECT_EQ(both.decombined() > 0, combines) << both.decombined() << " decombined";
    }
  }
}

TYPED_TEST(systolic_queue_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  lockstep_run both = this->run_of(1, 7);
  for (unsigned resets = 0; resets < 5; ++resets) {
    for (unsigned cycle = 0; cycle < 300; ++cycle) ASSERT_NO_THROW(both.step());
    both.reset();
    EXPECT_TRUE(both.idle());
  }
}

}  // namespace
}  // namespace tributary
