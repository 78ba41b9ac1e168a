// SPDX-License-Identifier: Apache-2.0
// A network in which other implementations take the place of switches gives the same trace.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer.h>

#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::message_of;

constexpr cycle_t cycles = 400;

std::string trace_of(ultracomputer& machine) {
  testing::event_text trace(machine.observers());
  machine.step(cycles);
  machine.drain();
  return trace.text();
}

/// Every switch a core of its own; or two of them, each checking the other.
std::unique_ptr<switch_implementation> core_of(const combining_switch_config& config,
                                               unsigned route_bit, const switch_place&) {
  return std::make_unique<core_switch>(config, route_bit);
}
std::unique_ptr<switch_implementation> pair_of(const combining_switch_config& config,
                                               unsigned route_bit, const switch_place& place) {
  return std::make_unique<lockstep_switch>(to_string(place), core_of(config, route_bit, place),
                                           core_of(config, route_bit, place));
}

/// "all", or some stages and switches.
std::string random_selection(random_stream& random, const omega_network_config& network) {
  if (random.below(3) == 0) return "all";
  std::string text = "stage " + std::to_string(random.below(network.stages()));
  for (unsigned i = 0; i < 3; ++i) {
    text += ", stage " + std::to_string(random.below(network.stages())) + " switch " +
            std::to_string(random.below(network.processing_elements / 2));
  }
  return text;
}

TEST(replaced_switches, give_the_trace_and_statistics_of_the_columns) {
  random_stream random(61, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(100); ++seed) {
    ultracomputer_config config = testing::random_configuration(random, 32);
    ultracomputer columns(config, seed);
    config.network.rtl = random_selection(random, config.network);
    config.network.make_switch = seed % 2 == 0 ? core_of : pair_of;
    SCOPED_TRACE(testing::to_string(config) + ", replaced " + config.network.rtl + ", seed " +
                 std::to_string(seed));
    ultracomputer replaced(config, seed);
    const std::string expected = trace_of(columns);
    const std::string trace = trace_of(replaced);
    ASSERT_TRUE(trace == expected) << testing::first_difference(expected, trace);
    ASSERT_EQ(replaced.statistics().to_json_text(), columns.statistics().to_json_text());
    EXPECT_FALSE(replaced.network().replaced().empty());
  }
}

/// A core that believes the upper of two ready bits where both have to say the same.
class upper_bit_switch final : public switch_implementation {
 public:
  upper_bit_switch(const combining_switch_config& config, unsigned route_bit)
      : core_(config, route_bit), last_(route_bit == 0) {}
  std::uint8_t request_ready(unsigned input) const override { return core_.request_ready(input); }
  bool reply_ready(unsigned output) const override { return core_.reply_ready(output); }
  const switch_traffic& depart(const std::array<std::uint8_t, 2>& requests,
                               const std::array<bool, 2>& replies) override {
    std::array<std::uint8_t, 2> seen = requests;
    if (last_) {
      for (std::uint8_t& ready : seen) ready = (ready & 2) != 0 ? 1 : 0;
    }
    return core_.depart(seen, replies);
  }
  const switch_activity& commit(const switch_traffic& arriving) override {
    return core_.commit(arriving);
  }
  bool idle() const override { return core_.idle(); }
  void reset() override { core_.reset(); }

 private:
  core_switch core_;
  bool last_;
};

TEST(replaced_switches, see_both_ready_bits_of_a_memory_module) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  ultracomputer columns(config, 1);
  config.network.rtl = "all";
  config.network.make_switch = [](const combining_switch_config& switches, unsigned route_bit,
                                  const switch_place&) {
    return std::make_unique<upper_bit_switch>(switches, route_bit);
  };
  ultracomputer replaced(config, 1);
  const std::string expected = trace_of(columns);
  const std::string trace = trace_of(replaced);
  EXPECT_TRUE(trace == expected) << testing::first_difference(expected, trace);
}

TEST(replaced_switches, count_levels_and_peaks_as_the_core_does_after_a_reset_of_statistics) {
  random_stream random(67, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(40); ++seed) {
    ultracomputer_config config = testing::random_configuration(random, 16);
    ultracomputer columns(config, seed);
    config.network.rtl = random_selection(random, config.network);
    config.network.make_switch = core_of;
    SCOPED_TRACE(testing::to_string(config) + ", replaced " + config.network.rtl + ", seed " +
                 std::to_string(seed));
    ultracomputer replaced(config, seed);
    for (unsigned window = 0; window < 40; ++window) {
      columns.step(1 + seed % 7);
      replaced.step(1 + seed % 7);
      for (std::size_t stage = 0; stage < config.network.stages(); ++stage) {
        ASSERT_EQ(replaced.network().fullest_queue(stage), columns.network().fullest_queue(stage))
            << "stage " << stage << ", cycle " << columns.now();
        ASSERT_EQ(replaced.network().fullest_wait_buffer(stage),
                  columns.network().fullest_wait_buffer(stage))
            << "stage " << stage << ", cycle " << columns.now();
      }
      ASSERT_EQ(replaced.statistics().to_json_text(), columns.statistics().to_json_text());
      if (window % 5 == 4) {
        columns.reset_statistics();
        replaced.reset_statistics();
      }
    }
  }
}

TEST(replaced_switches, are_emptied_by_the_drain_and_refuse_checkpoints) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.network.rtl = "stage 1 switch 2";
  config.network.make_switch = core_of;
  ultracomputer machine(config, 1);
  machine.step(300);
  EXPECT_FALSE(machine.network().idle());
  EXPECT_EQ(message_of<error>([&] { machine.save(); }),
            "a checkpoint cannot hold the state of RTL; run with network.rtl = none, or "
            "without checkpoints");
  machine.drain();
  EXPECT_TRUE(machine.network().idle());
}

TEST(replaced_switches, need_somebody_who_makes_them) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.network.rtl = "all";
  EXPECT_TRUE(begins_with(message_of<configuration_error>([&] { ultracomputer(config, 1); }),
                          "network.rtl: "));
}

}  // namespace
}  // namespace tributary
