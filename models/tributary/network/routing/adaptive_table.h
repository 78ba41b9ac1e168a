// SPDX-License-Identifier: Apache-2.0
// Minimal adaptive routing with an escape.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// What a switch of several virtual channels chooses from: any way that brings a message nearer, on
/// an adaptive channel; if none is free, a way of the escape table, on the channels of that table.
/// Where it escapes, a message begins in phase 0 of the escape table.
/// Only the escape is free of cycles. So switches must buffer whole packets, or else a message that
/// has escaped stays on the escape channels.
/// Source: Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE
/// Trans. Parallel and Distributed Systems 4(12), 1993; Bermudez et al., CANPC 2000, for the
/// choice.
class adaptive_table {
 public:
  /// A message may be anywhere when it escapes. So all ways of the escape table from all switches,
  /// in phase 0, to switches with hosts are followed. Throws `configuration_error` if one of them
  /// comes to a switch without a way on, or if channels wait for each other in a circle.
  explicit adaptive_table(routing_table escape);

  const network_graph& graph() const { return escape_.graph(); }
  const routing_table& escape() const { return escape_; }
  /// Output ports by which another switch gets nearer, ascending.
  const std::vector<std::uint8_t>& minimal_ports(switch_id at, switch_id to) const {
    return ports_[std::size_t{index(at)} * graph().switches() + index(to)];
  }

 private:
  routing_table escape_;
  std::vector<std::vector<std::uint8_t>> ports_;
};

}  // namespace tributary
