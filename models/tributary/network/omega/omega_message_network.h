// SPDX-License-Identifier: Apache-2.0
// Messages between nodes on the omega network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/network/omega/operation_network.h>
#include <tributary/network/switching/link_places.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The Ultracomputer's network behind the port of a node's interface: one omega network a lane, so
/// that a lane that stands keeps no other. A node is at line n of both ends; its messages go the
/// way of requests, from the side of the processing elements to that of the memory modules, and
/// nothing comes back.
///
/// A message is a train of packets that do not combine: one for its header, one for every 16 bytes
/// of payload, as many as a request has operands. Trains of several nodes mix in the queues, so the
/// far interface collects a train before it hands the message to its node, over the node's link. It
/// has a place reserved for it from when its first packet leaves until the node gives it back, or
/// packets that have to pass one without a place could never; that this is known a cycle later at
/// every node is assumed.
///
/// Where operations combine they leave their lane's queue into an `operation_network`. A request
/// gets its place as it comes out, an answer waits at the far end until there is one.
class omega_message_network final : public message_network {
 public:
  /// Throws `configuration_error`, see `message_network_config::validate`.
  omega_message_network(const message_network_config& config, std::uint32_t nodes);

  /// Packets of a message with so many bytes of payload.
  static std::uint32_t packets_of(std::uint32_t bytes);
  /// Cycles from sending to the first word at the destination if nothing is in the way.
  cycle_t least_latency(std::uint32_t bytes) const;

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return injection_free_[index(node)]; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;
  /// Of operations, which combine; null if they do not.
  const operation_network* operations() const {
    return operations_ ? &operations_->network : nullptr;
  }
  cycle_t next_wakeup() const override { return under_way_ == 0 ? never : now_ + 1; }
  void advance_to(cycle_t last) override;
  cycle_t now() const override { return now_; }
  std::size_t under_way() const override { return under_way_; }

  void reset_statistics() override;
  /// Of messages by lane, and of each lane's switches.
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct train {
    network_transfer transfer;
    cycle_t sent = 0;
    std::uint32_t left = 0;       ///< packets that are in the network or beyond it
    std::uint32_t collected = 0;  ///< packets that are beyond it
    bool has_place = false;       ///< at its destination

    TRIBUTARY_STATE(transfer, sent, left, collected, has_place);
  };
  /// Where a node's messages of a lane wait to leave.
  struct source {
    fifo<std::uint32_t> trains;         ///< in trains_
    std::uint32_t link_rest = 0;        ///< cycles until the link takes a packet
    std::uint32_t held = 0;             ///< places at the node's other end: reserved or used
    std::uint64_t held_bytes = 0;       ///< likewise, if bytes count
    fifo<std::uint64_t> lengths;        ///< of the messages that were delivered, likewise
    std::vector<std::uint32_t> askers;  ///< nodes that wait for one of those, in order

    TRIBUTARY_STATE(trains, link_rest, held, held_bytes, lengths, askers);
  };
  struct lane_network {
    omega_network switches;
    std::vector<source> nodes;
    std::size_t trains = 0;  ///< that have not been collected
    cycle_t busy_from = 0;   ///< when the first of its trains may leave
    cycle_t quiet_from = 0;  ///< when they are collected: links have counted down before
  };
  /// Where operations combine.
  struct combining_network {
    operation_network network;
    std::uint64_t to_leave = 0;  ///< operations in the queues of lanes
    cycle_t busy_from = 0;       ///< when the first of those may leave
    cycle_t quiet_from = 0;      ///< when links have counted down
    std::vector<std::vector<operation_network::arrival>> answers;  ///< without a place, by node
    std::uint64_t waiting = 0;                                     ///< of those

    bool is_quiet(cycle_t now) const {
      return to_leave == 0 && waiting == 0 && !network.moves() && quiet_from <= now;
    }
  };
  struct freed_place {
    node_id node{};
    std::uint8_t lane = 0;
    cycle_t from = 0;
    std::uint64_t bytes = 0;  ///< if they count

    TRIBUTARY_STATE(node, lane, from, bytes);
  };

  TRIBUTARY_STATE(trains_, unused_, places_, freed_, injection_free_, ejection_free_, under_way_,
                  now_, by_lane_);

  void step();
  void free_places();
  void step_lane(std::uint8_t lane);
  /// Whether the oldest message of a node has a packet that the first switch takes; reserves its
  /// place.
  bool prepare_to_leave(lane_network& at, std::uint32_t node);
  /// Reserves a place for a node's message, if one is left for it by the nodes that asked before.
  bool reserve_place(source& to, std::uint32_t node, std::uint64_t bytes);
  packet next_packet(const train& from, std::uint32_t number) const;
  void leave(lane_network& at, std::uint8_t lane, std::uint32_t node);
  void collect(lane_network& at, std::uint32_t number);
  bool may_reserve(source& to, std::uint32_t node, std::uint64_t bytes) const;
  bool counts_bytes() const { return config_.endpoint_buffer_bytes != 0; }
  /// What left the switches is handed over the node's link, `tail` cycles after its head.
  void hand_over(const network_transfer& transfer, cycle_t sent, cycle_t tail);

  // Of operations.
  cycle_t operation_cycles() const { return 2 * cycle_t{config_.omega.link_cycles}; }
  void step_operations();
  void find_takers();
  /// Takes those that leave in this cycle out of their lanes' queues.
  void leave_as(operation_part part, std::vector<operation_network::departure>& into);
  std::optional<std::uint8_t> lane_of_next(operation_part part, std::uint32_t node) const;
  void take_from(std::uint8_t lane, std::uint32_t node,
                 std::vector<operation_network::departure>& into);
  void arrive(const operation_network::arrival& arrived);
  void hand_over_answers();
  std::string save_operations() const;
  void restore_operations(const std::string& state);

  std::vector<lane_network> lanes_;
  std::vector<train> trains_;
  std::vector<std::uint32_t> unused_;          ///< in trains_
  link_places places_;                         ///< of messages that have not left their nodes
  std::vector<link_places::extent> to_leave_;  ///< in places_, by node
  std::vector<freed_place> freed_;  ///< given back, in order; counted from the next cycle on
  std::vector<cycle_t> injection_free_;
  std::vector<cycle_t> ejection_free_;
  std::vector<std::uint32_t> leaving_;  ///< nodes, only within a step
  std::vector<std::uint8_t> sinks_;
  std::optional<combining_network> operations_;
  std::vector<std::uint8_t> takers_;  ///< only within a step
  std::size_t under_way_ = 0;
  cycle_t now_ = 0;
};

}  // namespace tributary
