// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/up_down_routes.h>

#include <algorithm>
#include <array>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

using state_t = std::uint32_t;  // twice the switch, plus the phase

constexpr state_t up_state(std::uint32_t at) { return 2 * at; }
constexpr state_t down_state(std::uint32_t at) { return 2 * at + 1; }
constexpr up_down_phase phase_of(state_t state) { return static_cast<up_down_phase>(state % 2); }

/// Distances from every state to one switch, by a search backwards; `queue` gets the states that
/// have a way, nearest first.
void search_back(const orientation& ends, switch_id to, std::uint16_t* links,
                 std::vector<state_t>& queue) {
  const network_graph& graph = ends.graph();
  std::fill(links, links + 2 * std::size_t{graph.switches()},
            static_cast<std::uint16_t>(up_down_routes::unreachable));
  queue.assign({up_state(index(to)), down_state(index(to))});
  links[queue[0]] = links[queue[1]] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const state_t state = queue[next];
    const auto reach = [&](state_t before) {
      if (links[before] != up_down_routes::unreachable) return;
      links[before] = static_cast<std::uint16_t>(links[state] + 1);
      queue.push_back(before);
    };
    for (const neighbour_link& each : graph.neighbours(switch_id{state / 2})) {
      // The channel that comes from the neighbour is the other one of the link.
      const bool comes_up = ends.goes_up(each.channel ^ 1U);
      const bool is_up = phase_of(state) == up_down_phase::up;
      if (comes_up != is_up) continue;
      reach(up_state(index(each.to)));
      if (!is_up) reach(down_state(index(each.to)));
    }
  }
}

[[noreturn]] void refuse_pair(const network_graph& graph, std::uint32_t from, switch_id to) {
  throw configuration_error(configuration_problem{
      "network.routing", "",
      "no legal route leads from switch " + graph.switch_name(switch_id{from}) + " to switch " +
          graph.switch_name(to),
      "an orientation with one switch without a link upwards, and no circle upwards",
      "choose an orientation that is_correct accepts"});
}

double forbidden_pairs(const orientation& ends, switch_id at) {
  const auto& ways = ends.graph().neighbours(at);
  const auto ups =
      static_cast<double>(std::count_if(ways.begin(), ways.end(), [&](const neighbour_link& each) {
        return ends.goes_up(each.channel);
      }));
  // What comes from one link upwards must not go on by another.
  return ups * (ups - 1);
}

/// Routes to one switch, counted over channels.
class route_counter {
 public:
  route_counter(const up_down_routes& routes, route_count how, std::vector<double>& over)
      : routes_(routes), how_(how), over_(over), arriving_(states()), leading_(states()) {}

  void count_to(switch_id to) {
    sort_states(to);
    std::fill(arriving_.begin(), arriving_.end(), 0);
    std::fill(leading_.begin(), leading_.end(), 0);
    for (const state_t state : nearest_first_) leading_[state] = ways_on(state, to);
    for (auto state = nearest_first_.rbegin(); state != nearest_first_.rend(); ++state) {
      send_on(*state, to);
    }
  }

 private:
  std::size_t states() const { return 2 * std::size_t{routes_.graph().switches()}; }

  void sort_states(switch_id to) {
    nearest_first_.clear();
    for (state_t s = 0; s < states(); ++s) {
      if (links(s, to) != up_down_routes::unreachable) nearest_first_.push_back(s);
    }
    std::stable_sort(nearest_first_.begin(), nearest_first_.end(),
                     [&](state_t a, state_t b) { return links(a, to) < links(b, to); });
  }

  std::uint32_t links(state_t state, switch_id to) const {
    return routes_.distance(switch_id{state / 2}, phase_of(state), to);
  }

  template <class Action>
  void for_each_way(state_t state, switch_id to, Action&& action) const {
    for (const neighbour_link& each : routes_.graph().neighbours(switch_id{state / 2})) {
      if (!routes_.is_on_shortest(each.channel, phase_of(state), to)) continue;
      action(each.channel, 2 * index(each.to) + static_cast<state_t>(routes_.after(each.channel)));
    }
  }

