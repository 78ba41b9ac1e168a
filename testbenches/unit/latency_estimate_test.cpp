// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/latency_estimate.h>

#include <gtest/gtest.h>

#include <tributary/base/error.h>

namespace tributary {
namespace {

TEST(latency_estimate, an_idle_network_adds_nothing) {
  const latency_estimate estimate({4, 100}, 8, 3, 2);
  EXPECT_EQ(estimate.load(), 0.0);
  EXPECT_EQ(estimate.excess(), 0.0);
}

TEST(latency_estimate, follows_the_formulas) {
  const latency_estimate estimate({4, 100}, 8, 3, 2);
  // Six stages of m^2 p / (4 (1 - m p)), and s * sp / (2 (1 - sp)) with m = 2, s = 4, p = 0.1.
  EXPECT_NEAR(estimate.excess_at(0.1), 6 * (4 * 0.1) / (4 * 0.8) + 4 * 0.4 / (2 * 0.6), 1e-12);
}

TEST(latency_estimate, stays_finite_beyond_saturation) {
  const latency_estimate estimate({4, 100}, 8, 3, 2);
  EXPECT_DOUBLE_EQ(estimate.excess_at(0.6), estimate.excess_at(1.0));
  EXPECT_LT(estimate.excess_at(1.0), 120.0);
}

TEST(latency_estimate, uses_the_window_before_the_current_one) {
  latency_estimate estimate({4, 100}, 8, 3, 2);
  for (cycle_t now = 1; now < 100; ++now) estimate.count(now, 1);
  EXPECT_EQ(estimate.load(), 0.0);
  estimate.count(100, 1);
  EXPECT_NEAR(estimate.load(), 99.0 / 800, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.excess(), estimate.excess_at(estimate.load()));
}

TEST(latency_estimate, forgets_a_load_after_a_pause) {
  latency_estimate estimate({4, 100}, 8, 3, 2);
  for (cycle_t now = 1; now <= 100; ++now) estimate.count(now, 1);
  estimate.count(100000, 1);
  EXPECT_LT(estimate.load(), 1e-5);
}

TEST(latency_estimate, takes_cycles_out_of_order) {
  latency_estimate estimate({4, 100}, 2, 1, 2);
  estimate.count(150, 1);
  estimate.count(20, 1);
  estimate.count(250, 1);
  EXPECT_NEAR(estimate.load(), 2.0 / 200, 1e-12);
}

TEST(latency_estimate, refuses_values_out_of_range) {
  EXPECT_THROW(latency_estimate({0, 100}, 2, 1, 2), configuration_error);
  EXPECT_THROW(latency_estimate({4, 1}, 2, 1, 2), configuration_error);
}

}  // namespace
}  // namespace tributary
