// SPDX-License-Identifier: Apache-2.0
// Random packets in random wormhole networks, and who sends them through a wormhole_flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/network/switching/wormhole_flow.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

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
inline drawn_case draw_case(random_stream& draws) {
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
inline void draw_switches(random_stream& draws, drawn_case& into) {
  into.config.header_cycles = 1 + static_cast<std::uint32_t>(draws.below(into.config.hop_cycles));
  const std::uint64_t switches = 1 + draws.below(4);
  for (std::uint32_t c = 0; c < into.channels; ++c) {
    const bool is_given = draws.below(5) != 0;
    into.switch_of.push_back(is_given ? static_cast<std::uint32_t>(draws.below(switches))
                                      : wormhole_flow::no_switch);
  }
}

}  // namespace tributary::testing
