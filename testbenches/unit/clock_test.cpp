// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/clock.h>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

TEST(clock_domain, turns_bytes_into_cycles_rounded_up) {
  const clock_domain at_100_mhz;
  EXPECT_EQ(at_100_mhz.cycles_of(160, megabytes_per_second(400)), 40U);
  EXPECT_EQ(at_100_mhz.cycles_of(0, megabytes_per_second(400)), 0U);
  EXPECT_EQ(at_100_mhz.cycles_of(32, megabytes_per_second(300)), 11U);  // 10.7
  EXPECT_EQ(at_100_mhz.cycles_of(1, megabytes_per_second(100000)), 1U);
}

TEST(clock_domain, a_faster_clock_takes_more_cycles_for_the_same_time) {
  clock_domain faster;
  faster.period = 2500;
  EXPECT_EQ(faster.cycles_of(160, megabytes_per_second(400)), 160U);
}

TEST(clock_domain, no_rate_or_length_in_range_overflows) {
  for (const std::uint64_t period : {100U, 1000000U}) {
    clock_domain domain;
    domain.period = period;
    for (const std::uint64_t rate : {1U, 100000U}) {
      const std::uint64_t bytes = 65536 + 4096;
      const double seconds = static_cast<double>(bytes) / (1e6 * static_cast<double>(rate));
      const double cycles = seconds * 1e12 / static_cast<double>(period);
      EXPECT_NEAR(static_cast<double>(domain.cycles_of(bytes, megabytes_per_second(rate))), cycles,
                  1.0)
          << period << " ps, " << rate << " MB/s";
    }
  }
}

TEST(clock_domain, turns_cycles_into_a_rate) {
  clock_domain domain;
  EXPECT_EQ(domain.megabytes_a_second(4096, 1024), 400.0);
  EXPECT_EQ(domain.megabytes_a_second(4096, 0), 0.0);
  domain.period = 5000;
  EXPECT_EQ(domain.megabytes_a_second(4096, 1024), 800.0);
}

TEST(clock_domain, a_period_out_of_range_is_refused) {
  clock_domain domain;
  domain.period = 99;
  EXPECT_THROW(check_ranges(domain), configuration_error);
}

}  // namespace
}  // namespace tributary
