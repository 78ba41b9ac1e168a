// SPDX-License-Identifier: Apache-2.0
// A fabric of line cards without contention inside: messages wait only where they enter and leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tributary/network/graph/distances.h>
#include <tributary/network/graph/network_graph.h>
#include <tributary/network/message_network.h>
#include <tributary/network/switching/link_event.h>
#include <tributary/network/switching/link_places.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// What a fabric has in addition to links. The defaults are the router of Avici: units of 72 bytes,
/// of which 69 are payload, every 30 ns (Chen and Wyckoff, CANPC 2000; derived from its tables).
struct fabric_config {
  std::uint32_t unit_bytes = 69;          ///< payload of a unit
  std::uint32_t header_bytes = 22;        ///< of a frame, that cross the fabric with its payload
  std::uint32_t unit_cycles = 1;          ///< from one unit to the next
  std::uint32_t exit_cycles = 2;          ///< that a message to another line card takes more
  std::uint32_t connection_buffers = 64;  ///< messages of a lane from one node to another
  bool ports = true;  ///< hosts have links of their own, and line cards keep whole messages

  void bind(parameter_set& parameters);
  /// Cycles that the units of so many bytes take; one at least.
  std::uint64_t cycles_of(std::uint64_t bytes) const {
    return (std::max<std::uint64_t>(bytes, 1) + unit_bytes - 1) / unit_bytes * unit_cycles;
  }
};

/// Line cards joined so well that no link between them ever makes a message wait: an output-queued
/// fabric.
///
/// A message crosses as units. Each node puts one message after the other into the fabric, a unit
/// every `unit_cycles`; each output takes units at the same pace, message behind message in the
/// order in which their heads come, of equals by node. Between the two lie `base_latency`,
/// `exit_cycles` if the nodes are at different line cards, and `hop_latency` for each link on a
/// shortest way between the cards. With `ports` a link of `bandwidth` lies between node and line
/// card, which keeps a message until its tail is there, both on the way in and out.
///
/// Each connection, a lane from one node to another, has buffers of its own in the fabric. A
/// message enters once its connection has one, and leaves as soon as the node has a place. Of the
/// messages that wait at an input the oldest of each connection may go, so one without a buffer
/// keeps back only those behind it. A message for everyone enters as one copy after the other, by
/// ascending node; those of its lane behind it wait.
class fabric_network final : public message_network, private timed_block {
 public:
  /// Of `config` it uses the clock, `lanes`, `payload_bytes`, `base_latency`, `hop_latency`,
  /// `broadcast`, `broadcast_self`, `router_buffers` (of an input), `endpoint_buffers` and, with
  /// ports, `bandwidth`, `header_bytes`, `least_payload`, `gap_bytes`. The switches of `graph` are
  /// line cards. Throws as `validate`.
  fabric_network(const message_network_config& config, const fabric_config& fabric,
                 std::shared_ptr<const network_graph> graph);
  /// Throws `configuration_error`: as `message_network_config::validate_for_graph`, for a base
  /// latency below 3, a latency of routers, buffers in bytes, and a reorder window.
  static void validate(const message_network_config& config, const fabric_config& fabric,
                       std::uint32_t hosts);

  std::uint64_t wire_cycles(std::uint64_t bytes) const override;
  /// Cycles from sending to the first word at the destination if nothing is in the way.
  cycle_t least_latency(node_id from, node_id to, std::uint32_t bytes) const;
  /// Links between the line cards of two nodes.
  std::uint32_t hops(node_id from, node_id to) const;

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return inputs_[index(node)].link_free; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::vector<network_transfer> waiting() const override;
  network_links* links() override { return &watched_; }
  std::size_t under_way() const override { return under_way_; }

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// A message, or a copy of one for everyone.
  struct flying_message {
    network_transfer transfer;
    cycle_t sent = 0;
    std::uint32_t next_copy = 0;  ///< at its input: the node whose copy enters next
    std::uint32_t left = 0;       ///< of one for everyone: copies that have not come; else 0
    std::uint32_t original = 0;   ///< of a copy: the message

