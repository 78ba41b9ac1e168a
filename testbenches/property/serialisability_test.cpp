// SPDX-License-Identifier: Apache-2.0
// A million random mixed operations over all axes explained by a serial order.
// The long form, a hundred million: TRIBUTARY_LONG=1 serialisability_test
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <tributary/sim/error.h>

#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::find_repeated_reply;
using testing::find_violation;
using testing::observed_machine;

constexpr int shards = 10;
constexpr std::uint64_t requests_a_machine = 1500;
constexpr std::uint64_t cycles_a_machine = 20000;

/// Operations that one shard judges.
std::uint64_t quota() {
  constexpr std::uint64_t million = 1000000;
  return (testing::long_form() ? 100 * million : testing::scaled(million)) / shards;
}

struct tally {
  std::uint64_t judged = 0;
  std::uint64_t combined = 0;
};

/// Runs one machine to its end. Returns the breach found, or an empty string.
std::string judge(const ultracomputer_config& config, std::uint64_t seed, tally& total) {
  observed_machine observed(config, seed);
  observed.run(requests_a_machine, cycles_a_machine);
  try {
    observed.machine().drain();
  } catch (const simulation_error& breach) {
    return breach.what();
  }
  total.judged += observed.accepted();
  total.combined += observed.combined();
  if (!observed.problem().empty()) return observed.problem();
  return find_violation(observed.finish());
}

class serialisability : public ::testing::TestWithParam<int> {};

TEST_P(serialisability, random_operations_on_random_machines) {
  const auto shard = static_cast<std::uint32_t>(GetParam());
  random_stream random(2024, shard, 0U);
  tally total;
  // A short form draws few machines, perhaps few that combine: then it draws some more.
  const auto combined_enough = [&total] { return total.combined > total.judged / 20; };
  const auto ended = [&] {
    return total.judged >= quota() && (combined_enough() || total.judged >= 2 * quota());
  };
  for (std::uint64_t seed = 1; !ended(); ++seed) {
    const ultracomputer_config config = testing::random_configuration(random);
    const std::string breach = judge(config, seed, total);
    ASSERT_EQ(breach, "") << "seed " << seed << ", " << testing::to_string(config);
  }
  RecordProperty("operations", std::to_string(total.judged));
  if (testing::sanitized) return;
  EXPECT_TRUE(combined_enough()) << "only " << total.combined << " of " << total.judged
                                 << " combined: it shows nothing";
}

INSTANTIATE_TEST_SUITE_P(shards, serialisability, ::testing::Range(0, shards));

/// Fetch-and-adds of random addends on one word: their partial sums differ, whatever the order.
TEST(serialisability, fetch_and_adds_on_one_word_get_distinct_replies) {
  random_stream random(7, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(40); ++seed) {
    ultracomputer_config config = testing::random_configuration(random);
    config.workload.traffic.hot_spot = 1;
    config.workload.traffic.hot_words = 1;
    config.workload.traffic.operations = {{operation::fetch_add, 1}};
    config.workload.traffic.operand_bits = 64;
    observed_machine observed(config, seed);
    observed.run(requests_a_machine, cycles_a_machine);
    ASSERT_NO_THROW(observed.machine().drain()) << testing::to_string(config);
    ASSERT_EQ(find_repeated_reply(observed.finish().requests), "")
        << "seed " << seed << ", " << testing::to_string(config);
  }
}

}  // namespace
}  // namespace tributary
