// SPDX-License-Identifier: Apache-2.0
// The network stepped stage by stage is the network composed of switches: of single ones that
// commit as a whole, and of golden models, cycle for cycle. What it does is serial under stalls,
// compare-and-swaps that succeed included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <tributary/network/omega/omega_network.h>
#include <tributary/sim/random_stream.h>

#include "support/composed_network.h"
#include "support/history_recorder.h"
#include "support/network_bench.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::network_bench;

struct run {
  bool stalls;
  std::uint64_t seed;
};

std::string name_of_run(const ::testing::TestParamInfo<run>& each) {
  return std::string(each.param.stalls ? "stalls" : "no_stalls") + "_seed_" +
         std::to_string(each.param.seed);
}

omega_network_config random_network(random_stream& random, unsigned largest_log) {
  omega_network_config config;
  config.processing_elements = 2U << random.below(largest_log);
  config.switches = testing::random_switch(random);
  return config;
}

class omega_network_composition : public ::testing::TestWithParam<run> {};

/// Steps all three networks by the same traffic and compares what leaves and who is ready.
void compare(const omega_network_config& config, bool stalls, random_stream& random) {
  testing::whole_network whole(config);
  testing::composed_network<testing::single_switch> singles(config);
  testing::composed_network<testing::golden_element> golden(config);
  network_bench bench(config.processing_elements, stalls, random);
  for (int cycle = 1; cycle <= 300 || !whole.idle() || !bench.idle(); ++cycle) {
    ASSERT_LT(cycle, 20000) << "never drains";
    for (std::size_t line = 0; line < config.processing_elements; ++line) {
      ASSERT_EQ(whole.request_ready(line), singles.request_ready(line)) << "element " << line;
      ASSERT_EQ(whole.request_ready(line), golden.request_ready(line)) << "element " << line;
      ASSERT_EQ(whole.reply_ready(line), singles.reply_ready(line)) << "module " << line;
      ASSERT_EQ(whole.reply_ready(line), golden.reply_ready(line)) << "module " << line;
    }
    const auto ready = bench.memory_ready();
    const auto entering = bench.arrivals(whole, cycle <= 300);
    const auto leaving = whole.cycle(ready, entering);
    ASSERT_TRUE(leaving == singles.cycle(ready, entering)) << "single switches, cycle " << cycle;
    ASSERT_TRUE(leaving == golden.cycle(ready, entering)) << "golden model, cycle " << cycle;
    bench.take(leaving);
  }
  ASSERT_TRUE(singles.idle());
  ASSERT_TRUE(golden.idle());
  ASSERT_EQ(bench.sent(), bench.answered());
}

TEST_P(omega_network_composition, three_ways_to_compose_a_network_agree) {
  random_stream random(GetParam().seed, 2U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(60); ++i) {
    const omega_network_config config = random_network(random, 5);
    SCOPED_TRACE(std::to_string(config.processing_elements) + " elements, " +
                 testing::to_string(config.switches));
    ASSERT_NO_FATAL_FAILURE(compare(config, GetParam().stalls, random));
  }
}

/// Steps a network to its end, with the machine's history for the checker.
std::string judge(const omega_network_config& config, bool stalls, random_stream& random) {
  testing::whole_network whole(config);
  network_bench bench(config.processing_elements, stalls, random);
  testing::history_recorder recorder;
  for (cycle_t cycle = 1; cycle <= 300 || !whole.idle() || !bench.idle(); ++cycle) {
    if (cycle > 20000) return "never drains";
    const auto ready = bench.memory_ready();
    const auto entering = bench.arrivals(whole, cycle <= 300);
    for (const auto& request : entering.requests) {
      if (!request) continue;
      recorder.accepted(request->id(), request->location, request->function(), cycle);
    }
    const auto leaving = whole.cycle(ready, entering);
    for (const auto& [second, first] : whole.joined()) recorder.combined(second, first);
    for (const auto& each : leaving.served) recorder.served(each.second.id());
    for (const auto& [pe, response] : leaving.delivered) {
      if (response.pe != pe) return "a response was delivered to another element";
      recorder.delivered(response.id(), response.value, cycle);
    }
    bench.take(leaving);
  }
  if (!recorder.problem().empty()) return recorder.problem();
  testing::history& seen = recorder.seen();
  seen.keeps_program_order = config.switches.order == match_order::ordered;
  seen.final_memory = bench.words().contents();
  return find_violation(seen);
}

TEST_P(omega_network_composition, is_serial_under_stalls) {
  random_stream random(GetParam().seed, 3U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(200); ++i) {
    const omega_network_config config = random_network(random, 6);
    ASSERT_EQ(judge(config, GetParam().stalls, random), "")
        << config.processing_elements << " elements, " << testing::to_string(config.switches);
  }
}

INSTANTIATE_TEST_SUITE_P(runs, omega_network_composition,
                         ::testing::Values(run{false, 1}, run{false, 2}, run{true, 1},
                                           run{true, 2}),
                         name_of_run);

}  // namespace
}  // namespace tributary
