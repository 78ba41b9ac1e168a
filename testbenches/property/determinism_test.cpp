// SPDX-License-Identifier: Apache-2.0
// One configuration and seed, one trace; looking at a machine does not change it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

constexpr std::uint64_t cycles = 500;

std::string trace(const ultracomputer_config& config, std::uint64_t seed) {
  ultracomputer machine(config, seed);
  const testing::event_text events(machine.observers());
  machine.step(cycles);
  return events.text();
}

TEST(determinism, the_same_seed_gives_the_same_trace) {
  random_stream random(5, 0U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(60); ++i) {
    const ultracomputer_config config = testing::random_configuration(random, 32);
    const auto first = trace(config, i);
    ASSERT_TRUE(first == trace(config, i)) << "seed " << i << ", " << testing::to_string(config);
    ASSERT_FALSE(first.empty());
    ASSERT_FALSE(first == trace(config, i + 1000))
        << "the seed has no effect, " << testing::to_string(config);
  }
}

TEST(determinism, observing_changes_nothing) {
  random_stream random(6, 0U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(60); ++i) {
    const ultracomputer_config config = testing::random_configuration(random, 32);
    ultracomputer alone(config, i);
    ultracomputer observed(config, i);
    const testing::event_text events(observed.observers());
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      alone.step();
      observed.step();
    }
    ASSERT_TRUE(alone.network() == observed.network()) << testing::to_string(config);
    ASSERT_TRUE(alone.memories() == observed.memories()) << testing::to_string(config);
    ASSERT_EQ(alone.statistics().to_json_text(), observed.statistics().to_json_text())
        << testing::to_string(config);
    alone.drain();
    observed.drain();
    ASSERT_EQ(alone.now(), observed.now()) << testing::to_string(config);
  }
}

}  // namespace
}  // namespace tributary
