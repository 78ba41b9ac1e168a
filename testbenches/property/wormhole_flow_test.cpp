// SPDX-License-Identifier: Apache-2.0
// Heads and tails of random packets in random wormhole networks, against a simulation flit by flit.
#include <tributary/network/switching/wormhole_flow.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/flit_network.h"
#include "support/sizes.h"
#include "support/wormhole_cases.h"

namespace tributary {
namespace {

using testing::drawn_case;
using testing::sender;
using testing::sent_packet;

std::string text_of(const drawn_case& what) {
  std::string text = "buffer " + std::to_string(what.config.buffer_flits) + ", hop " +
                     std::to_string(what.config.hop_cycles) + ", gap " +
                     std::to_string(what.config.gap_cycles) + ", header " +
                     std::to_string(what.config.header_cycles) + ", switches";
  for (const std::uint32_t each : what.switch_of) text += " " + std::to_string(each);
  for (const sent_packet& each : what.packets) {
    text += "\n" + std::to_string(each.flits) + " flits in " + std::to_string(each.at) + " over";
    for (const std::uint32_t channel : each.route) text += " " + std::to_string(channel);
  }
  return text;
}

void compare(drawn_case& what) {
  testing::flit_network expected(what.config, what.channels, what.switch_of);
  for (const sent_packet& each : what.packets) expected.add(each.flits, each.route, each.at);
  ASSERT_TRUE(expected.run(100'000));
  sender tested(what.config, what.channels, what.packets, what.switch_of);
  ASSERT_EQ(tested.run(), 0U) << text_of(what);
  for (std::size_t p = 0; p < what.packets.size(); ++p) {
    for (std::size_t hop = 0; hop < what.packets[p].route.size(); ++hop) {
      const std::vector<cycle_t>& flits = expected.packets()[p].crossed[hop];
      ASSERT_EQ(what.packets[p].heads[hop], flits.front())
          << "head of packet " << p << ", hop " << hop << "\n"
          << text_of(what);
      ASSERT_EQ(what.packets[p].tails[hop], flits.back() + 1)
          << "tail of packet " << p << ", hop " << hop << "\n"
          << text_of(what);
    }
  }
}

/// 10^5 packets.
TEST(wormhole_flow, heads_and_tails_are_those_of_a_simulation_flit_by_flit) {
  random_stream draws(1, 0U, 1100U);
  const std::uint64_t cases = testing::sanitized ? 300 : testing::long_form() ? 100'000 : 7'000;
  for (std::uint64_t each = 0; each < cases; ++each) {
    SCOPED_TRACE(each);
    drawn_case what = testing::draw_case(draws);
    compare(what);
    if (HasFatalFailure()) return;
  }
}

TEST(wormhole_flow, switches_let_one_head_at_a_time_go_on_as_flit_by_flit) {
  random_stream draws(1, 0U, 1101U);
  const std::uint64_t cases = testing::sanitized ? 300 : testing::long_form() ? 100'000 : 5'000;
  for (std::uint64_t each = 0; each < cases; ++each) {
    SCOPED_TRACE(each);
    drawn_case what = testing::draw_case(draws);
    testing::draw_switches(draws, what);
    compare(what);
    if (HasFatalFailure()) return;
  }
}

TEST(wormhole_flow, an_arbiter_of_heads_needs_the_switch_of_each_channel) {
  wormhole_config config;
  config.header_cycles = 1;
  std::vector<sent_packet> none;
  EXPECT_THROW(sender(config, 2, none, {0}), error);
}

/// Sends the next packet over the only channel when it is told of a tail.
class relay final : private wormhole_receiver {
 public:
  explicit relay(std::uint32_t packets) : left_(packets), flow_(agenda_, {}, 1, *this) { send(1); }

  void run() { agenda_.advance_to(1'000'000); }
  std::size_t under_way() const { return flow_.under_way(); }
  cycle_t last_tail() const { return last_tail_; }

 private:
  void send(cycle_t at) {
    --left_;
    flow_.send(5, {0}, at);
  }
  void head_crosses(std::uint32_t, std::size_t, cycle_t) override {}
  void tail_crossed(std::uint32_t, std::size_t, cycle_t at) override {
    last_tail_ = at;
    if (left_ != 0) send(at);
  }

  std::uint32_t left_;
  cycle_t last_tail_ = 0;
  agenda agenda_;
  wormhole_flow flow_;
};

TEST(wormhole_flow, who_is_told_of_a_tail_may_send) {
  relay tested(100);
  tested.run();
  EXPECT_EQ(tested.under_way(), 0U);
  EXPECT_EQ(tested.last_tail(), 1U + 100 * 5);
}

/// 150 ns and 6.25 ns a flit: 24 cycles a switch.
TEST(wormhole_flow, an_idle_network_takes_its_hops_and_the_flits_of_a_packet) {
  for (const std::uint32_t hops : {1U, 3U, 7U}) {
    drawn_case what;
    what.channels = hops + 1;
    sent_packet one{32, 1, {}};
    for (std::uint32_t c = 0; c <= hops; ++c) one.route.push_back(c);
    what.packets.push_back(one);
    sender tested(what.config, what.channels, what.packets);
    ASSERT_EQ(tested.run(), 0U);
    EXPECT_EQ(what.packets[0].tails.back() - 1, 24U * hops + 32) << hops;
  }
}

}  // namespace
}  // namespace tributary
