// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include <tributary/sim/random_stream.h>

#include <run/batch_means.h>
#include <run/comparison.h>

namespace tributary {
namespace {

TEST(student_t_test, agrees_with_the_tables) {
  EXPECT_NEAR(student_t(0.95, 1), 12.706, 0.001);
  EXPECT_NEAR(student_t(0.95, 4), 2.776, 0.001);
  EXPECT_NEAR(student_t(0.99, 10), 3.169, 0.001);
}

TEST(estimate_mean_test, interval_of_a_small_sample) {
  const interval_estimate estimate = estimate_mean({1, 2, 3, 4, 5}, 0.95);
  EXPECT_DOUBLE_EQ(estimate.mean, 3);
  EXPECT_NEAR(estimate.half_width, 2.776 * std::sqrt(2.5 / 5), 0.001);
  EXPECT_TRUE(std::isnan(estimate_mean({7}, 0.95).half_width));
}

TEST(batch_means_test, nothing_is_known_from_few_batches) {
  batch_means batches(10);
  for (int i = 0; i < 19; ++i) batches.add(100, 10);
  EXPECT_FALSE(batches.steady(0.5, 0.95));
  batches.add(100, 10);
  EXPECT_TRUE(batches.steady(0.01, 0.95));
}

TEST(batch_means_test, forty_batches_become_twenty_of_twice_the_length) {
  batch_means batches(10);
  for (int i = 0; i < 40; ++i) batches.add(i % 2 == 0 ? 90 : 110, 10);
  EXPECT_EQ(batches.batches(), 20U);
  EXPECT_EQ(batches.length(), 20U);
  EXPECT_DOUBLE_EQ(batches.estimate(0.95).mean, 10);
  EXPECT_DOUBLE_EQ(batches.estimate(0.95).half_width, 0);
}

TEST(batch_means_test, a_drifting_mean_is_not_steady) {
  batch_means batches(10);
  for (std::uint64_t i = 0; i < 30; ++i) batches.add(10000 + i, 10);
  EXPECT_GT(batches.correlation(), 0.4);
  EXPECT_FALSE(batches.steady(0.5, 0.95));
}

TEST(batch_means_test, what_has_not_happened_is_not_steady) {
  batch_means batches(10);
  for (int i = 0; i < 25; ++i) batches.add(0, 10);
  EXPECT_EQ(batches.estimate(0.95).half_width, 0.0);
  EXPECT_FALSE(batches.steady(0.05, 0.95));
  for (int i = 0; i < 15; ++i) batches.add(0, 10);
  for (int i = 0; i < 19; ++i) batches.add(7, 20);
  EXPECT_FALSE(batches.steady(0.05, 0.95));
}

TEST(batch_means_test, an_empty_batch_tells_nothing) {
  batch_means batches(10);
  for (int i = 0; i < 25; ++i) batches.add(0, 0);
  EXPECT_FALSE(batches.steady(1, 0.95));
}

TEST(batch_means_test, intervals_hold_the_true_mean_as_often_as_they_say) {
  int held = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    random_stream stream(trial, 0, 0);
    batch_means batches(1);
    for (int i = 0; i < 30; ++i) {
      std::uint64_t sum = 0;
      for (int j = 0; j < 50; ++j) sum += stream.below(101);
      batches.add(sum, 50);
    }
    const interval_estimate estimate = batches.estimate(0.95);
    if (std::abs(estimate.mean - 50) <= estimate.half_width) ++held;
  }
  EXPECT_NEAR(held / 400.0, 0.95, 0.03);
}

TEST(welch_test, tells_difference_from_chance) {
  EXPECT_LT(welch_probability({10, 11, 10, 11}, {20, 21, 20, 21}), 0.001);
  EXPECT_GT(welch_probability({10, 20, 30, 40}, {12, 19, 33, 38}), 0.5);
  EXPECT_EQ(welch_probability({5, 5}, {5, 5}), 1.0);
  EXPECT_EQ(welch_probability({5, 5}, {6, 6}), 0.0);
  // Worked example: means 3 and 7, variances of the mean 0.5 each, t = 4 at 8 degrees.
  EXPECT_NEAR(welch_probability({1, 2, 3, 4, 5}, {5, 6, 7, 8, 9}), 0.00395, 0.0001);
}

}  // namespace
}  // namespace tributary
