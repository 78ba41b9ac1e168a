// SPDX-License-Identifier: Apache-2.0
// A network with virtual channels that goes on while its switches go off and on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/message_network.h>
#include <tributary/network/reconfiguration/control_message.h>
#include <tributary/network/reconfiguration/control_plane.h>
#include <tributary/network/reconfiguration/reconfiguration_config.h>
#include <tributary/network/reconfiguration/reconfiguration_statistics.h>
#include <tributary/network/reconfiguration/surviving_graph.h>
#include <tributary/network/reconfiguration/waiting_heads.h>
#include <tributary/network/switching/channel_network.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/event_queue.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Routing is minimal adaptive with an up*/down* escape. When a switch goes off or on, its
/// neighbours notice it some cycles later; what works is found out by control messages, which take
/// their time on the links, and new tables are installed.
///
/// `fixed` (static): a switch that takes part empties its buffers, clears its table and holds its
/// hosts until it knows the topology and has computed its new table.
/// `ordered`: traffic goes on. A switch takes new minimal ports when it learns the topology; the
/// root orders the switches to take their new escape, the next once the last has acknowledged it.
/// Packets that cannot go on meanwhile wait, and are discarded after a time-out. It is no
/// published scheme: see `docs/models/reconfiguration.md`.
///
/// A host whose switch is off loses what it sends, and what is sent to it.
/// Source: Bermudez et al., "Extending dynamic reconfiguration to NOWs with adaptive routing",
/// CANPC 2000 (P6).
class reconfigured_network final : public channel_network, private control_plane_client {
 public:
  /// Throws as `channel_network` and `reconfiguration_config::validate`. It sets
  /// `channels.switches.without_route`.
  reconfigured_network(const message_network_config& links, const channel_network_config& channels,
                       const reconfiguration_config& how,
                       std::shared_ptr<const network_graph> graph);

  const reconfiguration_config& how() const { return how_; }
  /// What was measured of it.
  const reconfiguration_statistics& reconfigurations() const { return measured_; }
  /// Whether tables change, or are to.
  bool reconfiguring() const { return reconfiguring_; }
  /// Whether the switch is on, and has its place in the tables of all others.
  bool settled(switch_id at) const { return settled_[index(at)] != 0; }
  /// How it is to change next; those of the configuration that have passed are not among them.
  cycle_t next_event() const {
    return next_event_ < how_.events.size() ? how_.events[next_event_].at : never;
  }

  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override;
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;

  cycle_t next_wakeup() const override;
  void advance_to(cycle_t last) override;

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class step_kind : std::uint8_t {
    detected,  ///< a switch notices a change of another
    arrival,   ///< of a control message
    computed,  ///< a switch has its table from the topology
    planned    ///< the root has the escape tables of all
  };
  /// Something that happens at a switch.
  struct step {
    step_kind kind = step_kind::detected;
    std::uint32_t at = 0;
    std::uint32_t life = 0;   ///< of the switch: it is without a meaning in another life
    std::uint32_t port = 0;   ///< of an arrival
    std::uint32_t other = 0;  ///< the switch that changed, or that sent the message
    std::uint32_t other_life = 0;
    bool on = false;          ///< of a change
    bool begins = false;      ///< of a detection: the switch begins a reconfiguration
    cycle_t changed = 0;      ///< of a detection: the cycle of the change
    control_message message;  ///< of an arrival; of the others its key

    TRIBUTARY_STATE(kind, at, life, port, other, other_life, on, begins, changed, message);
  };
  /// A topology that a root learnt, and who has its tables.
  struct installation {
    reconfiguration_key key;
    learnt_topology topology;
    link_directions ups;
    std::vector<std::uint32_t> order;    ///< of escape tables
    std::uint32_t next = 0;              ///< of them
    std::uint32_t missing = 0;           ///< switches without the new table
    std::vector<std::uint8_t> minimal;   ///< by switch: it has its new minimal ports
    std::vector<std::uint8_t> ordered;   ///< by switch: it is to install its escape
    std::vector<std::uint8_t> complete;  ///< by switch: it has its table, and still is on

    TRIBUTARY_STATE(key, topology, ups, order, next, missing, minimal, ordered, complete);
  };

  // control_plane_client
  void send_message(switch_port by, const control_message& message) override;
  void joined(switch_id at) override;
  void learnt(switch_id root, const learnt_topology& topology) override;
  void told(switch_id at) override;
  void opened(switch_id at) override { hold_hosts(at, false); }
  void ordered(switch_id at) override;
  void acknowledged(switch_id root, switch_id which) override;

  // channel_network
  void note_delivery(const network_transfer& message, cycle_t sent, cycle_t tail) override;
  void note_discard(const network_transfer& message) override;

  void begin_with(const std::vector<bool>& works);
  link_directions directions_for(const learnt_topology& topology) const;
  void act(cycle_t now);
  void change(const switch_event& event);
  void schedule_detections(const switch_event& event);
  void take(const step& what);
  void detect(const step& what);
  std::vector<std::uint32_t> order_of(const learnt_topology& topology) const;
  void compute(switch_id at, step_kind kind);
  void use_table(switch_id at, const reconfiguration_key& key);
  void install_escape(switch_id at, installation& what);
  void order_next(switch_id root);
  bool is_newest(const reconfiguration_key& key) const;
  void installed(switch_id at, installation& what);
  void watch();

  std::uint32_t flits_of(const control_message& message) const;
  installation* find(const reconfiguration_key& key);
  const surviving_routes& routes_for(const installation& what);
  bool is_off(node_id node) const { return !enabled(graph().switch_of(host_id{index(node)})); }

  reconfiguration_config how_;
  control_plane plane_;
  event_queue<step> steps_;
  std::uint64_t next_event_ = 0;
  cycle_t watch_at_ = never;
  cycle_t watch_until_ = 0;
  std::vector<std::uint32_t> lives_;   ///< by switch: how often it went off or on
  std::vector<std::uint8_t> settled_;  ///< by switch
  bool reconfiguring_ = false;
  link_directions ups_;              ///< that a root found last
  std::vector<std::uint8_t> known_;  ///< by switch: whether it was a member then
  std::vector<installation> installations_;
  waiting_heads waiting_;
  reconfiguration_statistics measured_;

  // Computed from the rest.
  discard_cause cause_ = discard_cause::failed;
  reconfiguration_key routes_key_;
  std::unique_ptr<const surviving_routes> routes_;
};

}  // namespace tributary
