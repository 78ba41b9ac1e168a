// SPDX-License-Identifier: Apache-2.0
// Networks of clusters under traffic.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/network/message_network.h>
#include <tributary/network/shared/shared_network.h>
#include <tributary/network/switching/channel_network.h>
#include <tributary/network/switching/fabric_network.h>
#include <tributary/nic/message_predictor.h>

#include "cluster_changes.h"
#include "cluster_graph.h"
#include "cluster_traffic.h"

namespace tributary {

class parameter_set;

/// What switches do with messages.
enum class cluster_network_kind : std::uint8_t {
  buffered,  ///< each keeps whole messages
  wormhole,  ///< a message holds all links on which it has bytes
  fabric,    ///< they are line cards, between which no message waits
  channels,  ///< they have buffers for flits of each virtual channel of a link
  shared     ///< there are none: all hosts are on one medium
};

/// Links and switches, how they are joined, and the routes.
struct cluster_network {
  /// Gigabit Ethernet.
  cluster_network();

  cluster_network_kind kind = cluster_network_kind::buffered;
  message_network_config links;
  std::uint32_t buffer_bytes = 64;  ///< of a wormhole network, behind each channel
  std::uint32_t header_cycles = 0;  ///< of a wormhole network, as `wormhole_config` has it
  fabric_config fabric;
  channel_network_config channels;
  shared_medium_config medium;  ///< of a shared network
  bool adaptive = false;    ///< whether `routing` is the escape of adaptive routing, with channels
  cluster_changes changes;  ///< with channels and adaptive routing
  cluster_graph graph;
  cluster_routing routing;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error`, and `input_error` for a graph's file. Returns its hosts.
  std::uint32_t validate() const;
  std::unique_ptr<message_network> made() const;

 private:
  void validate_switches(std::uint32_t hosts) const;
  void validate_channels(const network_graph& made) const;
  void validate_changes(const network_graph& made) const;
  std::unique_ptr<message_network> with_channels(std::shared_ptr<const network_graph> made) const;
  std::uint32_t virtual_channels() const;
  void check_broadcast(const network_graph& made) const;
};

/// Hosts that cost nothing on a network. The defaults are the Gigabit Ethernet and the token of
/// Chen and Wyckoff, "Simulation studies of Gigabit Ethernet versus Myrinet", CANPC 2000.
struct cluster_config {
  cluster_network network;
  cluster_traffic traffic;
  message_predictor_config predictor;  ///< of what arrives at each host

  const clock_domain& clock() const { return network.links.clock; }

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`, and `input_error` for
  /// a file of a graph or of messages.
  void validate() const;
  /// What hosts send; `seed` is what a load draws by.
  std::unique_ptr<traffic_kernel> kernel(std::uint64_t seed) const;

 private:
  traffic_place place_in(const network_graph& graph) const {
    return {graph, clock(), network.links.megabytes_a_second()};
  }
};

}  // namespace tributary
