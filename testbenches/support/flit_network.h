// SPDX-License-Identifier: Apache-2.0
// Wormhole channels simulated flit by flit and cycle by cycle: what wormhole_flow is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <tributary/network/switching/wormhole_flow.h>
#include <tributary/sim/cycle.h>

namespace tributary::testing {

/// The rules of `wormhole_flow`, literally: each flit moves by itself.
class flit_network {
 public:
  struct packet {
    std::uint32_t flits = 0;
    cycle_t sent = 0;
    std::vector<std::uint32_t> route;
    /// By hop and flit: the cycle in which it crossed the channel.
    std::vector<std::vector<cycle_t>> crossed;
  };

  /// `switch_of` as `wormhole_flow` has it.
  flit_network(const wormhole_config& config, std::uint32_t channels,
               std::vector<std::uint32_t> switch_of = {})
      : config_(config), channels_(channels), given_(channels, none) {
    if (config.header_cycles == 0) return;
    for (std::uint32_t c = 0; c < channels; ++c) {
      const std::uint32_t by = switch_of[c];
      if (by == wormhole_flow::no_switch) continue;
      if (by >= arbiters_.size()) arbiters_.resize(by + 1);
      arbiters_[by].channels.push_back(c);
      channels_[c].is_arbitrated = true;
    }
  }

  /// Packets are sent in the order of their numbers, in cycles that do not descend.
  void add(std::uint32_t flits, std::vector<std::uint32_t> route, cycle_t at) {
    packet made{flits, at, std::move(route), {}};
    made.crossed.resize(made.route.size());
    packets_.push_back(std::move(made));
  }

  /// Until all have arrived, or for so many cycles; whether they have.
  bool run(cycle_t most) {
    for (cycle_t now = 0; now <= most; ++now) {
      if (is_done()) return true;
      step(now);
    }
    return is_done();
  }

  const std::vector<packet>& packets() const { return packets_; }

 private:
  struct channel {
    std::deque<std::size_t> buffer;  ///< packets of flits behind it, in their order, by flit
    std::uint32_t held = 0;          ///< flits behind it
    bool is_busy = false;            ///< somebody's flits are crossing
    cycle_t free_at = 0;
    std::size_t holder = 0;
    bool is_arbitrated = false;  ///< a switch lets one head at a time go on
  };
  /// Of a switch.
  struct arbiter {
    std::vector<std::uint32_t> channels;
    cycle_t free_at = 0;
    std::uint32_t last = 0;  ///< input that had its turn last
  };
  static constexpr std::size_t none = ~std::size_t{0};

  bool is_done() const {
    for (const packet& each : packets_) {
      if (each.crossed.back().size() != each.flits) return false;
    }
    return true;
  }

  /// Whether the next flit of a packet for its channel `hop` is at that channel.
  bool is_there(std::size_t p, std::size_t hop, cycle_t now) const {
    const packet& each = packets_[p];
    const std::size_t flit = each.crossed[hop].size();
    if (hop == 0) return each.sent <= now;
    const std::vector<cycle_t>& before = each.crossed[hop - 1];
    if (before.size() <= flit || before[flit] + config_.hop_cycles > now) return false;
    return channels_[each.route[hop - 1]].buffer.front() == p;
  }

