// SPDX-License-Identifier: Apache-2.0
// A network of input-queued switches whose links have virtual channels and credits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/message_network.h>
#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/network/switching/channel_flit.h>
#include <tributary/network/switching/channel_plan.h>
#include <tributary/network/switching/channel_switch.h>
#include <tributary/network/switching/switch_routes.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// What a network of such switches has in addition to them.
struct channel_network_config {
  channel_switch_config switches;
  /// Whether each lane has virtual channels of its own, so that none waits for another.
  bool separate_lanes = false;
  /// Messages of a lane that a host's link holds, one of which is being sent.
  std::uint32_t source_messages = 2;
  /// So often the network looks for packets that wait for each other in a circle; 0: never.
  std::uint32_t deadlock_check_cycles = 4096;
  /// Of each link of the graph, in cycles; empty: all take `switches.link_cycles`.
  std::vector<std::uint32_t> link_cycles{};

  void bind(parameter_set& parameters);
};

/// Who is told of messages that a network lost, since it may lose some only while it is changed.
using discard_notice = std::function<void(const network_transfer& message, cycle_t now)>;

/// The switches of a graph, each a `channel_switch` with its part of the routing table, stepped
/// every cycle in which they hold something; an idle network costs nothing.
///
/// A message is a packet with as many flits as its `wire_cycles`. A host sends a flit a cycle, of
/// its lanes in turn, and each message by a virtual channel that has room; it gets a message with
/// its last flit. Where routes or virtual channels let messages overtake each other, the receiving
/// host holds those that come early until they are in order (or within the `reorder_window`).
class channel_network : public message_network {
 public:
  /// Of `links` it uses the clock, `bandwidth`, `header_bytes`, `payload_bytes`, `least_payload`,
  /// `lanes`, `endpoint_buffers` and `reorder_window`. Throws `configuration_error`: as
  /// `message_network_config::validate_for_graph`, `channel_switch_config::validate` and
  /// `channel_plan`; for broadcasts, gaps, buffers in bytes, and messages of more than 65535 flits.
  /// Throws `error` for a table of another graph.
  channel_network(const message_network_config& links, const channel_network_config& config,
                  std::shared_ptr<const network_graph> graph, const routing_table& table);
  /// The same with adaptive routing, which takes a virtual channel more than its escape.
  channel_network(const message_network_config& links, const channel_network_config& config,
                  std::shared_ptr<const network_graph> graph, const adaptive_table& table);

  /// Throws as the constructors for what needs neither graph nor table.
  static void validate(const message_network_config& links, const channel_network_config& config,
                       std::uint32_t hosts);

  const network_graph& graph() const { return *graph_; }
  const channel_plan& plan() const { return plan_; }
  const channel_network_config& channels() const { return settings_; }
  const channel_switch& at(switch_id which) const { return switches_[index(which)]; }

  // --- messages
  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override;
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override;
  void advance_to(cycle_t last) override;
  cycle_t now() const override { return now_; }
  std::vector<network_transfer> waiting() const override;
  std::size_t under_way() const override { return packets_.size() - unused_.size(); }

  // --- changes while messages are under way, between two cycles
  /// The table of a switch from the next cycle on. Packets that have a channel keep it. Throws
  /// `configuration_error` if it is for another number of ports, switches or virtual channels.
  void use_routes(switch_id at, switch_routes routes);
  /// An empty table: with `lost_route::discard`, all packets that wait there are discarded, and
  /// those that come, but for the switch's own hosts.
  void clear_routes(switch_id at);
  const switch_routes& routes(switch_id at) const { return routes_[index(at)]; }
  /// The switch loses what it holds, and discards what comes; its hosts send nothing. Packets that
  /// are partly beyond it end there, and their receivers do not get them.
  void disable(switch_id at);
  /// It works again, without flits.
  void enable(switch_id at);
  bool enabled(switch_id at) const { return enabled_[index(at)] != 0; }
  /// The switch loses what it holds, as if it were disabled, and goes on.
  void discard_contents(switch_id at);
  /// The packet whose head waits behind a virtual channel of a port is discarded.
  void discard_waiting(switch_port at, std::uint32_t channel);
  /// Whether the hosts of a switch begin no packets; what they have begun they end.
  void hold_hosts(switch_id at, bool held) { held_hosts_[index(at)] = held ? 1 : 0; }
  bool holds_hosts(switch_id at) const { return held_hosts_[index(at)] != 0; }
  /// Whether packets that wait for each other in a circle are an error, as they are at first.
  /// While tables change they need not be: a table that changes may free them.
  void allow_deadlocks(bool allowed) { deadlocks_allowed_ = allowed; }
  /// A control message of so many flits takes the link behind a port of a switch, before all
  /// packets; control messages wait for each other. The cycle in which its last flit is at the
  /// other end: who sends it has to bring it there.
  cycle_t send_control(switch_port by, std::uint32_t flits, cycle_t now);
  /// Is told of each message that is discarded; may send nothing.
  void on_discard(discard_notice notice) { notice_ = std::move(notice); }

