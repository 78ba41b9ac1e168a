// SPDX-License-Identifier: Apache-2.0
// What the gradual adaptive queue is for: one hot word, several, and none, against never adaptive
// and crude queues.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include <support/sizes.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t warmup = 2000;
constexpr std::uint64_t measured = 4000;

combining_switch_config never_adaptive() {
  combining_switch_config config;
  config.wait_buffer_entries = 100;
  return config;
}
combining_switch_config crude() {
  combining_switch_config config = never_adaptive();
  config.adaptive_limit = 2;
  return config;
}
combining_switch_config gradual() {
  combining_switch_config config = crude();
  config.adaptation = queue_adaptation::gradual;
  return config;
}

/// 256 elements, each with 16 requests outstanding, a fraction of them to hot words in neighbouring
/// modules.
ultracomputer_config loaded(const combining_switch_config& switches, double hot_spot,
                            std::uint32_t hot_words) {
  ultracomputer_config config;
  config.network.processing_elements = 256;
  config.network.switches = switches;
  config.interface.outstanding = 16;
  config.processor.turnaround = 1;
  config.workload.traffic.hot_spot = hot_spot;
  config.workload.traffic.hot_words = hot_words;
  config.workload.traffic.placement = hot_placement::adjacent;
  config.validate();
  return config;
}

/// Requests that get into its network.
double accepted(const combining_switch_config& switches, double hot_spot, std::uint32_t hot_words) {
  ultracomputer machine(loaded(switches, hot_spot, hot_words), seed);
  machine.step(warmup);
  const double before = machine.statistics().find("interface.accepted");
  machine.step(measured);
  return machine.statistics().find("interface.accepted") - before;
}

/// Requests that 256 polling elements get answered.
double polled(const combining_switch_config& switches) {
  ultracomputer_config config;
  config.network.processing_elements = 256;
  config.network.switches = switches;
  config.workload.traffic.hot_spot = 1;
  config.validate();
  ultracomputer machine(config, seed);
  machine.step(warmup);
  const double before = machine.statistics().find("interface.latency.count");
  machine.step(measured);
  return machine.statistics().find("interface.latency.count") - before;
}

TEST(gradual_mix, several_hot_words_are_hurt_by_the_crude_limit_and_not_by_the_gradual_one) {
  for (const std::uint32_t hot_words : {3U, 4U}) {
    if (testing::sanitized && hot_words > 3) break;
    const double never = accepted(never_adaptive(), 0.4, hot_words);
    EXPECT_LT(accepted(crude(), 0.4, hot_words), 0.95 * never) << hot_words << " hot words";
    EXPECT_GT(accepted(gradual(), 0.4, hot_words), 0.97 * never) << hot_words << " hot words";
  }
}

TEST(gradual_mix, polling_is_as_fast_as_with_the_crude_limit) {
  const double with_crude = polled(crude());
  EXPECT_GT(with_crude, 1.2 * polled(never_adaptive())) << "the limit is what makes polling fast";
  EXPECT_GT(polled(gradual()), 0.99 * with_crude);
}

/// Share of the cycles in which a queue with two entries or more, of stage 5 of 8, has the crude
/// limit.
double at_the_crude_limit(double hot_spot, std::uint32_t hot_words) {
  const ultracomputer_config config = loaded(gradual(), hot_spot, hot_words);
  ultracomputer machine(config, seed);
  machine.step(warmup);
  const combining_queue& queues = machine.network().column(5).queues();
  std::uint64_t filled = 0;
  std::uint64_t at_limit = 0;
  for (std::uint64_t cycle = 0; cycle < 1000; ++cycle) {
    machine.step();
    for (std::size_t queue = 0; queue < queues.count(); ++queue) {
      if (queues.size(queue) < 2) continue;
      ++filled;
      at_limit += queues.limit(queue) == config.network.switches.adaptive_limit ? 1 : 0;
    }
  }
  EXPECT_GT(filled, 1000U);
  return static_cast<double>(at_limit) / static_cast<double>(filled);
}

TEST(gradual_mix, the_limit_comes_down_for_one_hot_word_and_stays_up_for_several) {
  EXPECT_GT(at_the_crude_limit(1, 1), 0.9);
  EXPECT_LT(at_the_crude_limit(0.4, 3), 0.1);
}

TEST(gradual_mix, uniform_traffic_meets_no_limit) {
  const double never = accepted(never_adaptive(), 0, 1);
  EXPECT_EQ(accepted(crude(), 0, 1), never);
  EXPECT_EQ(accepted(gradual(), 0, 1), never);
}

}  // namespace
}  // namespace tributary
