// SPDX-License-Identifier: Apache-2.0
// What switches tell each other of while they reconfigure a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The kinds of control messages, in the order of their use.
enum class control_kind : std::uint8_t {
  propagation,     ///< floods the network from the initiator
  collection,      ///< what is below a switch, to the switch above
  distribution,    ///< the whole topology, down the tree
  completion,      ///< all switches from there down have their tables, up the tree
  opening,         ///< all switches have, down the tree
  installation,    ///< a switch takes its new escape table
  acknowledgement  ///< it has
};

/// How many there are.
inline constexpr std::size_t control_kinds = 7;
/// The name of a kind, for statistics.
const char* name_of(control_kind kind);

/// Which reconfiguration: of two that meet, the later wins, and of equals the one whose initiator
/// has the lower number.
struct reconfiguration_key {
  std::uint32_t number = 0;  ///< 0: none
  std::uint32_t initiator = 0;

  /// Whether a switch leaves the other for it.
  bool beats(const reconfiguration_key& other) const {
    return number != other.number ? number > other.number : initiator < other.initiator;
  }
  bool operator==(const reconfiguration_key& other) const {
    return number == other.number && initiator == other.initiator;
  }
  bool operator!=(const reconfiguration_key& other) const { return !(*this == other); }
  TRIBUTARY_STATE(number, initiator);
};

/// A switch that takes part in a reconfiguration.
struct tree_member {
  std::uint32_t at = 0;     ///< the switch
  std::uint32_t level = 0;  ///< links from the initiator, along the tree

  bool operator==(const tree_member& other) const { return at == other.at && level == other.level; }
  TRIBUTARY_STATE(at, level);
};

/// Switches and links that work, as the root of the tree learnt of them.
struct learnt_topology {
  std::vector<tree_member> members;
  std::vector<std::uint32_t> links;  ///< of the graph

  TRIBUTARY_STATE(members, links);
};

/// A message between neighbours.
struct control_message {
  control_kind kind = control_kind::propagation;
  reconfiguration_key key;
  std::uint32_t level = 0;    ///< of a propagation: that of its sender
  std::uint32_t target = 0;   ///< of an installation and its acknowledgement: the switch
  std::uint32_t records = 0;  ///< links that it tells of
  learnt_topology below;      ///< of a collection

  TRIBUTARY_STATE(kind, key, level, target, records, below);
};

}  // namespace tributary
