// SPDX-License-Identifier: Apache-2.0
// What every network of messages between nodes offers, whatever its graph and switching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/graph/topology_kind.h>
#include <tributary/network/port.h>
#include <tributary/network/routing/routing_kind.h>
#include <tributary/sim/block.h>
#include <tributary/sim/clock.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;
struct network_links;

/// Virtual lanes that a network may have at most.
inline constexpr std::uint32_t most_network_lanes = 4;

/// When a router lets a message go on.
enum class switching_kind : std::uint8_t {
  cut_through,       ///< as soon as its head is there
  store_and_forward  ///< once its tail is there
};

/// Which message leaves a router next, of those whose lane has room.
enum class arbiter_kind : std::uint8_t {
  round_robin,  ///< lanes in turn, in each the inputs in turn
  oldest_first  ///< in the order in which they came, as from one queue an output
};

/// Which of FG's switches make one of two operations.
enum class combining_design : std::uint8_t { none, baseline, improved, aggressive };

/// What a network of packets is made of, where messages travel as packets.
struct packet_links_config {
  std::uint32_t link_cycles = 2;  ///< that a packet holds a link between switches
  std::uint32_t slots = 4;        ///< of a switch's queue, in packets
  combining_design combining = combining_design::none;

  void bind(parameter_set& parameters);
};

/// Configuration of a network. The defaults are those of FLASH's chapter 5 where it has any.
struct message_network_config {
  /// Of the nodes, in whose cycles all times are. The machine has it as a parameter.
  clock_domain clock;
  topology_kind topology = topology_kind::mesh;
  std::uint32_t columns = 0;
  /// More than one share a router: two in a bristled hypercube.
  std::uint32_t nodes_per_router = 1;
  routing_kind routing = routing_kind::ascending;
  switching_kind switching = switching_kind::cut_through;
  /// Virtual lanes, with buffers of their own (FLASH 2.2.1).
  std::uint32_t lanes = most_network_lanes;
  /// Megabytes (10^6) a second of every link, those of the nodes included (5.4.1).
  std::uint32_t bandwidth = 400;
  /// A link carries `bandwidth` divided by this: Ethernet of 10 Mb/s is 125 by 100.
  std::uint32_t bandwidth_divisor = 1;
  /// What a message costs on a link on top of its payload, so that a line takes 40 cycles (5.4.1).
  std::uint32_t header_bytes = 32;
  /// Greatest payload; every buffer holds a whole message.
  std::uint32_t payload_bytes = 128;
  /// Messages with less payload take as long as one with so much, as frames of Ethernet do.
  std::uint32_t least_payload = 0;
  /// Bytes of time for which a link rests behind a message.
  std::uint32_t gap_bytes = 0;
  /// Cycles to the first word: base and per hop, 18 for one hop and 22 for three (5.4.1, Tab 5.1).
  /// Half of the base is the link from a node to its router.
  std::uint32_t base_latency = 16;
  std::uint32_t hop_latency = 2;
  /// Cycles that every router adds.
  std::uint32_t router_latency = 0;
  arbiter_kind arbiter = arbiter_kind::round_robin;
  /// Messages that a router holds per input and lane.
  std::uint32_t router_buffers = 4;
  /// Messages that a node holds per lane until it gives their places back.
  std::uint32_t endpoint_buffers = 16;
  /// The same two in bytes, headers included; 0: only messages count.
  std::uint32_t router_buffer_bytes = 0;
  std::uint32_t endpoint_buffer_bytes = 0;
  /// Whether it takes messages for `everyone`, and whether the sender gets a copy.
  bool broadcast = false;
  bool broadcast_self = true;
  /// Messages of one source, destination and lane that a message may overtake.
  std::uint32_t reorder_window = 0;
  /// Of the random numbers that say which messages are overtaken.
  std::uint32_t reorder_seed = 1;
  /// Of the omega network.
  packet_links_config omega;

  /// What a link carries.
  bit_rate rate() const;
  /// The same in megabytes (10^6) a second.
  double megabytes_a_second() const { return static_cast<double>(bandwidth) / bandwidth_divisor; }
  /// Cycles that a message with so many bytes of payload takes to cross a link.
  std::uint64_t wire_cycles(std::uint64_t bytes) const;
  /// Cycles that a link rests behind it.
  std::uint64_t gap_cycles() const;
  /// Bytes that it takes of a buffer.
  std::uint64_t buffer_bytes(std::uint64_t bytes) const { return header_bytes + bytes; }
  /// The same of the longest message.
  std::uint64_t longest() const { return buffer_bytes(payload_bytes); }
  /// Whether the network makes one message of two operations.
  bool combines() const {
    return topology == topology_kind::omega && omega.combining != combining_design::none;
  }

  void bind(parameter_set& parameters);
  /// All of it but what a graph and a table stand for: topology, routing, the omega network.
  void bind_links(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range, a topology that cannot have `nodes`,
  /// and buffers or capabilities that the network cannot have.
  void validate(std::uint32_t nodes) const;
  /// The same where a graph and a table stand for topology and routing; topology must have
  /// routers.
  void validate_for_graph(std::uint32_t hosts) const;

 private:
  void validate_buffers() const;
  void validate_capabilities(std::uint32_t nodes) const;
};

/// Throws `configuration_error`, which names `network.reorder_window`, if it is not 0. `whose` says
/// what relies on the order of messages, as a plural.
void require_order(std::uint32_t reorder_window, const std::string& whose);

/// The network of a machine.
///
/// What nodes do in cycle n (`send`, `give_back`) has its effect in cycle n + 1 or later, and so
/// has what the network tells them: it does not matter which of them comes first in a cycle. The
/// network is advanced once for each cycle, to the cycle of the nodes or one less. Messages of one
/// source, destination and lane stay in order, unless the configuration has a `reorder_window`.
class message_network : public block {
 public:
  message_network(const message_network&) = delete;
  message_network& operator=(const message_network&) = delete;
  virtual ~message_network() = default;

