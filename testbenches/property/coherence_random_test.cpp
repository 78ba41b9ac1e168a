// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to a few words that share lines, on tiny caches, queues and pools.
// Every word only grows, by fetch-and-adds and by pairs of load-linked and store-conditional, so
// that it tells whether two writers ever had it at once; readers must never see it shrink.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <support/coherent_wanderer.h>

namespace tributary {
namespace {

using testing::check_directory;
using testing::coherent_config;
using testing::coherent_machine;
using testing::random_case;
using testing::wanderer;

void run_case(const random_case& drawn) {
  const std::string text = drawn.text();
  SCOPED_TRACE(text);
  coherent_machine m(drawn.config);
  std::map<std::uint64_t, word_t> added;
  std::vector<std::unique_ptr<wanderer>> all;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    all.push_back(std::make_unique<wanderer>(drawn, m, i, added));
  }
  const auto done = [&] {
    return std::all_of(all.begin(), all.end(), [](const auto& each) { return each->done(); });
  };
  m.machine.run_until(20'000'000, [&] { return done() && m.machine.idle(); });
  ASSERT_TRUE(done()) << "some access is under way after 20 million cycles";
  ASSERT_TRUE(m.machine.idle());
  m.machine.run_until(m.machine.now() + 1000);  // until words that nobody waits for have come
  for (const auto& [address, count] : added) {
    EXPECT_EQ(m.newest(address), count) << std::hex << address;
    check_directory(m, address, text);
    // No two fetch-and-adds found the same value.
    std::vector<word_t> olds;
    for (const auto& each : all) {
      const auto& own = each->olds[address];
      olds.insert(olds.end(), own.begin(), own.end());
    }
    std::sort(olds.begin(), olds.end());
    EXPECT_EQ(std::adjacent_find(olds.begin(), olds.end()), olds.end()) << std::hex << address;
  }
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    EXPECT_EQ(m.unexpected(i), 0U);
    EXPECT_EQ(m.machine.node(i).buffers().in_use(), 0U);
  }
}

TEST(coherence_random, words_grow_by_what_is_added_and_never_shrink) {
  const std::uint64_t seeds = std::getenv("TRIBUTARY_FULL") != nullptr ? 100000 : 300;
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    run_case(random_case(seed));
  }
}

TEST(coherence_random, the_largest_machine_drains) {
  random_case drawn(1);
  drawn.config = coherent_config(128);
  drawn.config.machine.network.topology = topology_kind::hypercube;
  drawn.lines = 64;
  drawn.accesses = 10;
  run_case(drawn);
}

}  // namespace
}  // namespace tributary
