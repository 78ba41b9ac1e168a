// SPDX-License-Identifier: Apache-2.0
// Verilated switches as SystemC modules, in the places of the modules around cores.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <switch_systolic_coupled.h>
#include <switch_systolic_decoupled.h>

#include <tributary/network/omega/core_switch.h>
#include <tributary/rtl/switch_variants.h>
#include <tributary/systemc/combining_switch_module.h>
#include <tributary/systemc/combining_switch_rtl.h>
#include <tributary/systemc/omega_network_of_switches.h>
#include <ultracomputer/rtl_switches.h>

#include "support/module_platform.h"
#include "support/observed_machine.h"
#include "support/sizes.h"
#include "support/systemc_test.h"
#include "switch_stimulus.h"

namespace tributary {
namespace {

// --- a switch -----------------------------------------------------------------------------------

/// Random neighbours of a switch module, with a core beside it.
class switch_bench : public clocked_module {
 public:
  switch_bench(const sc_core::sc_module_name& name, const combining_switch_config& config,
               unsigned route_bit, std::uint64_t seed)
      : clocked_module(name),
        expected(config, route_bit),
        last_stage_(route_bit == 0),
        stimulus_(route_bit, seed) {}

  sc_core::sc_vector<link_port<packet>> request_out{"request_out", 2};  ///< by input
  sc_core::sc_vector<link_port<reply>> reply_in{"reply_in", 2};         ///< by input
  sc_core::sc_vector<link_port<packet>> request_in{"request_in", 2};    ///< by output
  sc_core::sc_vector<link_port<reply>> reply_out{"reply_out", 2};       ///< by output

  core_switch expected;
  std::uint64_t combined = 0;

 private:
  void end_of_elaboration() override {
    for (std::size_t i = 0; i < 2; ++i) {
      request_out[i].open(packet_link<packet>::end::sender, 1);
      reply_in[i].open(packet_link<reply>::end::receiver, 1);
      request_in[i].open(packet_link<packet>::end::receiver, 1);
      reply_out[i].open(packet_link<reply>::end::sender, 1);
    }
  }

  void ready() override {
    next_requests_ = stimulus_.next_request_ready();
    next_replies_ = stimulus_.next_reply_ready();
    if (last_stage_) {
      // Memory modules are behind it, which are ready or not.
      for (std::uint8_t& ready : next_requests_) ready = ready != 0 ? 3 : 0;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      request_in[i].publish_all(next_requests_[i]);
      reply_in[i].publish_all(next_replies_[i] ? 1 : 0);
    }
  }

  void depart() override {
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(*request_out[i].ready(), expected.request_ready(i)) << "cycle " << now();
      EXPECT_EQ(*reply_out[i].ready() != 0, expected.reply_ready(i)) << "cycle " << now();
    }
    leaving_ = expected.depart(next_requests_, next_replies_);
    arriving_ = stimulus_.arrivals({expected.request_ready(0), expected.request_ready(1)},
                                   {expected.reply_ready(0), expected.reply_ready(1)});
    for (std::size_t i = 0; i < 2; ++i) {
      if (arriving_.requests[i]) request_out[i].send(0, *arriving_.requests[i]);
      if (arriving_.replies[i]) reply_out[i].send(0, *arriving_.replies[i]);
    }
  }

  void commit() override {
    switch_traffic came;
    for (std::size_t i = 0; i < 2; ++i) {
      request_in[i].receive(
          [&](std::size_t, const packet& request) { came.requests[i] = request; });
      reply_in[i].receive([&](std::size_t, const reply& response) { came.replies[i] = response; });
    }
    EXPECT_TRUE(came == leaving_) << "what left differs in cycle " << now();
    combined += expected.commit(arriving_).combined.size();
    stimulus_.end_cycle(leaving_);
  }

  void reset() override {
    expected.reset();
    stimulus_.reset();
    for (std::size_t i = 0; i < 2; ++i) {
      request_in[i].publish_all(0);
      reply_in[i].publish_all(0);
    }
  }

  bool last_stage_;
  testing::switch_stimulus stimulus_;
  std::array<std::uint8_t, 2> next_requests_{};
  std::array<bool, 2> next_replies_{};
  switch_traffic leaving_;
  switch_traffic arriving_;
};

/// Counts as a column's, for comparison.
std::string text_of(const combining_counters& counts, const combining_switch_config& config) {
  statistics_tree tree;
  report_counters(counts, config, 1, tree.group("switch"));
  return tree.to_json_text();
}

/// A module in the bench for some thousand cycles, with a reset in the middle.
void expect_the_cores_behaviour(combining_switch_module& tested,
                                const combining_switch_config& config, unsigned route_bit) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  switch_bench bench("bench", config, route_bit, 4);
  sc_core::sc_vector<packet_link<packet>> into("into", 2);
  sc_core::sc_vector<packet_link<packet>> out("out", 2);
  sc_core::sc_vector<packet_link<reply>> back_in("back_in", 2);
  sc_core::sc_vector<packet_link<reply>> back_out("back_out", 2);
  for (std::size_t i = 0; i < 2; ++i) {
    bench.request_out[i](into[i]);
    tested.request_in[i](into[i]);
    tested.request_out[i](out[i]);
    bench.request_in[i](out[i]);
    bench.reply_out[i](back_in[i]);
    tested.reply_in[i](back_in[i]);
    tested.reply_out[i](back_out[i]);
    bench.reply_in[i](back_out[i]);
  }
  for (clocked_module* each :
       {static_cast<clocked_module*>(&bench), static_cast<clocked_module*>(&tested)}) {
    each->clock(clock);
    each->reset_n(reset_n);
  }
  const auto cycles = static_cast<double>(testing::scaled(3000));
  sc_core::sc_start(5, sc_core::SC_NS);
  sc_core::sc_start(cycles * clock.period());
  EXPECT_FALSE(bench.expected.idle()) << "nothing is under way at the reset";
  reset_n.write(false);
  sc_core::sc_start(3 * clock.period());
  EXPECT_EQ(tested.counters().arrived, 0U);
  reset_n.write(true);
  sc_core::sc_start(cycles * clock.period());
  EXPECT_GT(bench.combined, 0U);
  EXPECT_EQ(text_of(tested.counters(), config), text_of(bench.expected.core().counters(), config));
}

