// SPDX-License-Identifier: Apache-2.0
// Verilated switches as SystemC modules, next to the module around a core.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <switch_systolic_coupled.h>
#include <switch_systolic_decoupled.h>

#include <tributary/network/omega/core_switch.h>
#include <tributary/rtl/verilated_switch.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/combining_switch_module.h>

#include "support/systemc_test.h"
#include "switch_stimulus.h"

namespace tributary {
namespace {

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
  constexpr double cycles = 3000;
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

template <class Design>
std::unique_ptr<switch_implementation> rtl_of(unsigned route_bit, const char* name) {
  verilated_options options;
  options.name = name;
  return std::make_unique<verilated_switch<Design>>(route_bit, options);
}

class switch_rtl_test : public testing::systemc_test {};

TEST_F(switch_rtl_test, the_module_of_the_core_behaves_as_the_core) {
  const combining_switch_config config = config_of(switch_systolic_decoupled::parameters);
  combining_switch_module tested("tested", config, 1);
  expect_the_cores_behaviour(tested, config, 1);
}

TEST_F(switch_rtl_test, a_systolic_switch_behaves_as_the_core) {
  const combining_switch_config config = config_of(switch_systolic_decoupled::parameters);
  combining_switch_module tested("tested", rtl_of<switch_systolic_decoupled>(1, "tested"), config,
                                 1);
  expect_the_cores_behaviour(tested, config, 1);
}

TEST_F(switch_rtl_test, a_coupled_systolic_switch_behaves_as_the_core) {
  const combining_switch_config config = config_of(switch_systolic_coupled::parameters);
  combining_switch_module tested("tested", rtl_of<switch_systolic_coupled>(0, "tested"), config);
  expect_the_cores_behaviour(tested, config, 0);
}

TEST_F(switch_rtl_test, an_undefined_operation_is_reported_with_its_name) {
  const auto tested = rtl_of<switch_systolic_decoupled>(0, "my_switch");
  packet request;
  request.kind = static_cast<form>(11);
  switch_traffic arriving;
  arriving.requests[0] = request;
  tested->depart({3, 3}, {true, true});
  try {
    tested->commit(arriving);
    FAIL() << "accepted";
  } catch (const simulation_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("my_switch"), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("operation form 11"), std::string::npos)
        << problem.what();
  }
}

}  // namespace
}  // namespace tributary
