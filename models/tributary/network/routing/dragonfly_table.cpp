// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/dragonfly_table.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Ways in a dragonfly, by its groups.
class group_ways {
 public:
  group_ways(const network_graph& graph, std::uint32_t group_size)
      : graph_(graph), size_(group_size) {}

  void add(switch_id at, std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) const {
    const std::uint32_t wanted = group_of(to);
    if (wanted == group_of(at)) {
      return add_if(at, hops, static_cast<std::uint8_t>(phase),
                    [&](switch_id next) { return next == to; });
    }
    // Messages that have left their group do not leave another.
    if (phase != 0) return;
    if (leads_to(at, wanted)) {
      return add_if(at, hops, 1, [&](switch_id next) { return group_of(next) == wanted; });
    }
    add_if(at, hops, 0, [&](switch_id next) {
      return group_of(next) == group_of(at) && leads_to(next, wanted);
    });
  }

 private:
  std::uint32_t group_of(switch_id at) const { return index(at) / size_; }
  bool leads_to(switch_id at, std::uint32_t group) const {
    const std::vector<neighbour_link>& all = graph_.neighbours(at);
    return std::any_of(all.begin(), all.end(),
                       [&](const neighbour_link& each) { return group_of(each.to) == group; });
  }
  template <class Wanted>
  void add_if(switch_id at, std::vector<route_hop>& hops, std::uint8_t channel,
              const Wanted& wanted) const {
    for (const neighbour_link& each : graph_.neighbours(at)) {
      if (wanted(each.to)) hops.push_back({static_cast<std::uint8_t>(each.port), channel});
    }
  }

  const network_graph& graph_;
  std::uint32_t size_;
};

}  // namespace

routing_table dragonfly_table(const network_graph& graph, const dragonfly_config& config) {
  if (config.groups * config.switches_per_group != graph.switches()) {
    throw configuration_error(configuration_problem{
        "network.routing", "",
        "a dragonfly of " + std::to_string(config.groups * config.switches_per_group) +
            " switches does not fit the network of " + std::to_string(graph.switches()),
        "the dragonfly that the network was made from", "use the same configuration for both"});
  }
  const group_ways ways(graph, config.switches_per_group);
  routing_rules rules;
  rules.name = "minimal routing of a dragonfly";
  rules.virtual_channels = 2;
  rules.phases = 2;
  rules.phase_after = [](virtual_channel_id by) { return by.number; };
  rules.ways_on = [&](switch_id at, std::uint32_t phase, switch_id to,
                      std::vector<route_hop>& hops) { ways.add(at, phase, to, hops); };
  return {graph, rules};
}

}  // namespace tributary
