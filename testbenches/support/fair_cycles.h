// SPDX-License-Identifier: Apache-2.0
// Cycles of a small coherent machine's states that need no end although every queue is served.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "exploration.h"

namespace tributary::testing {

/// Looks for fair cycles among all states of a machine. A cycle is fair if each queue that has a
/// message to serve again and again is served again and again, also with data buffers and room on
/// the lanes (strong fairness). All orders of steps count.
template <class Node>
class fair_cycles {
 public:
  /// Throws `broken_rule` if the machine breaks a rule or has more than `most` states.
  fair_cycles(explored_setup setup, std::size_t most) : machine_(in_every_order(std::move(setup))) {
    add(machine_.initial());
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      if (table_.size() > most) throw broken_rule("there are too many states");
      expand(i);
    }
    first_edges_.push_back(edges_.size());
  }

  std::size_t states() const { return table_.size(); }

  /// The number of states of a fair cycle in which processors ask, and no access at all is granted
  /// or hits an exclusive line; 0 if there is none.
  std::size_t without_any_grant() const {
    return largest_fair([](const edge& each) { return each.grants == 0 && !each.writes_hit; },
                        [](const explored_state&) { return true; }, 0);
  }

  /// The number of states of a fair cycle in which one processor asks for one access again and
  /// again and never gets it, while the others do what they want; 0 if there is none. `evict`:
  /// whether lines may leave the others' caches by their own choice.
  std::size_t that_starve(std::size_t node, std::size_t line, bool writes, bool evict) const {
    const std::uint8_t wanted = access_number(node, line, writes);
    return largest_fair(
        [=](const edge& each) {
          const bool own_step = !each.serves && each.node == node;
          return each.grants != wanted && (!own_step || each.asks == wanted) &&
                 (evict || !each.evicts);
        },
        [=](const explored_state& state) {
          const line_state has = state.nodes[node].cache[line].state;
          return writes ? has != line_state::exclusive : has == line_state::invalid;
        },
        wanted);
  }

 private:
  using services = std::uint64_t;

  struct edge {
    std::uint32_t to;
    services service;  ///< bit of the queue that is served with good luck; 0 for all else
    std::uint8_t node;
    std::uint8_t asks;    ///< number of the access that begins, or 0
    std::uint8_t grants;  ///< number of the access that is granted, or 0
    bool serves;
    bool writes_hit;
    bool evicts;
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr services asked = services{1} << 63;

  static explored_setup in_every_order(explored_setup setup) {
    setup.eager = false;
    return setup;
  }

  std::uint8_t access_number(std::size_t node, std::size_t line, bool writes) const {
    const std::size_t lines = machine_.plan().size().lines;
    return static_cast<std::uint8_t>(1 + 2 * (node * lines + line) + (writes ? 1 : 0));
  }
  /// Of the queue that a step serves.
  static services queue_of(const explored_move& move) {
    using kind = explored_move::kind;
    const std::size_t queues = 3 + most_explored_nodes * explored_lanes;
    static_assert(most_explored_nodes * (3 + most_explored_nodes * explored_lanes) < 63);
    const std::size_t own = move.what == kind::serve_processor  ? 0U
                            : move.what == kind::serve_deferred ? 1U
                            : move.what == kind::deliver
                                ? 2U
                                : 3U + move.source * explored_lanes + move.lane;
    return services{1} << (move.node * queues + own);
  }

  std::uint32_t add(const explored_state& reached) {
    state_packer archive(packed_);
    visit_state(archive, reached, machine_.plan().size());
    archive.finish();
    return table_.add(packed_).first;
  }
  explored_state state(std::uint32_t number) const {
    explored_state unpacked;
    state_unpacker from(table_.at(number));
    visit_state(from, unpacked, machine_.plan().size());
    return unpacked;
  }

  void expand(std::uint32_t number) {
    using kind = explored_move::kind;
    first_edges_.push_back(edges_.size());
    machine_.for_each_step(
        state(number), [&](const explored_move& move, const explored_state& next,
                           const explored_grant& granted, const std::string& broken) {
          if (!broken.empty()) throw broken_rule(broken);
          edge made{};
          made.to = add(next);
          made.node = move.node;
          made.serves = move.serves();
          const bool lucky = move.luck.buffers && move.luck.beyond == explored_channel::places;
          if (move.serves() && lucky) made.service = queue_of(move);
          if (move.asks()) {
            made.asks = access_number(move.node, move.line, move.what == kind::write_miss);
          }
          if (granted.granted)
            made.grants = access_number(granted.node, granted.line, granted.writes);
          made.writes_hit = move.what == kind::write;
          made.evicts = move.what == kind::evict;
          edges_.push_back(made);
        });
  }

  // --- cycles ------------------------------------------------------------------------------------