class switch_rtl_test : public testing::systemc_test {};

TEST_F(switch_rtl_test, the_module_of_the_core_behaves_as_the_core) {
  const combining_switch_config config = config_of(switch_systolic_decoupled::parameters);
  combining_switch_module tested("tested", config, 1);
  expect_the_cores_behaviour(tested, config, 1);
}

TEST_F(switch_rtl_test, a_systolic_switch_behaves_as_the_core) {
  combining_switch_rtl<switch_systolic_decoupled> tested("tested", 1);
  expect_the_cores_behaviour(tested, config_of(switch_systolic_decoupled::parameters), 1);
}

TEST_F(switch_rtl_test, a_coupled_systolic_switch_behaves_as_the_core) {
  combining_switch_rtl<switch_systolic_coupled> tested("tested");
  expect_the_cores_behaviour(tested, config_of(switch_systolic_coupled::parameters), 0);
}

TEST_F(switch_rtl_test, an_undefined_operation_is_reported_with_the_modules_name) {
  combining_switch_rtl<switch_systolic_decoupled> tested("my_switch");
  packet request;
  request.kind = static_cast<form>(11);
  switch_traffic arriving;
  arriving.requests[0] = request;
  tested.implementation().depart({3, 3}, {true, true});
  try {
    tested.implementation().commit(arriving);
    FAIL() << "accepted";
  } catch (const simulation_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("my_switch"), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("operation form 11"), std::string::npos)
        << problem.what();
  }
}

// --- networks of switches -----------------------------------------------------------------------

class switch_module_variants : public testing::systemc_test,
                               public ::testing::WithParamInterface<switch_variant> {
 protected:
  ultracomputer_config configuration(std::uint32_t elements) {
    ultracomputer_config config = testing::random_configuration(random_, elements);
    config.network.processing_elements = elements;
    config.network.switches = config_of(GetParam().parameters);
    config.workload.traffic.hot_module %= elements;
    return config;
  }
  random_stream random_{73, 0U, 0U};
};

constexpr cycle_t cycles = 300;

/// The trace and the statistics of the plain loop, and those of a network of switch modules with
/// this RTL, which was reset in mid-traffic first.
void expect_the_loops_trace(ultracomputer_config config, std::uint64_t seed,
                            const std::string& rtl) {
  SCOPED_TRACE(testing::to_string(config) + ", RTL " + rtl + ", seed " + std::to_string(seed));
  // Memory keeps its words over a reset: loads only.
  config.workload.traffic.operations.clear();
  ultracomputer loop(config, seed);
  testing::event_text expected(loop.observers());
  loop.run_until(cycles);
  ASSERT_FALSE(expected.text().empty());

  config.network.rtl = rtl;
  use_built_rtl(config.network, seed);
  testing::platform_of<omega_network_of_switches> modules(config, seed);
  modules.trace(97);
  modules.reset_n.write(false);
  ASSERT_EQ(modules.trace(3), "") << "something happens in reset";
  modules.reset_n.write(true);
  const std::string trace = modules.trace(cycles);
  ASSERT_TRUE(trace == expected.text()) << testing::first_difference(expected.text(), trace);
  statistics_tree network;
  loop.network().report(network.group("network"));
  EXPECT_EQ(modules.network_statistics(), network.to_json_text());
}

TEST_P(switch_module_variants, eight_elements_with_every_switch_in_rtl) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(5); ++seed) {
    expect_the_loops_trace(configuration(8), seed, "all");
    if (HasFatalFailure()) return;
  }
}

TEST_P(switch_module_variants, eight_elements_with_mixed_switches) {
  for (const char* rtl : {"stage 0", "stage 1 switch 2", "stage 2, stage 0 switch 3"}) {
    expect_the_loops_trace(configuration(8), 6, rtl);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(variants, switch_module_variants,
                         ::testing::ValuesIn(built_switch_variants()),
                         [](const auto& tested) { return tested.param.name; });

class network_of_switches_test : public testing::systemc_test {};

TEST_F(network_of_switches_test, without_a_maker_of_switches_it_is_refused) {
  expect_report(messages::configuration);
  omega_network_config config;
  config.processing_elements = 8;
  config.rtl = "stage 1";
  EXPECT_THROW(omega_network_of_switches("network", config), sc_core::sc_report);
  ASSERT_EQ(reports(messages::configuration).size(), 1U);
  EXPECT_NE(reports(messages::configuration)[0].find("nothing here makes other switches"),
            std::string::npos)
      << reports(messages::configuration)[0];
}

}  // namespace
}  // namespace tributary
