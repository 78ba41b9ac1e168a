// SPDX-License-Identifier: Apache-2.0
// Packets in switches with virtual channels that wait for each other and cannot go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/switching/channel_plan.h>
#include <tributary/network/switching/channel_switch.h>
#include <tributary/network/switching/switch_routes.h>

namespace tributary {

/// The switches of a network, for a search. References must outlive it.
struct channel_switches_view {
  const network_graph& graph;
  const channel_switch_config& config;
  const channel_plan& plan;
  const std::vector<channel_switch>& switches;
  const std::vector<switch_routes>& routes;
};

/// A search for packets that can never go on, whatever hosts do: each waits only for channels that
/// others of them hold, or for room that others of them take. It is exact: packets that merely wait
/// are not found.
class channel_deadlock {
 public:
  explicit channel_deadlock(const channel_switches_view& view);

  bool found() const { return packets_ != 0; }
  /// Input channels whose first packet cannot go on.
  std::size_t packets() const { return packets_; }
  /// The virtual channels of a circle, each of which waits for the next, and the last for the
  /// first: "0:1 -> 1:0 (virtual channel 1), ...". There must be one.
  std::string circle() const;

 private:
  /// An output channel of a switch.
  struct wanted_channel {
    std::uint32_t at = 0;
    std::uint32_t port = 0;
    std::uint32_t channel = 0;
  };
  /// What an input channel waits for, and the input channel that must move first.
  struct reason {
    wanted_channel wanted;
    std::uint32_t blocker = 0;
  };

  std::uint32_t number_of(std::uint32_t at, std::uint32_t port, std::uint32_t channel) const {
    return first_[at] + port * view_.plan.channels() + channel;
  }
  std::uint32_t behind(const wanted_channel& wanted) const;
  bool is_stuck(std::uint32_t at, std::uint32_t port, std::uint32_t channel, reason* why) const;
  bool waits(std::uint32_t at, std::uint32_t port, std::uint32_t channel, reason* why) const;
  bool is_full_for(const wanted_channel& wanted, std::uint32_t flits, reason* why) const;
  bool remove_moving();

  channel_switches_view view_;
  std::vector<std::uint32_t> first_;  ///< by switch: its first input channel
  std::vector<std::uint8_t> stuck_;   ///< by input channel
  std::size_t packets_ = 0;
};

}  // namespace tributary
