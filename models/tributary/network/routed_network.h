// SPDX-License-Identifier: Apache-2.0
// A network of routers, one a node: point-to-point, mesh or hypercube, with four virtual lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/network/topology.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/clock.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Virtual lanes that share each link, with buffers of their own (FLASH 2.2.1).
inline constexpr std::size_t network_lanes = 4;

/// Configuration of the network. The defaults are those of FLASH's chapter 5 where it has any.
struct routed_network_config {
  /// Of the nodes, in whose cycles all times are. The machine has it as a parameter.
  clock_domain clock;
  topology_kind topology = topology_kind::mesh;
  std::uint32_t columns = 0;
  /// Megabytes (10^6) a second of every link, those of the nodes included (5.4.1).
  std::uint32_t bandwidth = 400;
  /// What a message costs on a link beside its payload, so that a line takes 40 cycles (5.4.1).
  std::uint32_t header_bytes = 32;
  /// Greatest payload; every buffer holds a whole message.
  std::uint32_t payload_bytes = 128;
  /// Cycles to the first word: base and per hop, 18 for one hop and 22 for three (5.4.1, Tab 5.1).
  std::uint32_t base_latency = 16;
  std::uint32_t hop_latency = 2;
  /// Messages that a router holds per input and lane.
  std::uint32_t router_buffers = 4;
  /// Messages that a node holds per lane until it gives their places back.
  std::uint32_t endpoint_buffers = 16;

  /// Cycles that a message with so many bytes of payload occupies a link.
  std::uint64_t wire_cycles(std::uint64_t bytes) const;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range and a topology that cannot have `nodes`.
  void validate(std::uint32_t nodes) const;
};

/// A message as the network sees it.
struct network_transfer {
  node_id source{};
  node_id destination{};
  std::uint8_t lane = 0;
  std::uint32_t bytes = 0;  ///< of payload
  std::uint64_t cargo = 0;  ///< what it means is the nodes' affair

  template <class Archive>
  void serialize(Archive& archive) {
    archive(source, destination, lane, bytes, cargo);
  }
};

/// A node's side of its two links to the network. Both calls come in a cycle before the one of
/// which they tell.
class network_endpoint {
 public:
  /// From `at` on the router has one more place for a message of that lane.
  virtual void room(std::uint8_t lane, cycle_t at) = 0;

  /// The first word of payload is there in `head`; the link is busy with the message before
  /// `tail`. It has a place in the node until `give_back`.
  virtual void arrive(const network_transfer& what, cycle_t head, cycle_t tail) = 0;

 protected:
  network_endpoint() = default;
  network_endpoint(const network_endpoint&) = default;
  network_endpoint& operator=(const network_endpoint&) = default;
  ~network_endpoint() = default;
};

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
  node_id from{};
  node_id to{};
  network_transfer what;
};

/// The network of a machine, event-driven.
///
/// A message goes by cut-through: its head crosses a link as soon as the link is free and a place
/// for the whole message is reserved behind it, so a message that has begun to cross never stops
/// and a link never waits in the middle of one. It leaves its place when its tail has left. A lane
/// that cannot go on holds no link. Each input and lane of a router has places of its own, from
/// which the oldest message for each output may leave; an output serves inputs and lanes in turn.
/// Messages of one source, destination and lane stay in order.
///
/// What nodes do in cycle n (`send`, `give_back`) has its effect in cycle n + 1 or later, and so
/// has what the network tells them: it does not matter which of them comes first in a cycle. The
/// network is advanced once for each cycle, to the cycle of the nodes or one less.
class routed_network final : public block, private timed_block {
 public:
  /// Throws `configuration_error`, see `routed_network_config::validate`.
  routed_network(const routed_network_config& config, std::uint32_t nodes);
  routed_network(const routed_network&) = delete;
  routed_network& operator=(const routed_network&) = delete;

  const routed_network_config& config() const { return config_; }
  const topology& shape() const { return shape_; }
  std::uint32_t nodes() const { return shape_.nodes(); }

  /// Says who is at `node`; it must outlive the network's last advance.
  void attach(node_id node, network_endpoint& who);

  /// Cycles that a message occupies a link.
  std::uint64_t wire_cycles(std::uint64_t bytes) const { return config_.wire_cycles(bytes); }
  /// Cycles from sending to the first word at the destination if nothing is in the way.
  cycle_t least_latency(node_id from, node_id to) const;

  /// Whether `node` may send on that lane in `now`: its link is free and its router has a place.
  bool ready(node_id node, std::uint8_t lane, cycle_t now) const;
  /// The first cycle in which the link from `node` is free.
  cycle_t free_at(node_id node) const { return links_[index(node)].free_at; }
  /// The first cycle in which the router of `node` has a place for a message of that lane, as far
  /// as is known; `never` if all are taken.
  cycle_t place_at(node_id node, std::uint8_t lane) const {
    return earliest_place(links_[index(node)], lane);
  }