  /// Routes that lead on from a state, or the number of ways on if routes are divided.
  double ways_on(state_t state, switch_id to) const {
    if (links(state, to) == 0) return 1;
    double sum = 0;
    for_each_way(state, to, [&](std::uint32_t, state_t next) {
      sum += how_ == route_count::all ? leading_[next] : 1;
    });
    return sum;
  }

  void send_on(state_t state, switch_id to) {
    if (links(state, to) == 0) return;
    const bool begins = phase_of(state) == up_down_phase::up;
    const double here = arriving_[state] + (begins ? 1 : 0);
    if (here == 0) return;
    for_each_way(state, to, [&](std::uint32_t channel, state_t next) {
      if (how_ == route_count::all) {
        over_[channel] += here * leading_[next];
        arriving_[next] += here;
      } else {
        const double share = here / leading_[state];
        over_[channel] += share;
        arriving_[next] += share;
      }
    });
  }

  const up_down_routes& routes_;
  const route_count how_;
  std::vector<double>& over_;
  std::vector<double> arriving_;  ///< routes that reach a state from others
  std::vector<double> leading_;
  std::vector<state_t> nearest_first_;
};

}  // namespace

up_down_routes::up_down_routes(const orientation& ends)
    : ends_(&ends), links_(2 * std::size_t{ends.graph().switches()} * ends.graph().switches()) {
  std::vector<state_t> queue;
  for (std::uint32_t to = 0; to < graph().switches(); ++to) {
    search_back(ends, switch_id{to}, &links_[place(switch_id{to})], queue);
  }
}

bool up_down_routes::is_on_shortest(std::uint32_t channel, up_down_phase phase,
                                    switch_id to) const {
  if (phase == up_down_phase::down && ends_->goes_up(channel)) return false;
  const std::uint32_t here = distance(graph().source(channel).at, phase, to);
  const std::uint32_t there = distance(graph().target(channel).at, after(channel), to);
  return here != unreachable && there != unreachable && there + 1 == here;
}

std::uint64_t total_distance(const orientation& ends) {
  const network_graph& graph = ends.graph();
  std::vector<std::uint16_t> links(2 * std::size_t{graph.switches()});
  std::vector<state_t> queue;
  std::uint64_t sum = 0;
  for (std::uint32_t to = 0; to < graph.switches(); ++to) {
    search_back(ends, switch_id{to}, links.data(), queue);
    for (std::uint32_t from = 0; from < graph.switches(); ++from) {
      const std::uint32_t each = links[up_state(from)];
      if (each == up_down_routes::unreachable) refuse_pair(graph, from, switch_id{to});
      sum += each;
    }
  }
  return sum;
}

up_down_metrics measure_up_down(const up_down_routes& routes) {
  const network_graph& graph = routes.graph();
  const distance_table shortest(graph);
  up_down_metrics found;
  std::uint64_t sum = 0;
  std::uint64_t longer = 0;
  for (std::uint32_t to = 0; to < graph.switches(); ++to) {
    for (std::uint32_t from = 0; from < graph.switches(); ++from) {
      const std::uint32_t links =
          routes.distance(switch_id{from}, up_down_phase::up, switch_id{to});
      if (links == up_down_routes::unreachable) refuse_pair(graph, from, switch_id{to});
      sum += links;
      longer += links > shortest(switch_id{from}, switch_id{to}) ? 1 : 0;
      found.diameter = std::max(found.diameter, links);
    }
  }
  double forbidden = 0;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    forbidden += forbidden_pairs(routes.ends(), switch_id{s});
  }
  const double switches = graph.switches();
  const double pairs = std::max(1.0, switches * (switches - 1));
  found.average_distance = static_cast<double>(sum) / pairs;
  found.restrictions = forbidden / switches;
  found.long_paths = static_cast<double>(longer) / pairs;
  return found;
}

std::vector<double> routes_over_channels(const up_down_routes& routes, route_count how) {
  std::vector<double> over(routes.graph().channels());
  route_counter counter(routes, how, over);
  for (std::uint32_t to = 0; to < routes.graph().switches(); ++to) {
    counter.count_to(switch_id{to});
  }
  return over;
}

}  // namespace tributary
