// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/latency_estimate.h>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>

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
  for (cycle_t now = 1; now < 100; ++now) estimate.count(now, now, 1);
  EXPECT_EQ(estimate.load(), 0.0);
  estimate.count(100, 100, 1);
  EXPECT_NEAR(estimate.load(), 99.0 / 800, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.excess(), estimate.excess_at(estimate.load()));
}

TEST(latency_estimate, forgets_a_load_after_a_pause) {
  latency_estimate estimate({4, 100}, 8, 3, 2);
  for (cycle_t now = 1; now <= 100; ++now) estimate.count(now, now, 1);
  estimate.count(100000, 100000, 1);
  EXPECT_EQ(estimate.load(), 0.0);
}

TEST(latency_estimate, counts_what_runs_ahead_in_the_window_of_its_cycle) {
  latency_estimate estimate({4, 100}, 2, 1, 2);
  estimate.count(1, 950, 7);
  for (cycle_t at = 5; at < 1000; at += 10) estimate.count(1, at, 2);
  EXPECT_EQ(estimate.load(), 0.0);
  for (cycle_t now = 100; now < 1000; now += 100) {
    estimate.count(now, now + 1, 4);
    const double others = now == 100 ? 0 : 4;
    EXPECT_NEAR(estimate.load(), (20 + others) / 200, 1e-12) << now;
  }
  estimate.count(1000, 1000, 1);
  EXPECT_NEAR(estimate.load(), 31.0 / 200, 1e-12);
}

TEST(latency_estimate, spreads_a_burst_over_the_windows_that_it_takes) {
  latency_estimate estimate({4, 100}, 2, 1, 2);
  estimate.count(1, 50, 299, 250);
  estimate.count(100, 100, 0);
  EXPECT_NEAR(estimate.load(), 50.0 / 200, 1e-12);
  for (const cycle_t now : {200U, 300U}) {
    estimate.count(now, now, 0);
    EXPECT_NEAR(estimate.load(), 100.0 / 200, 1e-12) << now;
  }
  estimate.count(400, 400, 0);
  EXPECT_EQ(estimate.load(), 0.0);
}

TEST(latency_estimate, uses_what_ran_ahead_also_after_a_pause) {
  latency_estimate estimate({4, 100}, 2, 1, 2);
  for (cycle_t at = 5; at < 1000; at += 10) estimate.count(1, at, 2);
  estimate.count(700, 700, 1);
  EXPECT_NEAR(estimate.load(), 20.0 / 200, 1e-12);
  estimate.count(800, 800, 1);
  EXPECT_NEAR(estimate.load(), 21.0 / 200, 1e-12);
}

TEST(latency_estimate, a_reset_forgets_what_ran_ahead) {
  latency_estimate estimate({4, 100}, 2, 1, 2);
  for (cycle_t at = 5; at < 1000; at += 10) estimate.count(1, at, 2);
  estimate.reset();
  estimate.count(300, 300, 1);
  EXPECT_EQ(estimate.load(), 0.0);
}

TEST(latency_estimate, begins_anew_after_a_reset) {
  latency_estimate estimate({4, 100}, 8, 3, 2);
  for (cycle_t now = 1; now <= 1000; ++now) estimate.count(now, now, 1);
  estimate.reset();
  EXPECT_EQ(estimate.load(), 0.0);
  EXPECT_EQ(estimate.excess(), 0.0);
  for (cycle_t now = 1; now <= 100; ++now) estimate.count(now, now, 1);
  EXPECT_NEAR(estimate.load(), 99.0 / 800, 1e-12);
}

TEST(latency_estimate, refuses_values_out_of_range) {
  EXPECT_THROW(latency_estimate({0, 100}, 2, 1, 2), configuration_error);
  EXPECT_THROW(latency_estimate({4, 1}, 2, 1, 2), configuration_error);
}

}  // namespace
}  // namespace tributary
