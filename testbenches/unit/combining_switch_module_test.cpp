// SPDX-License-Identifier: Apache-2.0
// The module of a switch by itself: errors and reset. What it does cycle by cycle is held to the
// plain loop by engine_equality_test, and next to RTL by modules_cosim_test.
#include <tributary/systemc/combining_switch_module.h>

#include <gtest/gtest.h>

#include <cstddef>

#include <tributary/systemc/messages.h>

#include <support/systemc_test.h>

namespace tributary {
namespace {

class combining_switch_module_test : public testing::systemc_test {};

/// A switch with a link of its own on each port.
struct linked_switch {
  explicit linked_switch(const sc_core::sc_clock& source) {
    tested.clock(source);
    for (std::size_t i = 0; i < 2; ++i) {
      tested.request_in[i](into[i]);
      tested.request_out[i](out[i]);
      tested.reply_in[i](back_in[i]);
      tested.reply_out[i](back_out[i]);
    }
  }
  combining_switch_module tested{"tested", {}};
  sc_core::sc_vector<packet_link<packet>> into{"into", 2};
  sc_core::sc_vector<packet_link<packet>> out{"out", 2};
  sc_core::sc_vector<packet_link<reply>> back_in{"back_in", 2};
  sc_core::sc_vector<packet_link<reply>> back_out{"back_out", 2};
};

TEST_F(combining_switch_module_test, a_bad_configuration_is_reported_with_the_modules_name) {
  expect_report(messages::configuration);
  combining_switch_config config;
  config.slots = 65;
  EXPECT_THROW(combining_switch_module("my_switch", config), sc_core::sc_report);
  ASSERT_EQ(reports(messages::configuration).size(), 1U);
  EXPECT_NE(reports(messages::configuration)[0].find("my_switch"), std::string::npos);
  EXPECT_NE(reports(messages::configuration)[0].find("65 "), std::string::npos)
      << reports(messages::configuration)[0];
}

TEST_F(combining_switch_module_test, reset_empties_the_switch_and_refuses_requests) {
  sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  linked_switch bench(clock);
  bench.tested.reset_n(reset_n);
  sc_core::sc_start(5, sc_core::SC_NS);
  bench.into[0].send(0, packet{});
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_NE(bench.into[0].ready()[0], 0);
  EXPECT_EQ(bench.tested.counters().arrived, 1U);
  EXPECT_FALSE(bench.tested.implementation().idle());
  reset_n.write(false);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_EQ(bench.into[0].ready()[0], 0);
  EXPECT_EQ(bench.back_in[0].ready()[0], 0);
  EXPECT_EQ(bench.tested.counters().arrived, 0U);
  EXPECT_TRUE(bench.tested.implementation().idle());
  reset_n.write(true);
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_NE(bench.into[0].ready()[0], 0);
  EXPECT_EQ(bench.tested.now(), 1U);
}

}  // namespace
}  // namespace tributary
