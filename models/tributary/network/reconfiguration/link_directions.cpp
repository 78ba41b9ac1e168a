// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/link_directions.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tributary {
namespace {

/// The links of each switch, among those that work.
class working_links {
 public:
  working_links(const network_graph& graph, const learnt_topology& topology)
      : graph_(graph), works_(graph.links()) {
    for (const std::uint32_t link : topology.links) works_[link] = true;
  }

  template <class Visit>
  void for_each(std::uint32_t at, Visit&& visit) const {
    for (const neighbour_link& each : graph_.neighbours(switch_id{at})) {
      if (works_[each.channel / 2]) visit(each);
    }
  }
  bool has_up(std::uint32_t at, const link_directions& ups) const {
    bool found = false;
    for_each(at, [&](const neighbour_link& each) {
      // An even channel leads to the second end.
      found = found || (ups[each.channel / 2] != 0) == (each.channel % 2 == 0);
    });
    return found;
  }
  /// Each neighbour is up from there.
  void turn_all(std::uint32_t at, link_directions& ups) const {
    for_each(at, [&](const neighbour_link& each) {
      ups[each.channel / 2] = each.channel % 2 == 0 ? 1 : 0;
    });
  }

 private:
  const network_graph& graph_;
  std::vector<bool> works_;
};

link_directions turned_towards(std::uint32_t root, const working_links& links,
                               const learnt_topology& topology, link_directions ups) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const tree_member& each : topology.members) {
      if (each.at == root || links.has_up(each.at, ups)) continue;
      links.turn_all(each.at, ups);
      changed = true;
    }
  }
  return ups;
}

std::size_t changes(const link_directions& a, const link_directions& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace

link_directions directions_by_level(const network_graph& graph, const learnt_topology& topology) {
  std::vector<std::uint32_t> levels(graph.switches());
  for (const tree_member& each : topology.members) levels[each.at] = each.level;
  const auto key = [&](switch_id at) { return std::pair{levels[index(at)], index(at)}; };
  link_directions ups(graph.links());
  for (const std::uint32_t link : topology.links) {
    ups[link] = key(graph.link(link).second.at) < key(graph.link(link).first.at) ? 1 : 0;
  }
  return ups;
}

link_directions directions_from_lowest(const network_graph& graph,
                                       const learnt_topology& topology) {
  const working_links links(graph, topology);
  const auto lowest =
      std::min_element(topology.members.begin(), topology.members.end(),
                       [](const tree_member& a, const tree_member& b) { return a.at < b.at; });
  learnt_topology with_distances{{{lowest->at, 0}}, topology.links};
  std::vector<bool> reached(graph.switches());
  reached[lowest->at] = true;
  std::vector<tree_member>& found = with_distances.members;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const tree_member here = found[next];
    links.for_each(here.at, [&](const neighbour_link& each) {
      if (reached[index(each.to)]) return;
      reached[index(each.to)] = true;
      found.push_back({index(each.to), here.level + 1});
    });
  }
  return directions_by_level(graph, with_distances);
}

link_directions kept_directions(const network_graph& graph, const learnt_topology& topology,
                                const link_directions& before,
                                const std::vector<std::uint8_t>& known) {
  link_directions ups = before;
  for (const std::uint32_t link : topology.links) {
    const std::uint32_t first = index(graph.link(link).first.at);
    const std::uint32_t second = index(graph.link(link).second.at);
    if (known[first] != 0 && known[second] != 0) continue;
    const bool second_is_up = known[first] != known[second] ? known[second] != 0 : second < first;
    ups[link] = second_is_up ? 1 : 0;
  }
  const working_links links(graph, topology);
  std::vector<std::uint32_t> roots;
  for (const tree_member& each : topology.members) {
    if (!links.has_up(each.at, ups)) roots.push_back(each.at);
  }
  std::sort(roots.begin(), roots.end());
  link_directions best;
  for (const std::uint32_t root : roots) {
    link_directions turned = turned_towards(root, links, topology, ups);
    if (best.empty() || changes(turned, ups) < changes(best, ups)) best = std::move(turned);
  }
  return best;
}

}  // namespace tributary