  /// Throws `simulation_error` unless each place of each buffer is in one state: its sender has its
  /// credit, or a flit takes it or comes for it, or its credit is on the way back. For tests.
  void check_credits() const;

  // --- what was measured
  /// Messages that were discarded.
  std::uint64_t discards() const { return discards_.value(); }
  /// Of all switches.
  channel_switch_counts counts() const;
  /// From a head's first link to the last flit's arrival.
  const average& packet_latency() const { return packet_latency_; }
  /// Flits that came to hosts.
  std::uint64_t delivered_flits() const { return delivered_flits_.value(); }
  /// Switches that a packet crossed.
  const average& switches_crossed() const { return switches_crossed_; }
  /// Part of the time that a channel of the graph was busy.
  double utilisation(std::uint32_t channel) const;

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;

  std::string save() const override;
  void restore(const std::string& state) override;

 protected:
  /// A message came to its receiver, or was discarded, in this cycle.
  virtual void note_delivery(const network_transfer& /*message*/, cycle_t /*sent*/,
                             cycle_t /*tail*/) {}
  virtual void note_discard(const network_transfer& /*message*/) {}
  /// Counts a message that is lost, and tells who is to be told.
  void tell_discard(const network_transfer& message);

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  /// What is behind a port of a switch.
  struct wire {
    port_use use = port_use::open;
    std::uint8_t port = 0;    ///< of the switch at the other end
    std::uint32_t other = 0;  ///< that switch, or the host
    std::uint32_t flit_delay = 0;
    std::uint32_t credit_delay = 0;
  };
  struct packet {
    network_transfer transfer;
    cycle_t sent = 0;
    cycle_t entered = 0;         ///< its head left the host
    cycle_t head_at = 0;         ///< its head came to the receiver
    std::uint32_t least = 0;     ///< cycles of its way without others
    std::uint32_t crossed = 0;   ///< switches
    std::uint32_t sequence = 0;  ///< in its stream
    std::uint16_t flits = 0;
    std::uint8_t parts = 1;  ///< into which it is torn, all of which must leave
    bool lost = false;

    TRIBUTARY_STATE(transfer, sent, entered, head_at, least, crossed, sequence, flits, parts, lost);
  };
  /// Messages of a lane at their host, in order; the first is being sent.
  struct lane_source {
    std::vector<std::uint32_t> packets;
    std::uint32_t flits = 0;  ///< of the first that were sent
    std::uint8_t channel = 0;
    bool has_channel = false;
    cycle_t last_removed = 0;  ///< cycle in which the last message had left

    TRIBUTARY_STATE(packets, flits, channel, has_channel, last_removed);
  };
  struct source {
    std::vector<lane_source> lanes;
    std::vector<std::uint32_t> credits;  ///< by channel
    std::vector<std::uint8_t> turn;      ///< by virtual network: the last channel taken
    channel_plan::mask_t used = 0;       ///< channels of messages that are being sent
    std::uint32_t lane_turn = 0;

    TRIBUTARY_STATE(lanes, credits, turn, used, lane_turn);
  };
  struct flit_event {
    std::uint32_t at = 0;
    std::uint8_t port = 0;
    channel_flit flit;

    TRIBUTARY_STATE(at, port, flit);
  };
  enum class credit_kind : std::uint8_t {
    flit,   ///< a place for a flit, of a switch
    host,   ///< the same of a host
    packet  ///< a place for a message in a host
  };
  struct credit_event {
    std::uint32_t at = 0;
    std::uint8_t port = 0;
    std::uint8_t channel = 0;  ///< or lane
    credit_kind kind = credit_kind::flit;

    TRIBUTARY_STATE(at, port, channel, kind);
  };
  /// What happens in one cycle.
  struct due {
    std::vector<flit_event> flits;
    std::vector<credit_event> credits;

    TRIBUTARY_STATE(flits, credits);
  };
  /// Messages from a host on a lane to another, by their numbers.
  struct stream {
    std::uint32_t sent = 0;
    std::uint32_t expected = 0;  ///< all before it came

    TRIBUTARY_STATE(sent, expected);
  };
  /// A message that came before one that was sent earlier.
  struct early_message {
    std::uint32_t stream = 0;
    std::uint32_t sequence = 0;
    std::uint32_t packet = 0;  ///< `none` if it is the host's already, or was lost
    cycle_t since = 0;

