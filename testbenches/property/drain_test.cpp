// SPDX-License-Identifier: Apache-2.0
// No setting that validation accepts deadlocks: machines at the extremes of every axis, at full
// load, answer everything and end empty (drain checks queues, wait buffers and pipelines).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <tributary/sim/error.h>

#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

/// The smallest of everything.
ultracomputer_config tightest() {
  ultracomputer_config config;
  config.network.processing_elements = 16;
  combining_switch_config& switches = config.network.switches;
  switches.wait_buffer_entries = 1;
  switches.reverse_slots = 5;
  config.memory.interval = 1;
  config.memory.latency = 1;
  config.memory.pipeline = 1;
  config.processor.turnaround = 1;
  config.processor.start_window = 1;
  config.interface.outstanding = 16;
  config.workload.traffic.hot_spot = 0.7;
  config.workload.traffic.rows = 4;
  config.workload.traffic.operations = {{operation::fetch_add, 1}};
  return config;
}

void expect_drains(const ultracomputer_config& config, std::uint64_t seed) {
  ASSERT_NO_THROW(config.validate()) << testing::to_string(config);
  ultracomputer machine(config, seed);
  machine.step(400);
  ASSERT_NO_THROW(machine.drain({}, 20000))
      << "seed " << seed << ", " << testing::to_string(config);
  ASSERT_TRUE(machine.finished());
}

TEST(drain, smallest_of_everything_on_every_structure) {
  for (const queue_type type : {queue_type::a, queue_type::b}) {
    for (const bool coupled : {false, true}) {
      for (const match_order order : {match_order::oldest, match_order::ordered}) {
        for (std::uint32_t link = 1; link <= 4; ++link) {
          for (std::uint32_t extra = 0; extra <= 3; ++extra) {
            ultracomputer_config config = tightest();
            combining_switch_config& switches = config.network.switches;
            switches.type = type;
            switches.coupled = coupled;
            switches.order = order;
            switches.link_cycles = link;
            switches.slots = switches.writers() + extra;
            switches.adaptive_limit = extra % 2;
            ASSERT_NO_FATAL_FAILURE(expect_drains(config, link));
          }
        }
      }
    }
  }
}

TEST(drain, each_axis_alone_at_its_far_end) {
  const auto with = [](auto change) {
    ultracomputer_config config = tightest();
    change(config);
    return config;
  };
  const ultracomputer_config machines[] = {
      with([](auto& c) { c.network.switches.slots = 64; }),
      with([](auto& c) { c.network.switches.adaptive_limit = 64; }),
      with([](auto& c) { c.network.switches.wait_buffer_entries = 65535; }),
      with([](auto& c) { c.network.switches.link_cycles = 128; }),
      with([](auto& c) { c.network.switches.reverse_slots = 4096; }),
      with([](auto& c) { c.network.switches.combining = false; }),
      with([](auto& c) { c.memory.interval = 500; }),
      with([](auto& c) { c.memory.latency = 2000; }),
      with([](auto& c) { c.memory.pipeline = 4096; }),
      with([](auto& c) { c.interface.outstanding = 1024; }),
      with([](auto& c) { c.network.processing_elements = 2; }),
      with([](auto& c) { c.network.processing_elements = 512; }),
  };
  for (const ultracomputer_config& config : machines) {
    ASSERT_NO_FATAL_FAILURE(expect_drains(config, 5));
  }
}

class drain_at_random : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(drain_at_random, settings_that_validation_accepts) {
  random_stream random(99, GetParam(), 0U);
  for (std::uint64_t i = 0; i < testing::scaled(200); ++i) {
    const ultracomputer_config config = testing::random_configuration(random, 32);
    ASSERT_NO_FATAL_FAILURE(expect_drains(config, i));
  }
}

INSTANTIATE_TEST_SUITE_P(shards, drain_at_random, ::testing::Range(0U, 4U));

}  // namespace
}  // namespace tributary
