// SPDX-License-Identifier: Apache-2.0
// The modules of queue and wait buffer in lockstep with their cores, under random stalls.
#include <tributary/systemc/combining_queue_module.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/sim/random_stream.h>
#include <tributary/systemc/wait_buffer_module.h>

#include "support/queue_bench.h"
#include "support/random_choice.h"
#include "support/sizes.h"
#include "support/systemc_test.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

class combining_queue_module_test : public testing::systemc_test {};

combining_queue_config random_queue(random_stream& random) {
  combining_queue_config config;
  config.writers = between(random, 1, 2);
  config.coupled = random.below(2) != 0;
  // From the least with which anything combines.
  config.slots = config.writers + (config.coupled ? 1 : 2) + between(random, 0, 4);
  config.adaptive_limit = between(random, 0, 3);
  config.order = one_of(random, {match_order::oldest, match_order::ordered});
  if (config.writers == 1 && config.order == match_order::oldest) {
    config.microarchitecture =
        one_of(random, {queue_microarchitecture::parallel, queue_microarchitecture::systolic});
  }
  if (config.adaptive_limit != 0 && config.microarchitecture == queue_microarchitecture::parallel) {
    config.adaptation = one_of(random, {queue_adaptation::crude, queue_adaptation::gradual});
  }
  return config;
}

TEST_F(combining_queue_module_test, modules_run_in_lockstep_with_their_cores) {
  random_stream random(11, 0U, 0U);
  const auto pairs = static_cast<std::size_t>(testing::scaled(40));
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  using pair_under_test = testing::queue_and_buffer<combining_queue_module, wait_buffer_module>;
  std::vector<std::unique_ptr<pair_under_test>> all;
  for (std::size_t i = 0; i < pairs; ++i) {
    const combining_queue_config config = random_queue(random);
    const std::uint32_t entries = between(random, 1, 6);
    all.push_back(std::make_unique<pair_under_test>(
        config, entries, i,
        [&](const char* name) { return std::make_unique<combining_queue_module>(name, config); },
        [&](const char* name) { return std::make_unique<wait_buffer_module>(name, entries); }));
    all.back()->clock(clock);
  }
  sc_core::sc_start(5, sc_core::SC_NS);
  for (int cycle = 1; cycle <= 1000; ++cycle) {
    sc_core::sc_start(10, sc_core::SC_NS);
    for (std::size_t i = 0; i < pairs; ++i) {
      const pair_under_test& each = *all[i];
      ASSERT_EQ(each.queue->now(), static_cast<cycle_t>(cycle));
      ASSERT_TRUE(each.queue->core() == each.bench.expected) << "pair " << i << " cycle " << cycle;
      ASSERT_TRUE(each.buffer->core() == each.bench.expected_buffer)
          << "pair " << i << " cycle " << cycle;
    }
    if (HasFailure()) return;
  }
  std::uint64_t combined = 0;
  std::uint64_t decombined = 0;
  std::uint64_t refused = 0;
  for (const auto& each : all) {
    combined += each->bench.combined;
    decombined += each->bench.decombined;
    refused += each->bench.refused_for_full_buffer;
  }
  EXPECT_GT(combined, 30 * pairs);
  EXPECT_GT(decombined, 30 * pairs);
  EXPECT_GT(refused, pairs);
}

TEST_F(combining_queue_module_test, a_bad_configuration_is_reported_with_the_modules_name) {
  expect_report(messages::configuration);
  combining_queue_config config;
  config.slots = 65;
  EXPECT_THROW(combining_queue_module("my_queue", config), sc_core::sc_report);
  ASSERT_EQ(reports(messages::configuration).size(), 1U);
  EXPECT_NE(reports(messages::configuration)[0].find("my_queue"), std::string::npos);
  EXPECT_NE(reports(messages::configuration)[0].find("65 slots"), std::string::npos);
}

TEST_F(combining_queue_module_test, reset_empties_the_queue_and_refuses_requests) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  packet_link<packet> into("into");
  packet_link<packet> out("out");
  packet_link<partner> partners("partners");
  combining_queue_module queue("queue", {});
  queue.clock(clock);
  queue.reset_n(reset_n);
  queue.request_in(into);
  queue.request_out(out);
  queue.partner_out(partners);
  sc_core::sc_start(5, sc_core::SC_NS);
  into.send(0, packet{});
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 1);
  EXPECT_EQ(queue.core().queue.size(0), 1U);
  reset_n.write(false);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 0);
  EXPECT_EQ(queue.core().queue.size(0), 0U);
  reset_n.write(true);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(into.ready()[0], 1);
  EXPECT_EQ(queue.now(), 1U);
}

TEST_F(combining_queue_module_test, two_receivers_of_one_line_are_reported) {
  expect_report(messages::link_binding);
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  packet_link<packet> into("into");
  packet_link<packet> out("out", 2);
  packet_link<partner> partners("partners", 2);
  combining_queue_module one("one", {});
  combining_queue_module other("other", {});
  one.clock(clock);
  other.clock(clock);
  one.request_in(into);
  other.request_in(into);
  one.request_out(out);
  other.request_out.bind(out, 1);
  one.partner_out(partners);
  other.partner_out.bind(partners, 1);
  EXPECT_THROW(sc_core::sc_start(1, sc_core::SC_NS), sc_core::sc_report);
  ASSERT_EQ(reports(messages::link_binding).size(), 1U);
  EXPECT_NE(reports(messages::link_binding)[0].find("another port reads already"),
            std::string::npos)
      << reports(messages::link_binding)[0];
}

}  // namespace
}  // namespace tributary
