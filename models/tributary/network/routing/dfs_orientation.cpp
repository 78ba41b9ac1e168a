// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/dfs_orientation.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <tributary/network/routing/up_down_routes.h>

namespace tributary {
namespace {

/// The tree of a depth-first search, children in the order of visits.
class search_tree {
 public:
  search_tree(const network_graph& graph, const distance_table& distance, switch_id start)
      : children_(graph.switches()) {
    std::vector<bool> visited(graph.switches());
    std::vector<std::uint32_t> branch{index(start)};
    visited[index(start)] = true;
    while (!branch.empty()) {
      const auto next = farthest(graph, distance, branch.back(), visited);
      if (!next) {
        if (main_branch_.empty()) main_branch_ = branch;
        branch.pop_back();
        continue;
      }
      visited[*next] = true;
      children_[branch.back()].push_back(*next);
      branch.push_back(*next);
    }
  }

  /// Labels as `dfs_labels` describes them.
  std::vector<std::uint32_t> labels() const {
    std::vector<std::uint32_t> labels(children_.size());
    std::uint32_t next = 0;
    for (std::size_t place = 0; place < main_branch_.size(); ++place) {
      const std::uint32_t on_main = main_branch_[place];
      // The first child is the main branch's next switch; secondary branches follow.
      for (std::size_t c = 1; c < children_[on_main].size(); ++c) {
        label_below(children_[on_main][c], labels, next);
      }
      labels[on_main] = next++;
    }
    return labels;
  }

 private:
  static std::optional<std::uint32_t> farthest(const network_graph& graph,
                                               const distance_table& distance, std::uint32_t at,
                                               const std::vector<bool>& visited) {
    std::optional<std::uint32_t> found;
    for (const neighbour_link& each : graph.neighbours(switch_id{at})) {
      const std::uint32_t to = index(each.to);
      if (visited[to]) continue;
      const double farther =
          found ? distance.average_from(each.to) - distance.average_from(switch_id{*found}) : 1;
      if (farther > 0 || (farther == 0 && to < *found)) found = to;
    }
    return found;
  }

  // In postorder, by a stack of switches and how many of their children are done.
  void label_below(std::uint32_t top, std::vector<std::uint32_t>& labels,
                   std::uint32_t& next) const {
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{top, 0}};
    while (!open.empty()) {
      auto& [at, done] = open.back();
      if (done < children_[at].size()) {
        const std::uint32_t child = children_[at][done++];
        open.emplace_back(child, 0);
      } else {
        labels[at] = next++;
        open.pop_back();
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> main_branch_;
};

}  // namespace

std::vector<std::uint32_t> dfs_labels(const network_graph& graph, const distance_table& distance,
                                      switch_id start) {
  return search_tree(graph, distance, start).labels();
}

orientation orientation_by_label(const network_graph& graph,
                                 const std::vector<std::uint32_t>& labels) {
  std::vector<bool> second_is_up;
  for (std::uint32_t l = 0; l < graph.links(); ++l) {
    const auto label = [&](const switch_port& end) { return labels.at(index(end.at)); };
    second_is_up.push_back(label(graph.link(l).second) > label(graph.link(l).first));
  }
  return {graph, std::move(second_is_up)};
}

orientation dfs_orientation(const network_graph& graph) {
  const distance_table distance(graph);
  std::optional<orientation> best;
  std::uint64_t least = 0;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    orientation made = orientation_by_label(graph, dfs_labels(graph, distance, switch_id{s}));
    const std::uint64_t sum = total_distance(made);
    if (best && sum >= least) continue;
    least = sum;
    best = std::move(made);
  }
  return *best;
}

}  // namespace tributary
