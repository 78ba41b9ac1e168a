// SPDX-License-Identifier: Apache-2.0
// A network whose messages hold all channels on which they have flits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/message_network.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/switching/channel_times.h>
#include <tributary/network/switching/link_event.h>
#include <tributary/network/switching/mapped_network.h>
#include <tributary/network/switching/wormhole_flow.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Switches without buffers for whole messages: a `wormhole_flow` over the channels of a graph, one
/// from each host to its switch, and one back.
///
/// A message has as many flits as its `wire_cycles`, so a cycle need not be the time of a byte. Its
/// head takes `hop_latency` in each switch, and `base_latency` over one switch: what is more than a
/// hop is spent behind the last channel. A host sends one message after the other, on whichever
/// lane, and takes messages as they come. Routes are fixed; where the table has several, one is
/// drawn for each two switches, or without a seed the first is taken. With `header_cycles` each
/// switch lets one head at a time go on, as `wormhole_flow` has it.
class wormhole_network final : public message_network,
                               public mapped_network,
                               private wormhole_receiver {
 public:
  /// `buffer_bytes` of a switch behind each channel. Of `config` it uses the clock, `bandwidth`,
  /// `header_bytes`, `payload_bytes`, `least_payload`, `gap_bytes`, `base_latency`, `hop_latency`
  /// and `lanes`. Throws `configuration_error`: as `message_network_config::validate_for_graph`,
  /// for broadcasts, a reorder window, a table of several virtual channels, a buffer shorter than a
  /// hop, and a base latency that is not longer than a hop.
  wormhole_network(const message_network_config& config, std::uint32_t buffer_bytes,
                   std::shared_ptr<const network_graph> graph, const routing_table& table,
                   std::optional<std::uint64_t> seed = 1, std::uint32_t header_cycles = 0);
  /// Throws the same for what needs no table.
  static void validate(const message_network_config& config, std::uint32_t buffer_bytes,
                       std::uint32_t hosts);

  /// Channels on the way from host to host, both of hosts included.
  std::size_t channels(node_id from, node_id to) const { return route(from, to).size(); }

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return free_at_[index(node)]; }
  cycle_t place_at(node_id node, std::uint8_t) const override { return free_at_[index(node)]; }
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::vector<network_transfer> waiting() const override;
  std::string circle() const override;
  network_links* links() override { return &watched_; }
  std::size_t under_way() const override { return flow_.under_way(); }

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;

  network_graph graph() const override { return *graph_; }
  network_use use() const override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct flying_message {
    network_transfer transfer;
    cycle_t sent = 0;
    std::size_t hops = 0;  ///< channels of its route

    TRIBUTARY_STATE(transfer, sent, hops);
  };
  TRIBUTARY_STATE(messages_, free_at_, held_, by_lane_, switches_, times_, statistics_since_);

  // wormhole_receiver
  void head_crosses(std::uint32_t packet, std::size_t hop, cycle_t at) override;
  void tail_crossed(std::uint32_t packet, std::size_t hop, cycle_t at) override;

  std::vector<std::uint32_t> route(node_id from, node_id to) const;
  std::string channel_text(std::uint32_t channel) const;
  void number_links();
  /// Tells of a message that has crossed a channel before cycle `last`.
  void tell(std::uint32_t packet, std::size_t hop, cycle_t last) const;
  std::size_t place_of(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }

  std::shared_ptr<const network_graph> graph_;
  source_routes routes_;
  agenda agenda_;
  wormhole_flow flow_;
  std::vector<flying_message> messages_;  ///< by the flow's numbers
  std::vector<cycle_t> free_at_;          ///< by node: its channel, `never` while that is not known
  std::vector<std::uint32_t> held_;       ///< by node and lane: delivered, not given back
  average switches_;
  std::vector<channel_times> times_;  ///< by the flow's channels
  cycle_t statistics_since_ = 0;
  network_links watched_;
  std::vector<std::uint32_t> link_numbers_;  ///< by channel between switches
};

}  // namespace tributary
