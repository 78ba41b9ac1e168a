// SPDX-License-Identifier: Apache-2.0
// A network of routers and virtual lanes: point-to-point, mesh, hypercube, or any graph with a
// table of routes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/network/graph/topology.h>
#include <tributary/network/message_network.h>
#include <tributary/network/routing/routing.h>
#include <tributary/network/switching/link_event.h>
#include <tributary/network/switching/link_places.h>
#include <tributary/network/switching/mapped_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// The network of a machine, event-driven.
///
/// A message goes by cut-through, or waits at every router for its tail: its head crosses a link as
/// soon as the link is free and a place for the whole message is reserved behind it, so a message
/// that has begun to cross never stops and a link never waits in the middle of one. It leaves its
/// place when its tail has left. A lane that cannot go on holds no link. Each input and lane of a
/// router has places of its own, from which the oldest message for each output may leave. An output
/// serves in turn the lanes that have a place behind it, and in each lane the inputs. Turns are
/// kept by lane, so a message never loses its turn while its lane waits for room. Where buffers are
/// counted in bytes, a lane waits until the message whose turn it is has room. Inputs are those of
/// nodes, then those of neighbours, or of a graph the ports; an `oldest_first` arbiter takes what
/// came in one cycle in their order.
///
/// Messages of one source, destination and lane stay in order, or overtake each other at the last
/// link within the `reorder_window`. A message for everyone goes along the tree of the ways from
/// its source, once over each link; every router makes the copies that leave it, and its place
/// there is empty once all of them have left. So a copy that waits for its receiver keeps no other
/// copy back, but a place.
class routed_network final : public message_network, public mapped_network, private timed_block {
 public:
  /// Throws `configuration_error`, see `message_network_config::validate`.
  routed_network(const message_network_config& config, std::uint32_t nodes);
  /// The switches and hosts of `graph`, and the first of the ways on that the table has. `config`
  /// says nothing of either. Throws as the other, and for a table of another graph or of several
  /// virtual channels. With `broadcast` the ways from each host must be a tree: else copies along
  /// them could wait for each other in a circle.
  routed_network(const message_network_config& config, std::shared_ptr<const network_graph> graph,
                 routing_table table);

  const topology& shape() const { return shape_; }

  /// Cycles from sending to the first word at the destination if nothing is in the way.
  cycle_t least_latency(node_id from, node_id to, std::uint32_t bytes) const {
    return least_latency(config_, hops(from, to), bytes);
  }
  /// Links between routers on the way from node to node.
  std::uint32_t hops(node_id from, node_id to) const;
  /// The same over so many links between routers.
  static cycle_t least_latency(const message_network_config& config, std::uint64_t hops,
                               std::uint32_t bytes);

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return links_[index(node)].free_at; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override {
    const link& edge = links_[index(node)];
    // Mostly there is room, and it is found before all places are looked at.
    return fits(edge, lane, config_.longest(), now())
               ? now()
               : places_.fits_at(edge.behind, lane, config_.longest());
  }

  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::vector<network_transfer> waiting() const override;
  std::size_t under_way() const override { return under_way_; }

  /// Told of each message on each link, in the order of cycles.
  observer_list<link_event>& observers() { return watched_.observers; }
  network_links* links() override { return &watched_; }

  /// From the current cycle on.
  void reset_statistics() override;
  /// Up to the current cycle.
  void report(statistics_group& group, std::uint64_t cycles) const override;

  network_graph graph() const override;
  network_use use() const override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// One direction of a link and the places of the receiver behind it.
  struct link {
    link_kind kind = link_kind::hop;
    node_id from{};
    node_id to{};
    std::uint32_t input = 0;  ///< which input of the receiving router it is
    std::uint32_t phase = 0;  ///< of messages that came by it
    link_places::extent behind{};
    cycle_t free_at = 0;          ///< the link
    cycle_t wake_at = never;      ///< earliest wake-up that was asked for
    std::uint32_t next_lane = 0;  ///< the lane whose turn it is
    std::array<std::uint32_t, most_network_lanes> next_input{};  ///< by lane, likewise
    std::uint64_t busy_cycles = 0;  ///< of messages begun since the statistics were reset
    /// Messages in the order in which they came, those of one cycle in the order of their inputs.
    std::vector<std::uint32_t> waiting{};
    // Within a cycle:
    cycle_t newest_at = never;  ///< when the last came
    std::uint32_t newest = 0;   ///< so many came then

    TRIBUTARY_STATE(free_at, wake_at, next_lane, next_input, busy_cycles, waiting);
  };
  struct flying_message {
    network_transfer transfer;
    cycle_t sent = 0;
    std::uint64_t wire = 0;
    std::uint32_t hops = 0;   ///< that it has crossed
    std::uint32_t over = 0;   ///< the link by which it came to where it is
    std::uint32_t input = 0;  ///< which of that router's it is
    // A copy of a message for everyone:
    std::uint32_t at_router = none;  ///< in copies_: the copies that leave this router
    std::uint32_t in_all = none;     ///< in copies_: those that have not come to their nodes
    // Where messages overtake each other:
    std::uint64_t draw = 0;       ///< its random number
    std::uint32_t lets_pass = 0;  ///< others of its stream at its last link, so many
    cycle_t until = 0;            ///< or before that cycle
    std::uint32_t overtaken = 0;  ///< by so many

