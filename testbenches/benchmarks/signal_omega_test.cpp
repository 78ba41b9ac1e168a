// SPDX-License-Identifier: Apache-2.0
// The signal-level model is a fair opponent: it simulates the same machine, cycle for cycle.
#include "signal_omega.h"

#include <string>

#include <gtest/gtest.h>

#include <ultracomputer/ultracomputer.h>

#include "opponents.h"

namespace tributary::benchmarks {
namespace {

void expect_equal(signal_omega& signals, const ultracomputer& machine) {
  EXPECT_EQ(signals.interfaces().latency(), machine.interfaces().latency());
  EXPECT_EQ(signals.interfaces().latency_distribution(),
            machine.interfaces().latency_distribution());
  ASSERT_EQ(signals.stages(), machine.network().stages());
  for (unsigned stage = 0; stage < signals.stages(); ++stage) {
    SCOPED_TRACE("stage " + std::to_string(stage));
    const combining_counters ours = signals.counters(stage);
    const combining_counters& theirs = machine.network().column(stage).counters();
    EXPECT_EQ(ours.arrived, theirs.arrived);
    EXPECT_EQ(ours.combined, theirs.combined);
    EXPECT_EQ(ours.departed, theirs.departed);
    EXPECT_EQ(ours.decombined, theirs.decombined);
    EXPECT_EQ(ours.waiting_cycles, theirs.waiting_cycles);
    EXPECT_EQ(ours.held_cycles, theirs.held_cycles);
  }
}

void expect_same_machine(const ultracomputer_config& config, std::uint64_t cycles) {
  signal_machine signals(config, 1);
  ultracomputer machine(config, 1);
  for (int part = 0; part < 3; ++part) {
    signals.step(cycles);
    machine.step(cycles);
    expect_equal(signals.network(), machine);
    signals.network().reset_statistics();
    machine.reset_statistics();
  }
}

TEST(signal_omega, carries_uniform_load_as_the_library_does) {
  for (const std::uint32_t elements : {2U, 16U, 64U}) {
    SCOPED_TRACE(elements);
    expect_same_machine(uniform_case(elements).machine, 1000);
  }
}

TEST(signal_omega, combines_as_the_library_does) {
  for (const std::string& design : designs()) {
    SCOPED_TRACE(design);
    ultracomputer_config config = polling_case(design, 32).machine;
    config.interface.outstanding = 4;
    expect_same_machine(config, 1000);
    config.workload.traffic.hot_spot = 0.3;
    expect_same_machine(config, 1000);
  }
}

}  // namespace
}  // namespace tributary::benchmarks
