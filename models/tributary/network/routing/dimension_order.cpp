// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/dimension_order.h>

#include <cstddef>
#include <optional>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// A step along a ring or a row, and the virtual channel it takes.
struct grid_step {
  std::uint32_t next;  ///< coordinate
  std::uint8_t virtual_channel;
};

grid_step step_along(std::uint32_t from, std::uint32_t to, std::uint32_t size, bool wraps) {
  if (!wraps || size <= 2) return {to > from ? from + 1 : from - 1, 0};
  const std::uint32_t up = (to + size - from) % size;
  if (2 * up <= size) {
    return {(from + 1) % size, static_cast<std::uint8_t>(to < from ? 0 : 1)};
  }
  return {(from + size - 1) % size, static_cast<std::uint8_t>(to > from ? 0 : 1)};
}

void add_hops(const network_graph& graph, switch_id at, switch_id next,
              std::uint8_t virtual_channel, std::vector<route_hop>& hops) {
  for (const neighbour_link& each : graph.neighbours(at)) {
    if (each.to == next) hops.push_back({static_cast<std::uint8_t>(each.port), virtual_channel});
  }
}

void require_grid(const network_graph& graph, const grid_config& config) {
  std::uint64_t switches = 1;
  for (const std::uint32_t each : config.sizes) switches *= each;
  if (switches == graph.switches()) return;
  throw configuration_error(configuration_problem{
      "network.routing", "",
      "a grid of " + std::to_string(switches) + " switches does not fit the network of " +
          std::to_string(graph.switches()),
      "the grid that the network was made from", "use the same configuration for both"});
}

}  // namespace

routing_table grid_table(const network_graph& graph, const grid_config& config,
                         std::uint32_t virtual_channels, deadlock_check check) {
  require_grid(graph, config);
  routing_rules rules;
  rules.name = "dimension order";
  rules.virtual_channels = virtual_channels;
  rules.ways_on = [&](switch_id at, std::uint32_t, switch_id to, std::vector<route_hop>& hops) {
    const grid_place from(config, at);
    const grid_place wanted(config, to);
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < config.sizes.size(); stride *= config.sizes[d++]) {
      if (from[d] == wanted[d]) continue;
      const grid_step step = step_along(from[d], wanted[d], config.sizes[d], config.wraps);
      const switch_id next{index(at) - from[d] * stride + step.next * stride};
      const bool one = virtual_channels == 1;
      return add_hops(graph, at, next, one ? std::uint8_t{0} : step.virtual_channel, hops);
    }
  };
  return {graph, rules, check};
}

namespace {

/// The dimension in which two neighbours of a grid differ.
std::uint32_t dimension_between(const grid_config& config, switch_id one, switch_id other) {
  const grid_place from(config, one);
  const grid_place to(config, other);
  std::uint32_t d = 0;
  while (from[d] == to[d]) ++d;
  return d;
}

}  // namespace

routing_table ring_class_table(const network_graph& graph, const grid_config& config) {
  require_grid(graph, config);
  routing_rules rules;
  rules.name = "dimension order by ring classes";
  rules.virtual_channels = 2;
  // Phase 1 + d: number 1 along dimension d.
  rules.phases = 1 + static_cast<std::uint32_t>(config.sizes.size());
  rules.phase_after = [&](virtual_channel_id by) {
    if (by.number == 0) return 0U;
    return 1 + dimension_between(config, graph.source(by.channel).at, graph.target(by.channel).at);
  };
  rules.ways_on = [&](switch_id at, std::uint32_t phase, switch_id to,
                      std::vector<route_hop>& hops) {
    const grid_place from(config, at);
    const grid_place wanted(config, to);
    std::uint32_t stride = 1;
    std::uint32_t d = 0;
    for (; from[d] == wanted[d]; ++d) stride *= config.sizes[d];
    const std::uint32_t size = config.sizes[d];
    const std::uint32_t up = (wanted[d] + size - from[d]) % size;
    const auto add = [&](bool upwards) {
      const bool crosses = upwards ? from[d] > wanted[d] : from[d] < wanted[d];
      const std::uint32_t next = (from[d] + (upwards ? 1 : size - 1)) % size;
      const bool second = phase == 1 + d || crosses;
      add_hops(graph, at, switch_id{index(at) - from[d] * stride + next * stride},
               second ? std::uint8_t{1} : std::uint8_t{0}, hops);
    };
    if (2 * up <= size) add(true);
    if (2 * up >= size) add(false);
  };
  return {graph, rules};
}

routing_table hypercube_table(const network_graph& graph) {
  routing_rules rules;
  rules.name = "dimension order";
  rules.ways_on = [&](switch_id at, std::uint32_t, switch_id to, std::vector<route_hop>& hops) {
    const std::uint32_t different = index(at) ^ index(to);
    add_hops(graph, at, switch_id{index(at) ^ (different & (0U - different))}, 0, hops);
  };
  return {graph, rules};
}

}  // namespace tributary
