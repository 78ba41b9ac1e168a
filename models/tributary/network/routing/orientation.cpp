// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/orientation.h>

#include <algorithm>
#include <cstddef>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::uint32_t no_link = ~0U;

/// A message of the flood that POST's levels come from.
struct flood_message {
  std::uint64_t arrival;  ///< in steps
  std::uint64_t order;    ///< of sending: decides between arrivals at the same step
  std::uint32_t level;    ///< that the receiver gets
  std::uint32_t receiver;
  std::uint32_t link;

  bool operator>(const flood_message& other) const {
    return std::tie(arrival, order) > std::tie(other.arrival, other.order);
  }
};

}  // namespace

orientation::orientation(const network_graph& graph, std::vector<bool> second_is_up)
    : graph_(&graph), second_is_up_(std::move(second_is_up)) {
  if (second_is_up_.size() == graph.links()) return;
  throw error("an orientation has " + std::to_string(second_is_up_.size()) +
              " up ends, but the network " + std::to_string(graph.links()) +
              " links; give an up end for each link");
}

std::uint32_t orientation::roots() const {
  std::uint32_t found = 0;
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    const auto& ways = graph_->neighbours(switch_id{s});
    const bool has_up = std::any_of(ways.begin(), ways.end(), [&](const neighbour_link& each) {
      return goes_up(each.channel);
    });
    if (!has_up) ++found;
  }
  return found;
}

// Removes switches that no remaining link leads up to, until none is left or all have one.
bool orientation::is_acyclic() const {
  std::vector<std::uint32_t> links_below(graph_->switches());
  for (std::uint32_t c = 0; c < graph_->channels(); ++c) {
    if (goes_up(c)) ++links_below[index(graph_->target(c).at)];
  }
  std::vector<std::uint32_t> removed;
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    if (links_below[s] == 0) removed.push_back(s);
  }
  for (std::size_t next = 0; next < removed.size(); ++next) {
    for (const neighbour_link& each : graph_->neighbours(switch_id{removed[next]})) {
      if (!goes_up(each.channel)) continue;
      if (--links_below[index(each.to)] == 0) removed.push_back(index(each.to));
    }
  }
  return removed.size() == graph_->switches();
}

bool orientation::is_correct() const { return roots() == 1 && is_acyclic(); }

orientation orientation_by_level(const network_graph& graph,
                                 const std::vector<std::uint32_t>& levels) {
  std::vector<bool> second_is_up;
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    const auto key = [&](const switch_port& end) {
      return std::pair{levels.at(index(end.at)), index(end.at)};
    };
    second_is_up.push_back(key(graph.link(l).second) < key(graph.link(l).first));
  }
  return {graph, std::move(second_is_up)};
}

orientation orientation_from_root(const network_graph& graph, switch_id root) {
  const distance_table distance(graph);
  std::vector<std::uint32_t> levels;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    levels.push_back(distance(root, switch_id{s}));
  }
  return orientation_by_level(graph, levels);
}

orientation bfs_orientation(const network_graph& graph) {
  return orientation_from_root(graph, distance_table(graph).centre());
}

orientation mdst_orientation(const network_graph& graph) {
  return orientation_from_root(graph, switch_id{0});
}

orientation post_orientation(const network_graph& graph, switch_id initiator) {
  constexpr std::uint32_t unheard = ~0U;
  std::vector<std::uint32_t> levels(graph.switches(), unheard);
  std::priority_queue<flood_message, std::vector<flood_message>, std::greater<>> sent;
  std::uint64_t order = 0;
  sent.push({0, order, 0, index(initiator), no_link});
  while (!sent.empty()) {
    const flood_message heard = sent.top();
    sent.pop();
    if (levels[heard.receiver] != unheard) continue;
    levels[heard.receiver] = heard.level;
    std::uint64_t arrival = heard.arrival;
    for (const neighbour_link& each : graph.neighbours(switch_id{heard.receiver})) {
      if (each.channel / 2 == heard.link) continue;
      sent.push({++arrival, ++order, heard.level + 1, index(each.to), each.channel / 2});
    }
  }
  return orientation_by_level(graph, levels);
}

}  // namespace tributary
