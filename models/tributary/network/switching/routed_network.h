// SPDX-License-Identifier: Apache-2.0
// A network of routers, each with one node or more: point-to-point, mesh or hypercube, with four
// virtual lanes.
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
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Which kind of link.
enum class link_kind : std::uint8_t {
  injection,  ///< from a node to its router
  hop,        ///< between routers
  ejection    ///< from a router to its node
};

/// A message begins to cross a link.
struct link_event {
  cycle_t cycle = 0;  ///< its head leaves
  cycle_t last = 0;   ///< the link is busy before
  link_kind kind = link_kind::injection;
  node_id from{};  ///< node or router, by kind
  node_id to{};
  network_transfer transfer;
};

/// The network of a machine, event-driven.
///
/// A message goes by cut-through, or waits at every router for its tail: its head crosses a link as
/// soon as the link is free and a place for the whole message is reserved behind it, so a message
/// that has begun to cross never stops and a link never waits in the middle of one. It leaves its
/// place when its tail has left. A lane that cannot go on holds no link. Each input and lane of a
/// router has places of its own, from which the oldest message for each output may leave. An output
/// serves in turn the lanes that have a place behind it, and in each lane the inputs. Turns are
/// kept by lane, so a message never loses its turn while its lane waits for a place. Messages of
/// one source, destination and lane stay in order.
class routed_network final : public message_network, private timed_block {
 public:
  /// Throws `configuration_error`, see `message_network_config::validate`.
  routed_network(const message_network_config& config, std::uint32_t nodes);

  const topology& shape() const { return shape_; }

  /// Cycles from sending to the first word at the destination if nothing is in the way.
  cycle_t least_latency(node_id from, node_id to, std::uint32_t bytes) const {
    return least_latency(config_, shape_.hops(from, to), bytes);
  }
  /// The same over so many links between routers.
  static cycle_t least_latency(const message_network_config& config, std::uint64_t hops,
                               std::uint32_t bytes);

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return links_[index(node)].free_at; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override {
    const link& edge = links_[index(node)];
    // Mostly one is free, and is found before all are looked at.
    return has_place(edge, lane, now()) ? now() : earliest_place(edge, lane);
  }

  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::size_t under_way() const override { return under_way_; }

  /// Told of each message on each link, in the order of cycles.
  observer_list<link_event>& observers() { return observers_; }

  /// From the current cycle on.
  void reset_statistics() override;
  /// Up to the current cycle.
  void report(statistics_group& group, std::uint64_t cycles) const override;

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// One direction of a link and the places of the receiver behind it.
  struct link {
    link_kind kind = link_kind::hop;
    node_id from{};
    node_id to{};
    std::uint32_t input = 0;      ///< which input of the receiving router it is
    std::uint32_t places = 0;     ///< per lane
    std::size_t first_place = 0;  ///< in places_: lane by lane
    cycle_t free_at = 0;          ///< the link
    cycle_t wake_at = never;      ///< earliest wake-up that was asked for
    std::uint32_t next_lane = 0;  ///< the lane whose turn it is
    std::array<std::uint32_t, most_network_lanes> next_input{};  ///< by lane, likewise
    std::uint64_t busy_cycles = 0;         ///< of messages begun since the statistics were reset
    std::vector<std::uint32_t> waiting{};  ///< messages, in the order in which they came

    TRIBUTARY_STATE(free_at, wake_at, next_lane, next_input, busy_cycles, waiting);
  };
  struct flying_message {
    network_transfer transfer;
    cycle_t sent = 0;
    std::uint64_t wire = 0;
    std::uint32_t over = 0;   ///< the link by which it came to where it is
    std::uint32_t input = 0;  ///< which of that router's it is

    TRIBUTARY_STATE(transfer, sent, wire, over, input);
  };
  TRIBUTARY_STATE(links_, places_, held_, messages_, unused_, under_way_, statistics_since_,
                  by_lane_, hops_);

  void wake(cycle_t now, std::uint64_t wakeup) override;
  void wake_link(std::uint32_t number, cycle_t at);
  void head_at_router(std::uint32_t message, cycle_t now);
  void look_at_link(std::uint32_t number, cycle_t now);
  /// Place in `waiting` of the message that crosses next; empty if none has a place behind the
  /// link.
  std::optional<std::size_t> whose_turn(const link& out, cycle_t now) const;
  void wake_when_a_place_is_free(std::uint32_t number);
  void cross(std::uint32_t number, std::uint32_t message, cycle_t now);
  void leave(std::uint32_t message, cycle_t now);
  std::uint32_t& held(node_id node, std::uint8_t lane) {
    return held_[std::size_t{index(node)} * lanes() + lane];
  }

  /// Cycles for which a router waits for the rest of a message.
  static std::uint64_t stored(const message_network_config& config, std::uint64_t wire) {
    return config.switching == switching_kind::store_and_forward ? wire : 0;
  }
  std::uint64_t stored(std::uint64_t wire) const { return stored(config_, wire); }
  std::uint32_t ejection(node_id node) const { return nodes() + index(node); }
  cycle_t* places(const link& edge, std::uint8_t lane) {
    return &places_[edge.first_place + std::size_t{lane} * edge.places];
  }
  cycle_t earliest_place(const link& edge, std::uint8_t lane) const;
  bool has_place(const link& edge, std::uint8_t lane, cycle_t now) const;
  void take_place(const link& edge, std::uint8_t lane, cycle_t now);
  void free_place(const link& edge, std::uint8_t lane, cycle_t at);
  void occupy(link& edge, const flying_message& with, cycle_t now);
  double utilisation(const link& edge) const;

  topology shape_;
  std::unique_ptr<routing> routing_;
  agenda agenda_;
  std::vector<link> links_;  ///< injection by node, ejection by node, hops by router and port
  std::vector<std::uint32_t> first_hop_;  ///< by router: its first link in links_
  std::vector<std::uint32_t> inputs_;     ///< by router: its nodes' and its neighbours'
  std::vector<cycle_t> places_;           ///< from when each is free, `never` while it is taken
  std::vector<std::uint32_t> held_;       ///< by node and lane: delivered, not given back
  std::vector<flying_message> messages_;
  std::vector<std::uint32_t> unused_;  ///< in messages_
  std::size_t under_way_ = 0;
  observer_list<link_event> observers_;

  cycle_t statistics_since_ = 0;
  average hops_;
};

}  // namespace tributary
