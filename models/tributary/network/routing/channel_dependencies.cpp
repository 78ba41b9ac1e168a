// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/channel_dependencies.h>

#include <algorithm>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_dead_end(const routing_table& table, route_starts starts, switch_id at,
                                  switch_id to, const std::string& by) {
  const network_graph& graph = table.graph();
  const bool escapes = starts == route_starts::all;
  throw configuration_error(configuration_problem{
      "network.routing", "",
      table.name() + (escapes ? ", as an escape" : "") + ": switch " + graph.switch_name(at) +
          " has no way on to switch " + graph.switch_name(to) + by,
      escapes ? "a route from every switch to all switches with hosts"
              : "a route between all switches with hosts",
      escapes ? "use up*/down* routing, or dimension order, as the escape"
              : "add the missing entry to the table"});
}

/// A depth-first search for a cycle; each vertex is new, on the current way, or done.
class cycle_search {
 public:
  explicit cycle_search(const std::vector<std::vector<std::uint32_t>>& next)
      : next_(next), states_(next.size()) {}

  std::vector<std::uint32_t> find() {
    for (std::uint32_t v = 0; v < next_.size(); ++v) {
      if (states_[v] == state::fresh && search_from(v)) return way_;
    }
    return {};
  }

 private:
  enum class state : std::uint8_t { fresh, on_way, done };

  // Leaves the cycle in `way_` if there is one.
  bool search_from(std::uint32_t start) {
    std::vector<std::size_t> taken{0};
    way_.assign(1, start);
    states_[start] = state::on_way;
    while (!way_.empty()) {
      const std::uint32_t at = way_.back();
      if (taken.back() == next_[at].size()) {
        states_[at] = state::done;
        way_.pop_back();
        taken.pop_back();
        continue;
      }
      const std::uint32_t to = next_[at][taken.back()++];
      if (states_[to] == state::on_way) {
        way_.erase(way_.begin(), std::find(way_.begin(), way_.end(), to));
        return true;
      }
      if (states_[to] == state::done) continue;
      states_[to] = state::on_way;
      way_.push_back(to);
      taken.push_back(0);
    }
    return false;
  }

  const std::vector<std::vector<std::uint32_t>>& next_;
  std::vector<state> states_;
  std::vector<std::uint32_t> way_;
};

}  // namespace

channel_dependencies::channel_dependencies(const routing_table& table, route_starts starts)
    : graph_(&table.graph()),
      name_(table.name()),
      virtual_channels_(table.virtual_channels()),
      starts_(starts),
      next_(std::size_t{graph_->channels()} * virtual_channels_),
      marks_(next_.size()) {
  std::vector<vertex_t> reached;
  for (std::uint32_t to = 0; to < graph_->switches(); ++to) {
    if (graph_->hosts_at(switch_id{to}) != 0) follow_to(table, switch_id{to}, reached);
  }
}

void channel_dependencies::follow_to(const routing_table& table, switch_id to,
                                     std::vector<vertex_t>& reached) {
  const std::uint32_t mark = index(to) + 1;
  const auto vertex_of = [&](switch_id at, const route_hop& hop) {
    return graph_->channel_from({at, hop.port}) * virtual_channels_ + hop.virtual_channel;
  };
  const auto reach = [&](vertex_t vertex) {
    if (marks_[vertex] == mark) return;
    marks_[vertex] = mark;
    reached.push_back(vertex);
  };
  reached.clear();
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    const switch_id from{s};
    const bool is_start = starts_ == route_starts::all || graph_->hosts_at(from) != 0;
    if (from == to || !is_start) continue;
    const route_set ways = table.ways_on(from, 0, to);
    if (ways.empty()) refuse_dead_end(table, starts_, from, to, "");
    for (const route_hop& each : ways) reach(vertex_of(from, each));
  }
  for (std::size_t place = 0; place < reached.size(); ++place) {
    const vertex_t vertex = reached[place];
    const std::uint32_t channel = vertex / virtual_channels_;
    const switch_id at = graph_->target(channel).at;
    if (at == to) continue;
    const route_set ways =
        table.ways_on(at, table.phase_after({channel, vertex % virtual_channels_}), to);
    if (ways.empty()) {
      refuse_dead_end(table, starts_, at, to,
                      " for what comes by " + graph_->channel_text(channel));
    }
    std::vector<vertex_t>& waits_for = next_[vertex];
    for (const route_hop& each : ways) {
      const vertex_t other = vertex_of(at, each);
      reach(other);
      // At most as many as the switch has output channels: a search is quick.
      if (std::find(waits_for.begin(), waits_for.end(), other) == waits_for.end()) {
        waits_for.push_back(other);
      }
    }
  }
}

std::size_t channel_dependencies::size() const {
  std::size_t edges = 0;
  for (const std::vector<vertex_t>& each : next_) edges += each.size();
  return edges;
}

std::vector<virtual_channel_id> channel_dependencies::cycle() const {
  std::vector<virtual_channel_id> circle;
  for (const vertex_t each : cycle_search(next_).find()) {
    circle.push_back({each / virtual_channels_, each % virtual_channels_});
  }
  return circle;
}

std::string channel_dependencies::text_of(const std::vector<virtual_channel_id>& circle) const {
  std::string text;
  for (const virtual_channel_id& each : circle) {
    text += (text.empty() ? "" : ", ") + graph_->channel_text(each.channel);
    if (virtual_channels_ > 1) text += " (virtual channel " + std::to_string(each.number) + ")";
  }
  return text;
}

void channel_dependencies::require_acyclic() const {
  const std::vector<virtual_channel_id> circle = cycle();
  if (circle.empty()) return;
  throw configuration_error(configuration_problem{
      "network.routing", "",
      name_ + (starts_ == route_starts::all ? ", as an escape" : "") +
          ": channels wait for each other in a circle of " + std::to_string(circle.size()) + ": " +
          text_of(circle),
      "a channel dependency graph without cycles",
      "use up*/down* routing, or another virtual channel for a part of the circle"});
}

}  // namespace tributary
