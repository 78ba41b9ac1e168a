// SPDX-License-Identifier: Apache-2.0
// How switches find out what is left of their network, and tell each other.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/reconfiguration/control_message.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Who sends the messages of a control plane, and changes tables.
class control_plane_client {
 public:
  /// A message leaves by a port.
  virtual void send_message(switch_port by, const control_message& message) = 0;
  /// A switch takes part in a reconfiguration from here on, and in no other.
  virtual void joined(switch_id at) = 0;
  /// The root of the tree knows all switches and links.
  virtual void learnt(switch_id root, const learnt_topology& topology) = 0;
  /// A switch knows them, too.
  virtual void told(switch_id at) = 0;
  /// All switches have their tables, and this one knows.
  virtual void opened(switch_id at) = 0;
  /// A switch is to install its escape table.
  virtual void ordered(switch_id at) = 0;
  /// The root knows that a switch has installed it.
  virtual void acknowledged(switch_id root, switch_id which) = 0;

 protected:
  control_plane_client() = default;
  control_plane_client(const control_plane_client&) = default;
  control_plane_client& operator=(const control_plane_client&) = default;
  ~control_plane_client() = default;
};

/// The parts of all switches in reconfigurations: messages without times and tables.
///
/// An initiator floods the network (propagation). A switch joins below the neighbour from which it
/// hears first, and floods on. A neighbour that joined elsewhere answers by its own propagation.
/// Once all neighbours have answered, a switch reports what is below it (collection); what comes to
/// the root is the whole topology. It goes down the same tree (distribution).
/// Source: the three phases are those of Autonet's reconfiguration, as Bermudez et al., "Extending
/// dynamic reconfiguration to NOWs with adaptive routing", CANPC 2000, tell of it (P6).
class control_plane {
 public:
  /// References must outlive it. No switch sees a neighbour.
  control_plane(const network_graph& graph, control_plane_client& client);

  /// From here on a switch sees that there is a switch at the other end of a port, or is none.
  void see(switch_port by, bool works) { participants_[index(by.at)].sees[by.port] = works; }
  bool sees(switch_port by) const { return participants_[index(by.at)].sees[by.port] != 0; }
  /// The switch knows nothing, and sees nobody.
  void forget(switch_id at);

  /// A switch noticed a change, and begins a reconfiguration of which it is the root.
  void begin(switch_id at);
  /// A message came by a port.
  void receive(switch_port by, const control_message& message);
  /// The root, which has learnt the topology, tells of it.
  void distribute(switch_id root, std::uint32_t links);
  /// A switch has its table. The root, once all have, tells of it (opening).
  void complete(switch_id at);
  /// The root orders a switch below it to install its table.
  void order(switch_id root, switch_id which, std::uint32_t links);
  /// A switch that was ordered to has done so.
  void acknowledge(switch_id at);

  const reconfiguration_key& key(switch_id at) const { return participants_[index(at)].key; }
  bool is_root(switch_id at) const { return key(at).initiator == index(at); }

  TRIBUTARY_STATE(participants_);

 private:
  static constexpr std::uint32_t no_port = 0xffffffff;

  struct participant {
    reconfiguration_key key;
    std::uint32_t parent = no_port;
    std::uint32_t level = 0;
    std::uint32_t unanswered = 0;
    std::uint32_t completed = 0;     ///< children whose switches have their tables, and itself
    std::vector<std::uint8_t> sees;  ///< by port
    std::vector<std::vector<std::uint32_t>> below;  ///< by port: switches there; empty: no child
    learnt_topology known;                          ///< of itself and what is below

    TRIBUTARY_STATE(key, parent, level, unanswered, completed, sees, below, known);
  };

  void join(switch_id at, const reconfiguration_key& key, std::uint32_t parent,
            std::uint32_t level);
  void collect(switch_port by, const learnt_topology& below);
  void answered(switch_id at);
  template <class Visit>
  void for_each_child(switch_id at, Visit&& visit) const;
  void open(switch_id at);
  void pass_order(switch_id at, const control_message& message);
  void pass_acknowledgement(switch_id at, const control_message& message);

  const network_graph& graph_;
  control_plane_client& client_;
  std::vector<participant> participants_;
};

}  // namespace tributary
