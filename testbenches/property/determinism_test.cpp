// SPDX-License-Identifier: Apache-2.0
// One configuration and seed, one trace; looking at a machine does not change it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/sim/observer.h>

#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

class event_list final : public observer<network_event> {
 public:
  void on_event(const network_event& event) override {
    events.emplace_back(event.cycle, event.stage, event.switch_index, event.port,
                        static_cast<int>(event.kind), event.id.pe, event.id.sequence,
                        event.other.pe, event.other.sequence, static_cast<int>(event.function),
                        event.address, event.value);
  }
  std::vector<std::tuple<cycle_t, std::int32_t, std::uint32_t, std::uint32_t, int, std::uint16_t,
                         std::uint32_t, std::uint16_t, std::uint32_t, int, std::uint64_t, word_t>>
      events;
};

constexpr std::uint64_t cycles = 500;

auto trace(const ultracomputer_config& config, std::uint64_t seed) {
  ultracomputer machine(config, seed);
  event_list list;
  machine.observers().attach(list);
  machine.step(cycles);
  machine.observers().detach(list);
  return list.events;
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
    event_list list;
    observed.observers().attach(list);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      alone.step();
      observed.step();
    }
    observed.observers().detach(list);
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