  using allowed_edge = std::function<bool(const edge&)>;
  using allowed_state = std::function<bool(const explored_state&)>;
  using numbers = std::vector<std::uint32_t>;

  /// Of all states, kept from search to search.
  struct marks {
    explicit marks(std::size_t states)
        : in(states), order(states, none), lowest(states, none), open(states) {}

    numbers in;  ///< the last set that the state was in
    std::uint32_t sets = 0;
    numbers order;
    numbers lowest;
    std::vector<bool> open;

    /// The mark of a new set of these states.
    std::uint32_t mark(const numbers& states) {
      ++sets;
      for (const std::uint32_t each : states) in[each] = sets;
      return sets;
    }
  };

  /// `wanted`: the access that must be asked for in the cycle, or 0 for any.
  std::size_t largest_fair(const allowed_edge& edges, const allowed_state& states,
                           std::uint8_t wanted) const {
    numbers all;
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      if (states(state(i))) all.push_back(i);
    }
    std::size_t largest = 0;
    std::vector<numbers> rest{std::move(all)};
    marks of(table_.size());
    while (!rest.empty()) {
      const numbers within = std::move(rest.back());
      rest.pop_back();
      for (const numbers& part : components(within, edges, of)) {
        const services missing = missing_in(part, edges, wanted, of);
        if (missing == 0) largest = std::max(largest, part.size());
        if (missing == 0 || (missing & asked) != 0) continue;
        // Only a cycle that leaves out the states where a missing queue could be served is fair.
        numbers fewer;
        for (const std::uint32_t each : part) {
          if ((offered_in(each) & missing) == 0) fewer.push_back(each);
        }
        rest.push_back(std::move(fewer));
      }
    }
    return largest;
  }

  services offered_in(std::uint32_t number) const {
    services all = 0;
    for (std::size_t i = first_edges_[number]; i < first_edges_[number + 1]; ++i) {
      all |= edges_[i].service;
    }
    return all;
  }
  /// Queues that could be served in a component and are not, and `asked` if nobody asks.
  services missing_in(const numbers& part, const allowed_edge& allowed, std::uint8_t wanted,
                      marks& of) const {
    const std::uint32_t inside = of.mark(part);
    services offered = asked;
    services taken = 0;
    for (const std::uint32_t from : part) {
      offered |= offered_in(from);
      for (std::size_t i = first_edges_[from]; i < first_edges_[from + 1]; ++i) {
        const edge& each = edges_[i];
        if (of.in[each.to] != inside || !allowed(each)) continue;
        taken |= each.service;
        if (each.asks != 0 && (wanted == 0 || each.asks == wanted)) taken |= asked;
      }
    }
    return offered & ~taken;
  }

  /// Tarjan's strongly connected components of some states, by allowed steps between them.
  std::vector<numbers> components(const numbers& within, const allowed_edge& allowed,
                                  marks& of) const {
    struct visit {
      std::uint32_t number;
      std::size_t next_edge;
    };
    const std::uint32_t inside = of.mark(within);
    for (const std::uint32_t each : within) of.order[each] = none;
    numbers stack;
    std::vector<numbers> found;
    std::uint32_t visited = 0;
    std::vector<visit> path;
    const auto enter = [&](std::uint32_t number) {
      of.order[number] = of.lowest[number] = visited++;
      stack.push_back(number);
      of.open[number] = true;
      path.push_back({number, first_edges_[number]});
    };
    const auto leave = [&](std::uint32_t number) {
      path.pop_back();
      if (!path.empty()) {
        std::uint32_t& before = of.lowest[path.back().number];
        before = std::min(before, of.lowest[number]);
      }
      if (of.lowest[number] != of.order[number]) return;
      found.emplace_back();
      do {
        found.back().push_back(stack.back());
        of.open[stack.back()] = false;
        stack.pop_back();
      } while (found.back().back() != number);
    };
    for (const std::uint32_t root : within) {
      if (of.order[root] != none) continue;
      enter(root);
      while (!path.empty()) {
        visit& at = path.back();
        if (at.next_edge == first_edges_[at.number + 1]) {
          leave(at.number);
          continue;
        }
        const edge& each = edges_[at.next_edge++];
        if (of.in[each.to] != inside || !allowed(each)) continue;
        if (of.order[each.to] == none) {
          enter(each.to);
        } else if (of.open[each.to]) {
          of.lowest[at.number] = std::min(of.lowest[at.number], of.order[each.to]);
        }
      }
    }
    return found;
  }

  explored_machine<Node> machine_;
  state_table table_;
  std::vector<unsigned char> packed_;
  std::deque<std::size_t> first_edges_;  // by state, and one behind
  std::deque<edge> edges_;
};

}  // namespace tributary::testing
