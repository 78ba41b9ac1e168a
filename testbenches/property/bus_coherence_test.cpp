// SPDX-License-Identifier: Apache-2.0
// Random accesses of 2 to 10 processors to a few words that share lines, on tiny caches of one bus,
// with a device, and transactions that are deferred and retried. After each cycle in which
// something happens the caches must agree with each other and with memory; in the end one order of
// the writes to each word must agree with what everybody saw, by the clock too. The long form, 10^5
// buses in shards, is shards/bus_coherence_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <tributary/sim/statistics.h>

#include <support/bus_case.h>
#include <support/bus_faults.h>
#include <support/bus_trial.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::bus_case;
using testing::bus_fault;
using testing::bus_trial;

/// What has happened in all cases, by the names of statistics.
using occurrences = std::map<std::string, double>;

bool counts_something(const std::string& path) {
  for (const char* group : {"transactions.", "supplied.", "retries", "deferrals", "resumed",
                            "refused_upgrades", "memory_updates"}) {
    if (path.find(group) == 0) return true;
  }
  return false;
}

/// The lines that masters without a cache asked for came.
double uncached_lines(const bus_trial& trial, const bus_case& drawn, occurrences& all) {
  double asked = 0;
  for (std::uint32_t i = 0; i < drawn.uncached; ++i) {
    statistics_tree tree;
    trial.uncached(i).report(tree.root(), 0);
    for (const char* kind : {"reads", "writes", "operations"}) {
      asked += tree.find(kind);
      all[std::string("uncached ") + kind] += tree.find(kind);
    }
    all["uncached whole lines"] += tree.find("whole_lines");
  }
  return asked;
}

/// Every line that a cache asked for came, was upgraded, or was refused.
double asked_lines(const bus_trial& trial, const bus_case& drawn) {
  double asked = 0;
  for (std::uint32_t i = 0; i < drawn.masters; ++i) {
    statistics_tree tree;
    trial.caches(i).report(tree.root(), 0);
    for (const char* want : {"shared", "exclusive", "upgrade"}) {
      asked += tree.find(std::string("misses.") + want);
    }
  }
  return asked;
}

void run_case(const bus_case& drawn, occurrences& all) {
  bus_trial trial(drawn);
  ASSERT_EQ(trial.run(), "") << drawn.text();
  statistics_tree tree;
  trial.bus().report(tree.root(), 0);
  EXPECT_EQ(asked_lines(trial, drawn) + uncached_lines(trial, drawn, all),
            tree.find("transactions.read") + tree.find("transactions.read_exclusive") +
                tree.find("transactions.upgrade") + tree.find("refused_upgrades"))
      << drawn.text();
  for (const flat_statistic& each : tree.flatten()) {
    if (counts_something(each.path)) all[each.path] += each.value;
  }
  double& longest = all["cycles of the longest access"];
  longest = std::max(longest, static_cast<double>(trial.longest()));
  all["pairs that stored"] += static_cast<double>(trial.pairs());
  all["sights of words"] += static_cast<double>(trial.sights());
}

void run_cases(std::uint64_t first, std::uint64_t count) {
  occurrences all;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    run_case(bus_case(seed), all);
  }
  for (const auto& [name, times] : all) {
    std::cout << name << " " << times << "\n";
    EXPECT_GT(times, 0) << name << " never occurs";
  }
}

/// TRIBUTARY_SEED=n runs case n alone.
TEST(bus_coherence, caches_agree_and_words_have_one_order) {
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    occurrences found;
    run_case(bus_case(std::strtoull(asked, nullptr, 10)), found);
    return;
  }
  run_cases(0, testing::halved(300));
}

TEST(bus_coherence, every_fault_is_found) {
  constexpr std::uint64_t most_seeds = 100;
  for (std::size_t i = 1; i < testing::bus_fault_count; ++i) {
    const auto fault = static_cast<bus_fault>(i);
    std::string found;
    std::uint64_t seed = 0;
    for (; seed < most_seeds && found.empty(); ++seed) {
      found = bus_trial(bus_case(seed), fault).run();
    }
    std::cout << name_of(fault) << ": " << (found.empty() ? "not found" : found) << " (seed "
              << seed - 1 << ")\n";
    EXPECT_FALSE(found.empty()) << name_of(fault) << " is not found";
  }
}

// --- the long form -------------------------------------------------------------------------------

constexpr std::uint64_t shards = 40;

class bus_coherence_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(bus_coherence_long, caches_agree_and_words_have_one_order) {
  const std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, bus_coherence_long, ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
