// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/source_routes.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

random_stream draws_of(std::uint64_t seed, std::uint32_t element) {
  return {seed, element, static_cast<std::uint32_t>(purpose::routes)};
}

const route_hop& drawn(const route_set& ways, random_stream& draws) {
  return ways[ways.size() == 1 ? 0 : draws.below(ways.size())];
}

}  // namespace

source_routes::source_routes(const routing_table& table, std::optional<std::uint64_t> seed)
    : graph_(&table.graph()) {
  const std::uint32_t switches = graph_->switches();
  begins_.reserve(std::size_t{switches} * switches + 1);
  for (std::uint32_t from = 0; from < switches; ++from) {
    for (std::uint32_t to = 0; to < switches; ++to) {
      const bool has_hosts =
          graph_->hosts_at(switch_id{from}) != 0 && graph_->hosts_at(switch_id{to}) != 0;
      if (has_hosts) add_route(table, switch_id{from}, switch_id{to}, seed);
      begins_.push_back(static_cast<std::uint32_t>(hops_.size()));
    }
  }
}

void source_routes::add_route(const routing_table& table, switch_id from, switch_id to,
                              std::optional<std::uint64_t> seed) {
  random_stream draws = draws_of(seed.value_or(0), index(from) * graph_->switches() + index(to));
  const std::size_t most = std::size_t{graph_->channels()} * table.virtual_channels();
  std::uint32_t phase = 0;
  std::size_t length = 0;
  for (switch_id at = from; at != to;) {
    // A table whose cycles were not checked may never arrive.
    if (length++ > most) {
      throw configuration_error(configuration_problem{
          "network.routing", "",
          table.name() + ": a route from switch " + graph_->switch_name(from) + " to switch " +
              graph_->switch_name(to) + " does not arrive",
          "", "have the table checked for cycles"});
    }
    const route_set ways = table.ways_on(at, phase, to);
    hops_.push_back(seed ? drawn(ways, draws) : ways[0]);
    const std::uint32_t channel = graph_->channel_from({at, hops_.back().port});
    phase = table.phase_after({channel, hops_.back().virtual_channel});
    at = graph_->target(channel).at;
  }
}

std::vector<std::uint32_t> source_routes::routes_over_channels() const {
  std::vector<std::uint32_t> over(graph_->channels());
  for (std::uint32_t from = 0; from < graph_->switches(); ++from) {
    for (std::uint32_t to = 0; to < graph_->switches(); ++to) {
      switch_id at{from};
      for (const route_hop& each : route(switch_id{from}, switch_id{to})) {
        const std::uint32_t channel = graph_->channel_from({at, each.port});
        ++over[channel];
        at = graph_->target(channel).at;
      }
    }
  }
  return over;
}

routing_table deterministic_table(const routing_table& table, std::uint64_t seed) {
  routing_rules rules;
  rules.name = table.name() + ", one way";
  rules.virtual_channels = table.virtual_channels();
  rules.phases = table.phases();
  rules.phase_after = [&](virtual_channel_id by) { return table.phase_after(by); };
  const std::uint32_t switches = table.graph().switches();
  rules.ways_on = [&](switch_id at, std::uint32_t phase, switch_id to,
                      std::vector<route_hop>& hops) {
    const route_set ways = table.ways_on(at, phase, to);
    if (ways.empty()) return;
    random_stream draws =
        draws_of(seed, (index(at) * table.phases() + phase) * switches + index(to));
    hops.push_back(drawn(ways, draws));
  };
  return {table.graph(), rules};
}

}  // namespace tributary
