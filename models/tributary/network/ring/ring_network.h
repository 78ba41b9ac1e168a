// SPDX-License-Identifier: Apache-2.0
// A ring of links from each node to the next, on which all nodes see the messages for everyone in
// one order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Node i sends to node i + 1, the last to node 0. What travels needs no buffer on the way: a
/// message enters when each of its receivers keeps a place for it, and in a cycle from which on
/// every link on its way is free when it comes there. Those that wait enter in the order of the
/// cycles in which they were sent, of one cycle by node and lane.
///
/// Messages of lane 0 go to the ring's gate, before node 0, and from there once around. They pass
/// it one after the other: this is the order in which every node gets them, and the only one among
/// messages for `everyone`, which are of this lane and come to the sender too. Messages of other
/// lanes leave at their receiver.
/// Source: the single-level ring of the KSR1, as Klaiber (5.1) uses it; its slots and the place
/// where its order is made are not published.
class ring_network final : public message_network, private timed_block {
 public:
  static constexpr std::uint8_t ordered_lane = 0;

  /// Throws `configuration_error`, see `message_network_config::validate`.
  ring_network(const message_network_config& config, std::uint32_t nodes);

  /// Cycles from sending to the first word after so many links, if nothing is in the way.
  static cycle_t least_latency(const message_network_config& config, std::uint64_t links) {
    return entering + links * config.hop_latency + config.base_latency;
  }

  bool orders_broadcasts() const override { return true; }
  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return injection_free_[index(node)]; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  /// Throws for a message for everyone that is not of lane 0, too.
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::size_t under_way() const override { return under_way_; }

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  static constexpr cycle_t entering = 1;

  struct flying_message {
    network_transfer transfer;
    cycle_t sent = 0;
    std::uint32_t receivers = 0;  ///< that do not have it; 0: the place is free

    TRIBUTARY_STATE(transfer, sent, receivers);
  };

  TRIBUTARY_STATE(injection_free_, waiting_, links_, gate_free_, reserved_, held_, messages_,
                  unused_, under_way_, look_at_, statistics_since_, busy_, by_lane_);

  void wake(cycle_t now, std::uint64_t wakeup) override;
  void look_at(cycle_t when);
  /// Lets messages enter that have places.
  void look(cycle_t now);
  bool has_places(const network_transfer& transfer) const;
  void enter(std::uint32_t number, cycle_t now);
  void pass_gate(std::uint32_t number, cycle_t now);
  void leave(std::uint32_t number, node_id receiver, cycle_t now);
  /// Takes `count` links from the one behind `from` on, from `earliest` on; returns when the head
  /// is on the first.
  cycle_t take_links(std::uint32_t from, std::uint32_t count, std::uint64_t wire, cycle_t earliest);
  void wake_to_leave(std::uint32_t number, node_id receiver, cycle_t head);
  std::uint32_t after(std::uint32_t from, std::uint32_t to) const {
    return (to + nodes() - from) % nodes();
  }
  std::size_t place(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }

  agenda agenda_;
  std::vector<cycle_t> injection_free_;       ///< of the node's own link into the ring
  std::vector<fifo<std::uint32_t>> waiting_;  ///< by node and lane: messages before the ring
  std::vector<cycle_t> links_;                ///< from when each is free
  cycle_t gate_free_ = 0;
  std::vector<std::uint32_t> reserved_;  ///< by node and lane: places at the node
  std::vector<std::uint32_t> held_;      ///< of those, with a message
  std::vector<flying_message> messages_;
  std::vector<std::uint32_t> unused_;  ///< in messages_
  std::size_t under_way_ = 0;
  cycle_t look_at_ = never;  ///< the wake-up that was asked for

  cycle_t statistics_since_ = 0;
  std::uint64_t busy_ = 0;  ///< cycles of all links
};

}  // namespace tributary