  /// The head leaves the source in `now`. Throws `simulation_error` if the lane is not ready there,
  /// for a payload that no buffer holds, and for a node or lane that does not exist.
  void send(const network_transfer& what, cycle_t now);

  /// `node` has room for another message of that lane from `now` + 1 on. Throws `simulation_error`
  /// if it held none.
  void give_back(node_id node, std::uint8_t lane, cycle_t now);

  /// The next cycle in which something happens inside, or `never`.
  cycle_t next_wakeup() const { return agenda_.next_wakeup(); }
  /// Simulates up to and including cycle `last`.
  void advance_to(cycle_t last) { agenda_.advance_to(last); }
  cycle_t now() const { return agenda_.now(); }

  /// Whether no message is on its way. Messages that nodes hold are no longer.
  bool idle() const override { return under_way_ == 0; }
  /// Messages on their way.
  std::size_t under_way() const { return under_way_; }

  /// Begins again at cycle 0, empty, with statistics at zero.
  void reset();

  /// Told of each message on each link, in the order of cycles.
  observer_list<link_event>& observers() { return observers_; }

  /// From the current cycle on.
  void reset_statistics() override;
  /// Up to the current cycle.
  void report(statistics_group& group, std::uint64_t cycles) const override;

  const char* name() const override { return "network"; }
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// One direction of a link and the places of the receiver behind it.
  struct link {
    link_kind kind = link_kind::hop;
    node_id from{};
    node_id to{};
    std::uint32_t input = 0;             ///< which input of the receiving router it is
    std::uint32_t places = 0;            ///< per lane
    std::size_t first_place = 0;         ///< in places_: lane by lane
    cycle_t free_at = 0;                 ///< the link
    cycle_t wake_at = never;             ///< earliest wake-up that was asked for
    std::uint32_t turn = 0;              ///< input and lane that come first
    std::uint64_t busy_cycles = 0;       ///< of messages begun since the statistics were reset
    std::vector<std::uint32_t> waiting;  ///< messages, in the order in which they came

    template <class Archive>
    void serialize(Archive& archive) {
      archive(free_at, wake_at, turn, busy_cycles, waiting);
    }
  };
  struct flying_message {
    network_transfer what;
    cycle_t sent = 0;
    std::uint64_t wire = 0;
    std::uint32_t over = 0;  ///< the link by which it came to where it is
    std::uint32_t turn = 0;  ///< its input and lane there

    template <class Archive>
    void serialize(Archive& archive) {
      archive(what, sent, wire, over, turn);
    }
  };
  struct lane_statistics {
    counter messages;
    counter bytes;
    average latency;
    average waiting;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(messages, bytes, latency, waiting);
    }
  };

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.links_, self.places_, self.held_, self.messages_, self.unused_,
                    self.under_way_, self.statistics_since_, self.by_lane_, self.hops_);
  }

  void wake(cycle_t now, std::uint64_t what) override;
  void wake_link(std::uint32_t number, cycle_t at);
  void head_at_router(std::uint32_t message, cycle_t now);
  void look_at_link(std::uint32_t number, cycle_t now);
  void cross(std::uint32_t number, std::uint32_t message, cycle_t now);
  void deliver(std::uint32_t message, cycle_t now);
  std::uint32_t& held(node_id node, std::uint8_t lane) {
    return held_[index(node) * network_lanes + lane];
  }

  std::uint32_t ejection(node_id node) const { return nodes() + index(node); }
  cycle_t* places(const link& of, std::uint8_t lane) {
    return &places_[of.first_place + std::size_t{lane} * of.places];
  }
  cycle_t earliest_place(const link& of, std::uint8_t lane) const;
  void take_place(const link& of, std::uint8_t lane, cycle_t now);
  void free_place(const link& of, std::uint8_t lane, cycle_t at);
  void occupy(link& which, const flying_message& with, cycle_t now);
  void check_node(node_id node, std::uint8_t lane, cycle_t now) const;
  double utilisation(const link& of) const;

  routed_network_config config_;
  topology shape_;
  agenda agenda_;
  std::vector<network_endpoint*> endpoints_;
  std::vector<link> links_;  ///< injection by node, ejection by node, hops by node and port
  std::vector<std::uint32_t> first_hop_;  ///< by node: its first link in links_
  std::vector<std::uint32_t> inputs_;     ///< by node: of its router
  std::vector<cycle_t> places_;           ///< from when each is free, `never` while it is taken
  std::vector<std::uint32_t> held_;       ///< by node and lane: delivered, not given back
  std::vector<flying_message> messages_;
  std::vector<std::uint32_t> unused_;  ///< in messages_
  std::size_t under_way_ = 0;
  observer_list<link_event> observers_;

  cycle_t statistics_since_ = 0;
  std::array<lane_statistics, network_lanes> by_lane_;
  average hops_;
};

}  // namespace tributary