  /// Flits cross as long as one that crosses makes room for another in the same cycle; each channel
  /// carries one.
  void step(cycle_t now) {
    for (arbiter& each : arbiters_) give(each, now);
    std::vector<bool> used(channels_.size(), false);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t c = 0; c < channels_.size(); ++c) {
        if (!used[c] && move_on(c, now)) used[c] = moved = true;
      }
    }
    for (std::uint32_t c = 0; c < channels_.size(); ++c) {
      channel& here = channels_[c];
      if (!here.is_busy) continue;
      const packet& of = packets_[here.holder];
      if (of.crossed[hop_of(of, c)].size() != of.flits) continue;
      here.is_busy = false;
      here.free_at = now + 1 + config_.gap_cycles;
    }
  }

  /// Asks the inputs in turn, as they were before the cycle.
  void give(arbiter& of, cycle_t now) {
    if (of.free_at > now) return;
    const auto inputs = static_cast<std::uint32_t>(channels_.size() + 1);
    for (std::uint32_t turn = 1; turn <= inputs; ++turn) {
      const std::uint32_t input = (of.last + turn) % inputs;
      for (const std::uint32_t c : of.channels) {
        for (std::size_t p = 0; p < packets_.size(); ++p) {
          if (input_of(p, c) != input || !may_take(p, c, now)) continue;
          given_[c] = p;
          of.free_at = now + config_.header_cycles;
          of.last = input;
          return;
        }
      }
    }
  }

  /// 0: it came from its sender.
  std::uint32_t input_of(std::size_t p, std::uint32_t c) const {
    const packet& each = packets_[p];
    const std::size_t hop = hop_of(each, c);
    return hop == 0 || hop == each.route.size() ? 0 : each.route[hop - 1] + 1;
  }

  bool may_take(std::size_t p, std::uint32_t c, cycle_t now) const {
    const channel& here = channels_[c];
    if (here.is_busy || here.free_at > now || !asks(p, c, now)) return false;
    return packets_[p].route.back() == c || here.held != config_.buffer_flits;
  }

  std::size_t hop_of(const packet& of, std::uint32_t c) const {
    std::size_t hop = 0;
    while (hop < of.route.size() && of.route[hop] != c) ++hop;
    return hop;
  }

  bool move_on(std::uint32_t c, cycle_t now) {
    channel& here = channels_[c];
    std::size_t p = here.holder;
    if (!here.is_busy) {
      if (here.free_at > now) return false;
      p = here.is_arbitrated ? given_[c] : first_that_asks(c, now);
      if (p == none) return false;
      given_[c] = none;
    }
    packet& of = packets_[p];
    const std::size_t hop = hop_of(of, c);
    if (of.crossed[hop].size() == of.flits) return false;
    if (!is_there(p, hop, now)) return false;
    const bool is_last = hop + 1 == of.route.size();
    if (!is_last && here.held == config_.buffer_flits) return false;
    here.is_busy = true;
    here.holder = p;
    of.crossed[hop].push_back(now);
    if (!is_last) {
      ++here.held;
      here.buffer.push_back(p);
    }
    if (hop != 0) {
      channel& left = channels_[of.route[hop - 1]];
      --left.held;
      left.buffer.pop_front();
      left_at_.resize(packets_.size());
      if (of.crossed[hop].size() == of.flits) {
        // Who is behind may ask from the next cycle on.
        if (!left.buffer.empty()) note_front(left.buffer.front(), now + 1);
      }
    }
    return true;
  }

  std::size_t first_that_asks(std::uint32_t c, cycle_t now) const {
    std::size_t first = none;
    for (std::size_t each = 0; each < packets_.size(); ++each) {
      if (!asks(each, c, now)) continue;
      if (first == none || asked_at(each, c) < asked_at(first, c)) first = each;
    }
    return first;
  }

  void note_front(std::size_t p, cycle_t at) {
    left_at_.resize(packets_.size());
    left_at_[p] = at;
  }

  bool asks(std::size_t p, std::uint32_t c, cycle_t now) const {
    const packet& each = packets_[p];
    std::size_t hop = 0;
    while (hop < each.route.size() && !each.crossed[hop].empty()) ++hop;
    if (hop == each.route.size() || each.route[hop] != c) return false;
    return is_there(p, hop, now) && asked_at(p, c) <= now;
  }
  /// When its head asked: it was there, and in front.
  cycle_t asked_at(std::size_t p, std::uint32_t c) const {
    const packet& each = packets_[p];
    const std::size_t hop = hop_of(each, c);
    if (hop == 0) return each.sent;
    const cycle_t there = each.crossed[hop - 1][0] + config_.hop_cycles;
    const cycle_t front = p < left_at_.size() ? left_at_[p] : 0;
    return there > front ? there : front;
  }

  wormhole_config config_;
  std::vector<channel> channels_;
  std::vector<arbiter> arbiters_;
  std::vector<std::size_t> given_;  ///< by channel: the packet that its switch lets go on
  std::vector<packet> packets_;
  std::vector<cycle_t> left_at_;  ///< by packet: when the one before it in its buffer had left
};

}  // namespace tributary::testing
