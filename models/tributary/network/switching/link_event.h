// SPDX-License-Identifier: Apache-2.0
// What tells of the messages on the links of a network.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/port.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>

namespace tributary {

/// Which kind of link.
enum class link_kind : std::uint8_t {
  injection,  ///< from a node to its router
  hop,        ///< between routers
  ejection    ///< from a router to its node
};

/// A message crosses a link.
struct link_event {
  cycle_t cycle = 0;  ///< its head leaves
  cycle_t last = 0;   ///< the link is busy before
  link_kind kind = link_kind::injection;
  node_id from{};  ///< node or router, by kind
  node_id to{};
  /// Of the link: those from nodes by node, those to nodes by node, then those between routers by
  /// router and neighbour.
  std::uint32_t number = 0;
  network_transfer transfer;
};

/// The links of a network, and who is told of each message on each of them: once its times are
/// known, which may be later or earlier than they are.
struct network_links {
  std::uint32_t nodes = 0;                 ///< each with a link to its router, and one back
  std::vector<std::uint32_t> of_router{};  ///< to other routers, by router
  observer_list<link_event> observers{};
};

}  // namespace tributary