  const message_network_config& config() const { return config_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(endpoints_.size()); }
  std::uint32_t lanes() const { return config_.lanes; }
  /// Whether messages for `everyone` of lane 0 come to all nodes in one order.
  virtual bool orders_broadcasts() const { return false; }
  /// Nodes to which a message for `everyone` comes.
  std::uint32_t copies() const { return nodes() - (config_.broadcast_self ? 0 : 1); }

  /// Says who is at `node`; it must outlive the network's last advance.
  void attach(node_id node, network_endpoint& receiver);

  /// Cycles that a message occupies the link of a node.
  virtual std::uint64_t wire_cycles(std::uint64_t bytes) const {
    return config_.wire_cycles(bytes);
  }

  /// Whether `node` may send on that lane in `now`: its link is free and there is room for the
  /// longest message.
  virtual bool ready(node_id node, std::uint8_t lane, cycle_t now) const = 0;
  /// The first cycle in which the link from `node` is free; `never` if that is not known, and its
  /// `room` will tell.
  virtual cycle_t free_at(node_id node) const = 0;
  /// The first cycle in which there is room for the longest message of that lane of `node`, as far
  /// as is known; `never` if it is not known, some cycle that has passed if there is room now.
  virtual cycle_t place_at(node_id node, std::uint8_t lane) const = 0;

  /// The head leaves the source in `now`. Throws `simulation_error` if the lane is not ready there,
  /// for a payload that no buffer holds, for a node or lane that does not exist, and for a message
  /// for everyone if the network has no broadcast.
  virtual void send(const network_transfer& transfer, cycle_t now) = 0;
  /// The oldest message of that lane leaves `node`, whose place is empty from `now` + 1 on. Throws
  /// `simulation_error` if it held none.
  virtual void give_back(node_id node, std::uint8_t lane, cycle_t now) = 0;

  /// The next cycle in which something happens inside, or `never`.
  virtual cycle_t next_wakeup() const = 0;
  /// Simulates up to and including cycle `last`.
  virtual void advance_to(cycle_t last) = 0;
  virtual cycle_t now() const = 0;

  /// Messages that wait in it for a link or a place, in no certain order; none of a network that
  /// cannot tell.
  virtual std::vector<network_transfer> waiting() const { return {}; }
  /// The channels of messages that wait for each other in a circle, as a text; empty if there is no
  /// circle, or the network cannot tell.
  virtual std::string circle() const { return {}; }
  /// Its links, and who is told what crosses them; null of a network that does not tell.
  virtual network_links* links() { return nullptr; }
  /// Messages on their way. Those that nodes hold are no longer.
  virtual std::size_t under_way() const = 0;
  bool idle() const override { return under_way() == 0; }
  const char* name() const override { return "network"; }

 protected:
  /// Of the messages that a lane delivered.
  struct lane_statistics {
    counter messages;
    counter bytes;
    average latency;
    average waiting;

    TRIBUTARY_STATE(messages, bytes, latency, waiting);
  };

  /// Throws `configuration_error` for values out of range.
  message_network(const message_network_config& config, std::uint32_t nodes);

  network_endpoint* endpoint(node_id node) const { return endpoints_[index(node)]; }
  /// Throw `simulation_error` with the cycle, for what `send` refuses.
  void check_node(node_id node, std::uint8_t lane, cycle_t now) const;
  void check_transfer(const network_transfer& transfer, cycle_t now) const;
  [[noreturn]] static void fail(cycle_t now, const std::string& problem);
  /// Throws for a node that has no endpoint.
  void deliver(const network_transfer& transfer, cycle_t head, cycle_t now);
  /// A message took `latency` to its first word, `waiting` of it because of others.
  void count_delivery(const network_transfer& transfer, cycle_t latency, cycle_t waiting);
  /// The two parts of it, for a message of which there are copies.
  void count_message(const network_transfer& transfer);
  void count_copy(const network_transfer& transfer, cycle_t latency, cycle_t waiting);
  void report_lanes(statistics_group& group) const;

  message_network_config config_;
  std::vector<lane_statistics> by_lane_;

 private:
  std::vector<network_endpoint*> endpoints_;
};

/// "lane 1 of node 5", for messages.
std::string lane_of_node(node_id node, std::uint8_t lane);

/// The place of a node in a network.
class node_port final : public network_port {
 public:
  node_port(message_network& network, node_id here) : network_(network), here_(here) {}

  std::uint32_t lanes() const override { return network_.lanes(); }
  bool combines() const override { return network_.config().combines(); }
  bool broadcasts() const override { return network_.config().broadcast; }
  bool orders_broadcasts() const override { return network_.orders_broadcasts(); }
  std::uint32_t copies() const override { return network_.copies(); }
  std::uint32_t reorder_window() const override { return network_.config().reorder_window; }
  std::uint32_t payload_bytes() const override { return network_.config().payload_bytes; }
  bool ready(std::uint8_t lane, cycle_t now) const override {
    return network_.ready(here_, lane, now);
  }
  cycle_t free_at() const override { return network_.free_at(here_); }
  void send(const network_transfer& transfer, cycle_t now) override {
    network_.send(transfer, now);
  }
  std::uint64_t wire_cycles(std::uint64_t bytes) const override {
    return network_.wire_cycles(bytes);
  }
  void give_back(std::uint8_t lane, cycle_t now) override { network_.give_back(here_, lane, now); }

 private:
  message_network& network_;
  node_id here_;
};

}  // namespace tributary
