// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/adaptive_table.h>

#include <cstddef>
#include <utility>

#include <tributary/network/graph/distances.h>
#include <tributary/network/routing/channel_dependencies.h>

namespace tributary {
adaptive_table::adaptive_table(routing_table escape) : escape_(std::move(escape)) {
  // Its own check knows only messages that begin at hosts.
  channel_dependencies(escape_, route_starts::all).require_acyclic();
  const distance_table distance(graph());
  ports_.resize(std::size_t{graph().switches()} * graph().switches());
  for (std::uint32_t s = 0; s < graph().switches(); ++s) {
    for (std::uint32_t d = 0; d < graph().switches(); ++d) {
      if (s == d) continue;
      const switch_id at{s};
      const switch_id to{d};
      for (const neighbour_link& each : graph().neighbours(at)) {
        if (distance(each.to, to) >= distance(at, to)) continue;
        ports_[std::size_t{s} * graph().switches() + d].push_back(
            static_cast<std::uint8_t>(each.port));
      }
    }
  }
}

}  // namespace tributary
