// SPDX-License-Identifier: Apache-2.0
// One behaviour: the plain loop, the platform whose network is one process, and a platform whose
// network is composed of single switch modules give the same trace.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <driver/event_files.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/omega_network_module.h>
#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_platform.h>

#include "support/event_text.h"
#include "support/module_platform.h"
#include "support/network_of_switches.h"
#include "support/observed_machine.h"
#include "support/scratch_directory.h"
#include "support/sizes.h"
#include "support/wanderer.h"

namespace tributary {
namespace {

constexpr cycle_t cycles = 400;

std::string trace_of(ultracomputer_machine& simulated, cycle_t from = 0) {
  testing::event_text trace(simulated.observers());
  simulated.run_until(from + cycles);
  return trace.text();
}

TEST(engine_equality, loop_one_process_and_single_switches_give_one_trace) {
  random_stream random(41, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(60); ++seed) {
    const ultracomputer_config config = testing::random_configuration(random);
    SCOPED_TRACE(testing::to_string(config) + ", seed " + std::to_string(seed));
    ultracomputer loop(config, seed);
    const std::string expected = trace_of(loop);
    ASSERT_FALSE(expected.empty());
    {
      ultracomputer_platform modules(config, seed);
      const std::string trace = trace_of(modules);
      ASSERT_TRUE(trace == expected) << testing::first_difference(expected, trace);
      EXPECT_TRUE(loop.network() == modules.network());
      EXPECT_TRUE(loop.memories() == modules.memories());
      EXPECT_EQ(loop.statistics().to_json_text(), modules.statistics().to_json_text());
    }
    testing::platform_of<testing::network_of_switches> switches(config, seed);
    const std::string trace = switches.trace(cycles);
    ASSERT_TRUE(trace == expected) << testing::first_difference(expected, trace);
    statistics_tree network;
    loop.network().report(network.group("network"));
    EXPECT_EQ(switches.network_statistics(), network.to_json_text());
  }
}

/// Loads only: memory keeps its words over a reset.
template <class Network>
void expect_a_new_beginning(ultracomputer_config config, std::uint64_t seed) {
  config.workload.traffic.operations.clear();
  SCOPED_TRACE(testing::to_string(config) + ", seed " + std::to_string(seed));
  ultracomputer loop(config, seed);
  const std::string expected = trace_of(loop);
  testing::platform_of<Network> modules(config, seed);
  modules.trace(1 + seed * 7);
  modules.reset_n.write(false);
  ASSERT_EQ(modules.trace(3), "") << "something happens in reset";
  modules.reset_n.write(true);
  const std::string trace = modules.trace(cycles);
  ASSERT_TRUE(trace == expected) << testing::first_difference(expected, trace);
  statistics_tree network;
  loop.network().report(network.group("network"));
  EXPECT_EQ(modules.network_statistics(), network.to_json_text());
}

TEST(engine_equality, after_a_reset_modules_begin_anew) {
  random_stream random(43, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(20); ++seed) {
    const ultracomputer_config config = testing::random_configuration(random, 16);
    expect_a_new_beginning<omega_network_module>(config, seed);
    expect_a_new_beginning<testing::network_of_switches>(config, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(engine_equality, a_checkpoint_of_one_engine_continues_in_the_other) {
  random_stream random(42, 0U, 0U);
  for (std::uint64_t seed = 1; seed <= testing::scaled(20); ++seed) {
    const ultracomputer_config config = testing::random_configuration(random, 16);
    SCOPED_TRACE(testing::to_string(config) + ", seed " + std::to_string(seed));
    std::string half_way;
    std::string expected;
    {
      ultracomputer_platform modules(config, seed);
      modules.run_until(cycles);
      half_way = modules.save();
      expected = trace_of(modules, cycles);
    }
    ultracomputer loop(config, seed);
    loop.restore(half_way);
    ASSERT_EQ(loop.save(), half_way);
    ASSERT_EQ(trace_of(loop, cycles), expected);
    ultracomputer_platform again(config, seed);
    again.restore(half_way);
    ASSERT_EQ(trace_of(again, cycles), expected);
  }
}

/// A random machine for programs that have several references outstanding.
ultracomputer_config random_program_machine(random_stream& random) {
  ultracomputer_config config = testing::random_configuration(random, 16);
  config.addresses = {};  // regions for shared and for local words
  config.interface.outstanding = 1 + static_cast<std::uint32_t>(random.below(6));
  config.workload.program.run.random_cycles = static_cast<std::uint32_t>(random.below(3));
  return config;
}

/// What a machine does in some cycles: its events, and the Perfetto trace with the intervals of its
/// programs beside them.
struct seen_run {
  std::string events;
  std::string perfetto;
};

seen_run see(ultracomputer_machine& simulated, cycle_t from = 0) {
  const testing::scratch_directory here;
  event_files files;
  files.perfetto = here.path("trace");
  event_observation sink(files, simulated);
  seen_run seen;
  seen.events = trace_of(simulated, from);
  sink.finish(false);
  seen.perfetto = here.read("trace");
  return seen;
}

void expect_equal(const seen_run& loop, const seen_run& modules) {
  ASSERT_TRUE(modules.events == loop.events)
      << testing::first_difference(loop.events, modules.events);
  EXPECT_TRUE(modules.perfetto == loop.perfetto)
      << testing::first_difference(loop.perfetto, modules.perfetto);
}

TEST(engine_equality, a_program_that_uses_everything_runs_unchanged_in_both_engines) {
  random_stream random(44, 0U, 0U);
  bool intervals = false;
  for (std::uint64_t seed = 1; seed <= testing::scaled(20); ++seed) {
    const ultracomputer_config config = random_program_machine(random);
    SCOPED_TRACE(testing::to_string(config) + ", seed " + std::to_string(seed));
    ultracomputer loop(config, seed, make_program(testing::wanderer));
    const seen_run expected = see(loop);
    ASSERT_FALSE(expected.events.empty());
    intervals = intervals || expected.perfetto.find(R"("cat":"program")") != std::string::npos;
    ultracomputer_platform modules(config, seed, [] { return make_program(testing::wanderer); });
    expect_equal(expected, see(modules));
    EXPECT_TRUE(loop.memories() == modules.memories());
    EXPECT_EQ(loop.statistics().to_json_text(), modules.statistics().to_json_text());
    EXPECT_TRUE(loop.work().save() == modules.work().save());

    ultracomputer resumed(config, seed, make_program(testing::wanderer));
    resumed.restore(modules.save());
    expect_equal(see(resumed, cycles), see(modules, cycles));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(intervals);
}

/// The comparison notices a program that does something else in one engine, late and in one place.
TEST(engine_equality, a_program_that_differs_is_noticed) {
  random_stream random(45, 0U, 0U);
  const ultracomputer_config config = random_program_machine(random);
  const auto late = [](bool different) {
    return [different](program_context& c) {
      testing::wanderer_walk walk(c);
      for (int i = 0; i < 8; ++i) walk.step();
      if (different && c.rank() == 1) c.delay(1);
      for (;;) walk.step();
    };
  };
  ultracomputer loop(config, 1, make_program(late(false)));
  ultracomputer_platform modules(config, 1, [&] { return make_program(late(true)); });
  EXPECT_NE(see(loop).events, see(modules).events);
}

TEST(engine_equality, both_engines_end_a_program_in_the_same_cycle) {
  ultracomputer_config config;
  config.network.processing_elements = 32;
  config.workload.kind = workload_kind::program;
  ultracomputer loop(config, 3);
  loop.run_until(1000000);
  ASSERT_TRUE(loop.finished());
  ultracomputer_platform modules(config, 3);
  modules.run_until(1000000);
  EXPECT_TRUE(modules.finished());
  EXPECT_EQ(modules.now(), loop.now());
  EXPECT_TRUE(modules.drain());
  EXPECT_EQ(modules.statistics().to_json_text(), loop.statistics().to_json_text());
}

}  // namespace
}  // namespace tributary
