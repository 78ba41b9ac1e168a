// SPDX-License-Identifier: Apache-2.0
// Looking at a machine does not change it. That one configuration and seed give one trace, whatever
// steps the machine, is in engine_equality_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

constexpr std::uint64_t cycles = 500;

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
