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

namespace tributary {
namespace {

/// A packet that is to be sent, and when its head and tail crossed each channel.
struct sent_packet {
  std::uint32_t flits = 0;
  cycle_t at = 0;
  std::vector<std::uint32_t> route;
  std::vector<cycle_t> heads{};
  std::vector<cycle_t> tails{};  ///< one cycle behind
};

/// Sends packets in their cycles, in their order, and notes what it is told.
class sender final : private wormhole_receiver, private timed_block {
 public:
  sender(const wormhole_config& config, std::uint32_t channels, std::vector<sent_packet>& packets,
         const std::vector<std::uint32_t>& switch_of = {})
      : packets_(packets), flow_(agenda_, config, channels, *this, switch_of) {
    agenda_.enroll(*this);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      packets[i].heads.resize(packets[i].route.size());
      packets[i].tails.resize(packets[i].route.size());
      agenda_.wake(*this, packets[i].at, i, wake_rank::credit);
    }
  }

  std::size_t run() {
    agenda_.advance_to(1'000'000);
    return flow_.under_way();
  }

 private:
  void wake(cycle_t now, std::uint64_t which) override {
    sent_packet& each = packets_[which];
    const std::uint32_t number = flow_.send(each.flits, each.route, now);
    if (number >= names_.size()) names_.resize(number + 1);
    names_[number] = which;
  }
  void head_crosses(std::uint32_t packet, std::size_t hop, cycle_t at) override {
    packets_[names_[packet]].heads[hop] = at;
  }
  void tail_crossed(std::uint32_t packet, std::size_t hop, cycle_t at) override {
    packets_[names_[packet]].tails[hop] = at;
  }

  std::vector<sent_packet>& packets_;
  std::vector<std::size_t> names_;  ///< by packet of the flow
  agenda agenda_;
  wormhole_flow flow_;
};

struct drawn_case {
  wormhole_config config;
  std::uint32_t channels = 0;
  std::vector<sent_packet> packets;
  std::vector<std::uint32_t> switch_of{};
};

/// Channels in stages, of which each route takes one: none waits for another in a circle.
drawn_case draw(random_stream& draws) {
  const auto upto = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(draws.below(most));
  };
  drawn_case made;
  made.config.hop_cycles = 1 + upto(6);
  made.config.buffer_flits = made.config.hop_cycles + upto(upto(2) == 0 ? 6 : 60);
  made.config.gap_cycles = upto(3) == 0 ? upto(9) : 0;
  const std::uint32_t stages = 1 + upto(5);
  const std::uint32_t width = 1 + upto(4);
  made.channels = stages * width;
  const std::uint32_t longest = 1 + upto(50);
  const std::uint32_t pause = 1 + upto(40);
  cycle_t now = 1;
  for (std::uint32_t p = 1 + upto(30); p != 0; --p) {
    now += upto(pause);
    sent_packet each;
    each.flits = 1 + upto(longest);
    each.at = now;
    for (std::uint32_t stage = upto(stages); stage < stages; ++stage) {
      each.route.push_back(stage * width + upto(width));
    }
    made.packets.push_back(std::move(each));
  }
  return made;
}

/// Each channel is one of a few switches', or of none.
void draw_switches(random_stream& draws, drawn_case& into) {
  into.config.header_cycles = 1 + static_cast<std::uint32_t>(draws.below(into.config.hop_cycles));
  const std::uint64_t switches = 1 + draws.below(4);
  for (std::uint32_t c = 0; c < into.channels; ++c) {
    const bool is_given = draws.below(5) != 0;
    into.switch_of.push_back(is_given ? static_cast<std::uint32_t>(draws.below(switches))
                                      : wormhole_flow::no_switch);
  }
}

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
    drawn_case what = draw(draws);
    compare(what);
    if (HasFatalFailure()) return;
  }
}

TEST(wormhole_flow, switches_let_one_head_at_a_time_go_on_as_flit_by_flit) {
  random_stream draws(1, 0U, 1101U);
  const std::uint64_t cases = testing::sanitized ? 300 : testing::long_form() ? 100'000 : 5'000;
  for (std::uint64_t each = 0; each < cases; ++each) {
    SCOPED_TRACE(each);
    drawn_case what = draw(draws);
    draw_switches(draws, what);
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
