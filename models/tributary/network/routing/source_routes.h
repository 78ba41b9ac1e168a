// SPDX-License-Identifier: Apache-2.0
// One route for each two switches, chosen among those that a table allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// Routes for switches that a message carries its way to (source routing), between all ordered
/// pairs of switches that have hosts. Where a table has several ways on, one is drawn, each with
/// equal chance; a pair's draws depend on seed and pair alone. Without a seed the first is taken.
/// The table's graph must outlive it.
class source_routes {
 public:
  source_routes(const routing_table& table, std::optional<std::uint64_t> seed);

  /// The hops from switch to switch; empty for a switch and itself, or one without hosts.
  route_set route(switch_id from, switch_id to) const {
    const std::size_t pair = std::size_t{index(from)} * graph_->switches() + index(to);
    return {hops_.data() + begins_[pair], hops_.data() + begins_[pair + 1]};
  }
  /// Routes over each channel of the graph.
  std::vector<std::uint32_t> routes_over_channels() const;

 private:
  void add_route(const routing_table& table, switch_id from, switch_id to,
                 std::optional<std::uint64_t> seed);

  const network_graph* graph_;
  std::vector<std::uint32_t> begins_{0};
  std::vector<route_hop> hops_;
};

/// A table with one way on where `table` has several: each is drawn, with equal chance, by seed,
/// switch, phase and destination. Throws as `routing_table`.
routing_table deterministic_table(const routing_table& table, std::uint64_t seed);

}  // namespace tributary
