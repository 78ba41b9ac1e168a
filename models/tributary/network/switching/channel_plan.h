// SPDX-License-Identifier: Apache-2.0
// Which virtual channels of a link are for what.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// What a plan of channels is made from.
struct channel_needs {
  std::uint32_t channels = 1;          ///< virtual channels of each link, 1 to 16
  std::uint32_t virtual_networks = 1;  ///< that share no channel, 1 or more
  std::uint32_t classes = 1;           ///< virtual channels of the routing table
  bool adaptive = false;               ///< whether the table is the escape of adaptive routing
  std::string table{};                 ///< its name, for messages
};

/// The virtual channels of all links of a network, from 0: an equal share for each virtual network.
/// There is one for all lanes, or one for each.
/// Of a share, each virtual channel of the table, here a class, gets the same number of channels.
/// With adaptive routing each class gets one, and the rest are adaptive.
class channel_plan {
 public:
  /// A set of virtual channels, a bit each.
  using mask_t = std::uint32_t;
  /// What `class_of` says of an adaptive channel.
  static constexpr std::uint32_t adaptive_class = 0xff;

  /// Throws `configuration_error`, which names `network.channels.number`: for more than 16, for
  /// fewer than the table needs, for a number that cannot be shared equally, and if no channel is
  /// left to be adaptive.
  explicit channel_plan(const channel_needs& needs);

  std::uint32_t channels() const { return channels_; }
  std::uint32_t virtual_networks() const { return virtual_networks_; }
  std::uint32_t classes() const { return classes_; }
  bool adaptive() const { return adaptive_; }
  /// Channels of each class, in each virtual network.
  std::uint32_t width() const { return width_; }

  /// The virtual network of a lane.
  std::uint32_t network_of(std::uint32_t lane) const { return virtual_networks_ == 1 ? 0 : lane; }
  /// All channels of a virtual network.
  mask_t of_network(std::uint32_t virtual_network) const {
    return bits(share_) << (virtual_network * share_);
  }
  /// Those of a class.
  mask_t of_class(std::uint32_t virtual_network, std::uint32_t which) const {
    return bits(width_) << (virtual_network * share_ + which * width_);
  }
  /// The adaptive ones; none without adaptive routing.
  mask_t adaptive_of(std::uint32_t virtual_network) const {
    return of_network(virtual_network) & ~(bits(classes_ * width_) << (virtual_network * share_));
  }
  /// The class of a channel, or `adaptive_class`.
  std::uint32_t class_of(std::uint32_t channel) const { return class_of_[channel]; }

 private:
  static constexpr mask_t bits(std::uint32_t count) { return (mask_t{1} << count) - 1; }

  std::uint32_t channels_;
  std::uint32_t virtual_networks_;
  std::uint32_t classes_;
  bool adaptive_;
  std::uint32_t share_;
  std::uint32_t width_;
  std::array<std::uint8_t, most_virtual_channels> class_of_{};
};

}  // namespace tributary