    TRIBUTARY_STATE(transfer, sent, next_copy, left, original);
  };
  /// Where a node's messages enter.
  struct input {
    cycle_t link_free = 0;    ///< the link from the node
    cycle_t fabric_free = 0;  ///< the way into the fabric
    cycle_t wake_at = never;
    link_places::extent behind{};
    std::vector<std::uint32_t> waiting{};  ///< whole messages, oldest first
    /// Messages in the fabric by connection, those that have any.
    std::map<std::uint64_t, std::uint32_t> used{};

    TRIBUTARY_STATE(link_free, fabric_free, wake_at, waiting, used);
  };
  /// Where messages leave to a node.
  struct output {
    cycle_t fabric_free = 0;  ///< the way out of the fabric, with ports
    cycle_t link_free = 0;    ///< the link to the node
    cycle_t wake_at = never;
    link_places::extent behind{};
    std::vector<std::uint32_t> held{};     ///< by lane: delivered, not given back
    std::vector<std::uint32_t> heads{};    ///< messages whose heads have come in this cycle
    std::vector<std::uint32_t> waiting{};  ///< messages, oldest first

    TRIBUTARY_STATE(fabric_free, link_free, wake_at, held, heads, waiting);
  };

  TRIBUTARY_STATE(inputs_, outputs_, places_, messages_, unused_, under_way_, by_lane_, hops_,
                  queued_, broadcasts_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void wake_input(std::uint32_t node, cycle_t at);
  void wake_output(std::uint32_t node, cycle_t at);
  /// Lets one message of a node into the fabric if it can.
  void look_at_input(std::uint32_t node, cycle_t now);
  /// Place in `waiting` of the message that enters next; the number of those if none may.
  std::size_t next_to_enter(const input& in) const;
  /// Whether the connection of the message, or of its next copy, has a buffer.
  bool has_buffer(const input& in, const flying_message& message) const;
  void enter(std::uint32_t node, std::size_t place, cycle_t now);
  /// Its next copy, or the message itself after the last.
  std::uint32_t next_copy_of(std::uint32_t number);
  /// The node behind `after` to which a copy goes, or `nodes()`.
  std::uint32_t next_receiver(const flying_message& message, std::uint32_t after) const;
  /// Takes the heads that came in this cycle, by node.
  void take_heads(std::uint32_t node, cycle_t now);
  void look_at_output(std::uint32_t node, cycle_t now);
  void wake_when_one_may_leave(std::uint32_t node, cycle_t now);
  void leave(std::uint32_t number, cycle_t now);
  void buffer_is_empty(std::uint32_t number, cycle_t now);
  void tell(link_kind kind, const network_transfer& transfer, cycle_t from, cycle_t last) const;
  std::uint32_t new_message();

  static std::uint64_t connection(node_id to, std::uint8_t lane) {
    return std::uint64_t{index(to)} << 8U | lane;
  }
  switch_id card_of(node_id node) const { return graph_->switch_of(host_id{index(node)}); }
  /// Cycles for which a message, with ports its frame, passes into the fabric.
  std::uint64_t fabric_cycles(std::uint64_t bytes) const;
  /// Cycles that a head takes if it need not wait.
  std::uint64_t head_cycles(node_id from, node_id to) const;
  /// Cycles for which the link of a node rests behind a message.
  std::uint64_t gap() const { return fabric_.ports ? config_.gap_cycles() : 0; }

  fabric_config fabric_;
  std::shared_ptr<const network_graph> graph_;
  distance_table distances_;
  agenda agenda_;
  std::vector<input> inputs_;
  std::vector<output> outputs_;
  link_places places_;  ///< of inputs, and of nodes
  std::vector<flying_message> messages_;
  std::vector<std::uint32_t> unused_;  ///< in messages_
  std::size_t under_way_ = 0;
  network_links watched_;

  average hops_;
  average queued_;  ///< messages that wait at an output when one comes
  counter broadcasts_;
};

}  // namespace tributary
