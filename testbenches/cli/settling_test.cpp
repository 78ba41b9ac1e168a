// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <functional>

#include <gtest/gtest.h>

#include <run/settling.h>

namespace tributary {
namespace {

constexpr std::uint64_t cycles = 2000;

/// Watches a run in which the latency and the backlog are those of a slice, 0 to 19.
settling watched(const std::function<std::uint64_t(int)>& latency_of,
                 const std::function<std::uint64_t(int)>& backlog_of) {
  settling found(cycles);
  average latency;
  for (int slice = 0; slice < 20; ++slice) {
    EXPECT_EQ(found.slice_end(), static_cast<std::uint64_t>(slice + 1) * cycles / 20);
    latency.add(latency_of(slice), 10);
    found.end_slice(latency, backlog_of(slice));
  }
  EXPECT_GT(found.slice_end(), cycles);
  return found;
}

std::uint64_t steady(int slice) { return 100U + static_cast<unsigned>(slice % 2); }

TEST(settling, equal_halves_have_settled) {
  const settling run = watched(steady, steady);
  EXPECT_NEAR(*run.latency_drift(), 0, 0.01);
  EXPECT_TRUE(run.reasons(1000, 101).empty());
}

TEST(settling, a_latency_above_the_warm_up_is_a_reason) {
  const settling run = watched(steady, steady);
  EXPECT_EQ(run.reasons(100, 101).size(), 1U);
  EXPECT_TRUE(run.reasons(101, 101).empty());
  EXPECT_TRUE(run.reasons(0, 101).empty()) << "without warm-up the start is meant";
}

TEST(settling, halves_that_differ_by_more_than_a_twentieth_are_a_reason) {
  const auto step = [](std::uint64_t by) {
    return watched([by](int slice) { return steady(slice) + (slice < 10 ? 0 : by); }, steady);
  };
  EXPECT_TRUE(step(4).reasons(1000, 200).empty());
  ASSERT_EQ(step(7).reasons(1000, 200).size(), 1U);
  EXPECT_NE(step(7).reasons(1000, 200)[0].back(), ')') << "chance does not explain it";
  EXPECT_NEAR(*step(7).latency_drift(), 0.07, 0.001);
}

TEST(settling, a_difference_that_chance_may_explain_is_a_reason_too) {
  // One odd slice moves the mean of its half by 10 %.
  const settling run =
      watched([](int slice) { return slice == 15 ? 200U : steady(slice); }, steady);
  EXPECT_GT(*run.latency_drift(), 0.05);
  ASSERT_EQ(run.reasons(1000, 200).size(), 1U);
  EXPECT_EQ(run.reasons(1000, 200)[0].back(), ')') << "and it says so";
}

TEST(settling, a_backlog_that_grows_is_a_reason_and_one_that_shrinks_is_none) {
  const settling grows =
      watched(steady, [](int slice) { return 100U + 10U * static_cast<unsigned>(slice); });
  EXPECT_EQ(grows.reasons(1000, 200).size(), 1U);
  const settling shrinks =
      watched(steady, [](int slice) { return 300U - 10U * static_cast<unsigned>(slice); });
  EXPECT_TRUE(shrinks.reasons(1000, 200).empty());
  EXPECT_LT(*shrinks.backlog_drift(), 0);
}

TEST(settling, nothing_answered_has_no_drift) {
  settling run(cycles);
  for (int slice = 0; slice < 20; ++slice) run.end_slice({}, 0);
  EXPECT_FALSE(run.latency_drift());
  EXPECT_EQ(*run.backlog_drift(), 0);
  EXPECT_TRUE(run.reasons(1000, 0).empty());
}

/// A run of a few cycles has slices without one, and none of them is asked for again.
TEST(settling, short_runs_end_all_their_slices) {
  settling run(3);
  std::uint64_t slices = 0;
  for (std::uint64_t measured = 0; measured <= 3; ++measured) {
    for (; run.slice_end() == measured; ++slices) run.end_slice({}, 0);
  }
  EXPECT_EQ(slices, 20U);
}

}  // namespace
}  // namespace tributary