    TRIBUTARY_STATE(stream, sequence, packet, since);
  };
  TRIBUTARY_STATE(now_, statistics_since_, switches_, enabled_, replaced_, held_hosts_,
                  deadlocks_allowed_, active_, busy_sources_, sources_, wheel_, events_, packets_,
                  unused_, streams_, early_, held_, sent_, by_lane_, packet_latency_,
                  switches_crossed_, held_for_order_, delivered_flits_, discards_);

  channel_network(const message_network_config& links, const channel_network_config& config,
                  std::shared_ptr<const network_graph> graph, const routing_table& escape,
                  const adaptive_table* adaptive);

  const wire& wire_of(std::uint32_t at, std::uint32_t port) const {
    return wires_[first_port_[at] + port];
  }
  void make_wires();
  std::uint32_t cycles_of_link(std::uint32_t link) const;
  due& in_cycles(std::uint32_t delay) { return wheel_[(now_ + delay) & (wheel_.size() - 1)]; }
  void put_flit(std::uint32_t delay, const flit_event& event);
  void put_credit(std::uint32_t delay, const credit_event& event);
  static void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t which) {
    bits[which / 64] |= std::uint64_t{1} << (which % 64);
  }

  void step();
  void take_due();
  void take_credit(const credit_event& event);
  void take_flit(const flit_event& event);
  void eat(std::uint32_t at, std::uint32_t port, const channel_flit& flit);
  void step_switch(std::uint32_t at);
  void take_output(std::uint32_t at);
  void give_credit(std::uint32_t at, std::uint32_t port, std::uint32_t channel);
  void pass_flit(std::uint32_t at, const channel_switch_output::leaving_flit& leaving);
  void check_deadlock();
  std::vector<std::uint32_t> places_on_wires() const;
  std::uint32_t free_places_behind(std::uint32_t at, std::uint32_t port,
                                   std::uint32_t channel) const;

  void inject(std::uint32_t host);
  bool take_channel(source& from, lane_source& lane, std::uint32_t number);
  void inject_flit(std::uint32_t host, std::uint8_t lane);
  std::uint32_t new_packet();

  void tail_arrives(std::uint32_t number, std::uint32_t at, std::uint32_t port);
  stream& stream_of(const network_transfer& transfer);
  std::uint32_t stream_number(const network_transfer& transfer) const {
    return index(transfer.source) * lanes() + transfer.lane;
  }
  void settle_order(const network_transfer& transfer, std::uint32_t sequence, std::uint32_t number);
  void drain_early(std::uint32_t node);
  bool may_pass(const early_message& each, const stream& of, std::uint32_t node) const;
  void hand_over(std::uint32_t number);
  void free_packet(std::uint32_t number) { unused_.push_back(number); }
  void end_part(std::uint32_t number);
  void end_downstream(std::uint32_t at, std::uint32_t port, std::uint32_t channel,
                      std::uint32_t number);
  bool cut_on_wire(switch_port to, std::uint32_t channel, std::uint32_t number);
  void end_beyond(std::uint32_t at);
  void drop_contents(std::uint32_t at);
  void drop_sources(std::uint32_t at);

  void report_utilisation(statistics_group& group) const;
  std::size_t place_of(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }

  std::shared_ptr<const network_graph> graph_;
  channel_network_config settings_;
  channel_plan plan_;
  std::vector<std::size_t> first_port_;  ///< by switch: its first wire
  std::vector<wire> wires_;              ///< by switch and port
  std::vector<switch_routes> routes_;
  channel_switch_scratch scratch_;
  channel_switch_output out_;
  discard_notice notice_;

  cycle_t now_ = 0;
  cycle_t statistics_since_ = 0;
  std::vector<channel_switch> switches_;
  std::vector<std::uint8_t> enabled_;   ///< by switch
  std::vector<std::uint8_t> replaced_;  ///< by switch: its table is not that of the beginning
  std::map<std::uint32_t, switch_routes> first_routes_;  ///< of those: that of the beginning
  std::vector<std::uint8_t> held_hosts_;                 ///< by switch
  bool deadlocks_allowed_ = false;
  std::vector<std::uint64_t> active_;        ///< switches that are stepped, a bit each
  std::vector<std::uint64_t> busy_sources_;  ///< hosts with messages, a bit each
  std::vector<source> sources_;
  std::vector<due> wheel_;  ///< by cycle, around
  std::uint64_t events_ = 0;
  std::vector<packet> packets_;
  std::vector<std::uint32_t> unused_;
  std::vector<std::vector<stream>> streams_;       ///< by receiver; empty until it gets a message
  std::vector<std::vector<early_message>> early_;  ///< by receiver
  std::vector<std::uint32_t> held_;                ///< by node and lane: delivered, not given back
  std::uint32_t sent_ = 0;
  average packet_latency_;
  average switches_crossed_;
  average held_for_order_;
  counter delivered_flits_;
  counter discards_;
};

}  // namespace tributary
