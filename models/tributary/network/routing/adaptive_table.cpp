// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/adaptive_table.h>

#include <utility>

#include <tributary/network/graph/distances.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_escape(const routing_table& escape, switch_id at, switch_id to) {
  const network_graph& graph = escape.graph();
  throw configuration_error(configuration_problem{
      "network.routing", "",
      escape.name() + ": a message that escapes at switch " + graph.switch_name(at) +
          " has no way on to switch " + graph.switch_name(to),
      "an escape from every switch", "use up*/down* routing, or dimension order, as the escape"});
}

/// Follows the first ways of the escape; a table without cycles arrives, or ends early.
void require_escape(const routing_table& escape, switch_id from, switch_id to) {
  const network_graph& graph = escape.graph();
  const std::size_t most = std::size_t{graph.channels()} * escape.virtual_channels();
  std::uint32_t phase = 0;
  std::size_t length = 0;
  for (switch_id at = from; at != to;) {
    const route_set ways = escape.ways_on(at, phase, to);
    if (ways.empty() || length++ > most) refuse_escape(escape, from, to);
    const std::uint32_t channel = graph.channel_from({at, ways[0].port});
    phase = escape.phase_after({channel, ways[0].virtual_channel});
    at = graph.target(channel).at;
  }
}

}  // namespace

adaptive_table::adaptive_table(routing_table escape) : escape_(std::move(escape)) {
  const distance_table distance(graph());
  ports_.resize(std::size_t{graph().switches()} * graph().switches());
  for (std::uint32_t s = 0; s < graph().switches(); ++s) {
    for (std::uint32_t d = 0; d < graph().switches(); ++d) {
      if (s == d) continue;
      const switch_id at{s};
      const switch_id to{d};
      if (graph().hosts_at(to) != 0) require_escape(escape_, at, to);
      for (const neighbour_link& each : graph().neighbours(at)) {
        if (distance(each.to, to) >= distance(at, to)) continue;
        ports_[std::size_t{s} * graph().switches() + d].push_back(
            static_cast<std::uint8_t>(each.port));
      }
    }
  }
}

}  // namespace tributary
