// SPDX-License-Identifier: Apache-2.0
// The plain queueing loop and level Q of SMP nodes simulate the same machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <smp/smp_simulation.h>

#include "plain_smp.h"
#include "smp_work.h"

namespace tributary::benchmarks {
namespace {

constexpr std::uint64_t seeds = 4;

/// Means over nodes and seeds.
struct seen {
  double cycles = 0;
  double round_trip = 0;
  double interrupts = 0;
};

seen of_library(const smp_case& chosen) {
  seen found;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    smp_simulation machine(chosen.machine(), seed);
    machine.run_until(1'000'000'000);
    EXPECT_TRUE(machine.finished()) << chosen.id;
    const statistics_tree all = machine.statistics();
    found.cycles += static_cast<double>(machine.now()) / seeds;
    for (std::uint32_t i = 0; i < chosen.plain.nodes; ++i) {
      const std::string role = "node." + std::to_string(i) + ".role.";
      found.round_trip += all.find(role + "round_trip.mean") / (seeds * chosen.plain.nodes);
      found.interrupts += all.find(role + "interrupts") / seeds;
    }
  }
  return found;
}

seen of_loop(const smp_case& chosen) {
  seen found;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    plain_smp::options again = chosen.plain;
    again.seed = seed;
    const plain_smp::outcome one = plain_smp::run(again);
    EXPECT_EQ(one.requests, chosen.plain.requests * chosen.plain.nodes) << chosen.id;
    found.cycles += static_cast<double>(one.cycles) / seeds;
    found.round_trip += one.round_trip / seeds;
    found.interrupts += static_cast<double>(one.interrupts) / seeds;
  }
  return found;
}

/// With their own random numbers they differ between seeds by as much as 1 %.
void expect_agreement(smp_case chosen, double utilisation) {
  chosen.plain.utilisation = utilisation;
  const seen ours = of_library(chosen);
  const seen other = of_loop(chosen);
  const std::string what = std::string(chosen.id) + ", U = " + std::to_string(utilisation);
  EXPECT_NEAR(ours.round_trip / other.round_trip, 1, 0.02) << what;
  EXPECT_NEAR(ours.cycles / other.cycles, 1, 0.03) << what;
  EXPECT_NEAR(ours.interrupts, other.interrupts, 0.1 * other.interrupts + 50) << what;
}

TEST(plain_smp, agrees_with_the_library) {
  for (const smp_case& each : smp_cases()) {
    for (const double utilisation : {0.1, 0.3, 0.7}) expect_agreement(each, utilisation);
  }
}

/// Where nothing is random they agree to the cycle.
TEST(plain_smp, a_lone_round_trip_is_600_cycles) {
  plain_smp::options chosen;
  chosen.requests = 1;
  chosen.utilisation = 0.001;
  EXPECT_EQ(plain_smp::run(chosen).round_trip, 600);
}

}  // namespace
}  // namespace tributary::benchmarks