    TRIBUTARY_STATE(transfer, sent, wire, hops, over, input, at_router, in_all, draw, lets_pass,
                    until, overtaken);
  };
  /// Copies of a message that have something in common until the last of them has left.
  struct copy_group {
    std::uint32_t left = 0;  ///< copies; 0: unused
    cycle_t until = 0;       ///< when the place that they leave is empty, as far as is known

    TRIBUTARY_STATE(left, until);
  };
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  TRIBUTARY_STATE(links_, places_, held_, held_bytes_, messages_, unused_, copies_, unused_copies_,
                  draws_, under_way_, statistics_since_, by_lane_, hops_, broadcasts_,
                  copies_delivered_, overtakings_);

  void wake(cycle_t now, std::uint64_t wakeup) override;
  void wake_link(std::uint32_t number, cycle_t at);
  void head_at_router(std::uint32_t message, cycle_t now);
  /// The message, or its copy, goes on by link `out`.
  void wait_for(std::uint32_t out, std::uint32_t message, cycle_t now);
  /// Makes the copies of a message for everyone that leave the router it has come to.
  void spread(std::uint32_t message, cycle_t now);
  /// Draws how many others the message lets pass at its last link.
  void draw_overtaking(flying_message& message, cycle_t now) const;
  /// For messages for everyone in a graph; throws `configuration_error` if ways are no trees.
  void make_trees();
  void add_way(node_id from, node_id to, std::vector<std::uint32_t>& entered_by);
  std::vector<std::uint32_t> branches(const flying_message& message) const;
  void look_at_link(std::uint32_t number, cycle_t now);
  /// Place in `waiting` of the message that crosses next; empty if none may.
  std::optional<std::size_t> whose_turn(const link& out, cycle_t now) const;
  /// The same of an output that keeps the order in which messages came.
  std::optional<std::size_t> oldest(const link& out, cycle_t now) const;
  /// Whether the i-th message that waits has to let others pass, or may not overtake one.
  bool keeps_back(const link& out, std::size_t i, cycle_t now) const;
  static bool same_stream(const flying_message& a, const flying_message& b) {
    return a.transfer.source == b.transfer.source && a.transfer.lane == b.transfer.lane;
  }
  void count_overtaken(const link& out, std::size_t by);
  void wake_when_one_may_cross(std::uint32_t number, cycle_t now);
  void cross(std::uint32_t number, std::uint32_t message, cycle_t now);
  /// A message leaves its place behind the link by which it came, whose tail is out at `empty`.
  void leave_place(std::uint32_t message, std::uint32_t came_by, cycle_t empty);
  void leave(std::uint32_t message, cycle_t now);
  std::uint32_t new_message();
  std::uint32_t new_copies(std::uint32_t count);
  /// Whether it was the last of its group.
  bool leave_group(std::uint32_t group);
  std::size_t place_of(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }
  std::uint32_t& held(node_id node, std::uint8_t lane) { return held_[place_of(node, lane)]; }

  routed_network(const message_network_config& config, std::uint32_t nodes, topology shape,
                 std::unique_ptr<routing> ways, std::shared_ptr<const network_graph> graph);

  /// Cycles for which a router keeps a message: until its tail is there, if it has to wait for it.
  static std::uint64_t kept(const message_network_config& config, std::uint64_t wire) {
    const bool waits = config.switching == switching_kind::store_and_forward;
    return (waits ? wire : 0) + config.router_latency;
  }
  std::uint64_t kept(std::uint64_t wire) const { return kept(config_, wire); }
  cycle_t least_latency(const flying_message& message) const {
    return least_latency(config_, message.hops, message.transfer.bytes);
  }
  std::uint32_t ejection(node_id node) const { return nodes() + index(node); }
  bool fits(const link& edge, std::uint8_t lane, std::uint64_t bytes, cycle_t now) const {
    return places_.fits(edge.behind, lane, bytes, now);
  }
  std::uint64_t buffer_bytes(std::uint32_t message) const {
    return config_.buffer_bytes(messages_[message].transfer.bytes);
  }
  void occupy(link& edge, const flying_message& with, cycle_t now);
  double utilisation(const link& edge) const;

  std::shared_ptr<const network_graph> graph_;  ///< of the table, if there is one
  topology shape_;
  std::unique_ptr<routing> routing_;
  std::uint64_t gap_ = config_.gap_cycles();  ///< for which a link rests behind a message
  agenda agenda_;
  std::vector<link> links_;  ///< injection by node, ejection by node, hops by router and port
  std::vector<std::uint32_t> first_hop_;  ///< by router: its first link in links_
  std::vector<std::uint32_t> inputs_;     ///< by router: its nodes' and its neighbours'
  /// Of a graph, by router with nodes: the links on ways from there to routers with nodes.
  std::vector<std::vector<bool>> trees_;
  link_places places_;
  std::vector<std::uint32_t> held_;  ///< by node and lane: delivered, not given back
  /// The bytes of those, oldest first, if they count.
  std::vector<fifo<std::uint64_t>> held_bytes_;
  std::vector<flying_message> messages_;
  std::vector<std::uint32_t> unused_;  ///< in messages_
  std::vector<copy_group> copies_;
  std::vector<std::uint32_t> unused_copies_;  ///< in copies_
  std::vector<random_stream> draws_;          ///< by source, if messages overtake each other
  std::size_t under_way_ = 0;
  network_links watched_;

  cycle_t statistics_since_ = 0;
  average hops_;
  counter broadcasts_;
  counter copies_delivered_;
  counter overtakings_;
};

}  // namespace tributary
