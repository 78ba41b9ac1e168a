// SPDX-License-Identifier: Apache-2.0
// All states that a small coherent machine can reach, and the ways between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explored_machine.h"
#include "explored_symmetry.h"
#include "state_table.h"

namespace tributary::testing {

/// Explores a machine breadth first, so that the way to what is wrong is a shortest one.
template <class Node>
class exploration {
 public:
  /// What is wrong with a state, or nothing.
  using check = std::function<std::string(const explored_machine<Node>&, const explored_state&)>;

  exploration(const explored_setup& setup, check invariants)
      : machine_(setup),
        symmetry_(machine_.plan()),
        invariants_(std::move(invariants)),
        found_(machine_.handlers()) {}

  /// Returns what is wrong with the machine and how it comes about, or nothing. More states than
  /// `most` are wrong.
  std::string run(std::size_t most) {
    add(machine_.initial(), 0);
    for (std::uint32_t i = 0; i < table_.size() && problem_.empty(); ++i) {
      if (table_.size() > most) return "there are more than " + std::to_string(most) + " states";
      expand(i);
    }
    if (problem_.empty()) find_dead_ends();
    return problem_;
  }

  std::size_t states() const { return table_.size(); }
  std::size_t steps() const { return edges_.size(); }
  std::size_t bytes() const { return table_.bytes(); }
  /// The handlers that ran, by the bits of their numbers.
  std::uint64_t ran() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] != 0) all |= std::uint64_t{1} << i;
    }
    return all;
  }
  /// By handler, the bits of the situations that it found its line in.
  const std::vector<std::uint32_t>& found() const { return found_; }
  const explored_machine<Node>& machine() const { return machine_; }

 private:
  /// Sets of what can still happen, by bits: that all comes to rest, and that an access is granted.
  using outlook = std::uint32_t;
  static constexpr outlook rest = 1;

  struct edge {
    std::uint32_t to;
    std::uint8_t asks;    ///< number of the access that begins; 0 if a node serves
    std::uint8_t grants;  ///< number of the access that is granted; 0 if none
    std::uint8_t turn;    ///< of the nodes' numbers, from the step's to those of `to`
  };
  static constexpr std::uint8_t other_step = 255;  // instead of an access

  std::uint8_t access_number(std::size_t node, std::size_t line, bool writes) const {
    const std::size_t lines = machine_.plan().size().lines;
    return static_cast<std::uint8_t>(1 + 2 * (node * lines + line) + (writes ? 1 : 0));
  }
  std::uint8_t asks_of(const explored_move& move) const {
    if (move.serves()) return 0;
    if (!move.asks()) return other_step;
    return access_number(move.node, move.line, move.what == explored_move::kind::write_miss);
  }
  outlook outstanding_of(const explored_state& state) const {
    outlook asked = 0;
    for (std::size_t i = 0; i < machine_.plan().setup().nodes; ++i) {
      for (std::size_t j = 0; j < machine_.plan().size().lines; ++j) {
        const explored_line& each = state.nodes[i].cache[j];
        const bool writes = each.want != line_want::shared;
        if (each.awaited) asked |= outlook{1} << access_number(i, j, writes);
      }
    }
    return asked;
  }

  struct known_state {
    std::uint32_t number;
    bool is_new;
    std::uint8_t turn;
  };

  void pack(const explored_state& state, std::vector<unsigned char>& into) const {
    state_packer archive(into);
    visit_state(archive, state, machine_.plan().size());
    archive.finish();
  }
  /// The least of what is the same but for the numbers of nodes and list elements. Returns the
  /// numbering of the nodes.
  std::uint8_t pack_least(explored_state state, std::vector<unsigned char>& into) {
    std::uint8_t least = 0;
    symmetry_.number_elements(state);
    pack(state, into);
    for (std::uint8_t turn = 1; turn < symmetry_.size(); ++turn) {
      pack(symmetry_.turned(state, turn), other_);
      if (other_ >= into) continue;
      into.swap(other_);
      least = turn;
    }
    return least;
  }

  known_state add(const explored_state& reached, std::uint32_t parent) {
    const std::uint8_t turn = pack_least(reached, packed_);
    const auto [number, is_new] = table_.add(packed_);
    if (is_new) {
      const explored_state least = state(number);
      parents_.push_back(parent);
      outstanding_.push_back(outstanding_of(least) | (machine_.at_rest(least) ? rest : 0));
    }
    return {number, is_new, turn};
  }
  explored_state state(std::uint32_t number) const {
    explored_state unpacked;
    state_unpacker from(table_.at(number));
    visit_state(from, unpacked, machine_.plan().size());
    return unpacked;
  }

  void expand(std::uint32_t number) {
    const explored_state from = state(number);
    first_edges_.push_back(edges_.size());
    machine_.for_each_step(from, [&](const explored_move& move, const explored_state& next,
                                     const explored_grant& granted, const std::string& broken) {
      if (!problem_.empty()) return;
      if (move.runs_handler() && move.handler < machine_.handlers()) {
        found_[move.handler] |= std::uint32_t{1} << machine_.situation_of(from, move);
      }
      if (broken.empty()) {
        take(number, move, next, granted);
      } else {
        problem_ = broken + way_to(number, broken);
      }
    });
  }

  void take(std::uint32_t number, const explored_move& move, const explored_state& next,
            const explored_grant& granted) {
    const known_state to = add(next, number);
    const std::uint8_t grants =
        granted.granted ? access_number(granted.node, granted.line, granted.writes) : 0;
    if (to.number != number || to.turn != 0 || grants != 0) {
      edges_.push_back({to.number, asks_of(move), grants, to.turn});
    }
    if (!to.is_new) return;
    const std::string wrong = invariants_(machine_, next);
    if (!wrong.empty()) problem_ = wrong + way_to(to.number);
  }

  // --- what can still happen ---------------------------------------------------------------------

  std::size_t end_of_edges(std::uint32_t number) const {
    return number + 1 < first_edges_.size() ? first_edges_[number + 1] : edges_.size();
  }

  /// What is known of the end of a step, by the nodes' numbers at its beginning.
  outlook known_after(const edge& step, const std::vector<outlook>& known) const {
    const outlook there = known[step.to];
    if (step.turn == 0) return there;
    outlook here = there & rest;
    for (std::size_t i = 0; i < machine_.plan().setup().nodes; ++i) {
      for (std::size_t j = 0; j < machine_.plan().size().lines; ++j) {
        for (const bool writes : {false, true}) {
          const std::uint8_t turned = access_number(symmetry_.number(step.turn, i), j, writes);
          here |= (there >> turned & 1) << access_number(i, j, writes);
        }
      }
    }
    return here;
  }

  /// While only nodes serve, and the processor of an access asks again when it was refused.
  outlook outlook_of(std::uint32_t number, const std::vector<outlook>& known) const {
    outlook can = known[number];
    for (std::size_t i = first_edges_[number]; i < end_of_edges(number); ++i) {
      const edge& each = edges_[i];
      if (each.asks == 0) {
        can |= known_after(each, known);
        if (each.grants != 0) can |= outlook{1} << each.grants;
      } else if (each.asks != other_step) {
        can |= known_after(each, known) & outlook{1} << each.asks;
      }
    }
    return can;
  }

  void find_dead_ends() {
    std::vector<outlook> can(table_.size());
    for (std::uint32_t i = 0; i < can.size(); ++i) can[i] = outstanding_[i] & rest;
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto i = static_cast<std::uint32_t>(can.size()); i-- > 0;) {
        const outlook now = outlook_of(i, can);
        changed = changed || now != can[i];
        can[i] = now;
      }
    }
    for (std::uint32_t i = 0; i < can.size() && problem_.empty(); ++i) {
      problem_ = dead_end(i, can[i]);
    }
  }

  std::string dead_end(std::uint32_t number, outlook can) {
    if ((can & rest) == 0) {
      return (serves(number) ? "what is under way never ends" : "deadlock") + way_to(number);
    }
    const outlook never = outstanding_[number] & ~can & ~rest;
    if (never == 0) return "";
    return "an access is refused for ever" + way_to(number);
  }
  bool serves(std::uint32_t number) const {
    for (std::size_t i = first_edges_[number]; i < end_of_edges(number); ++i) {
      if (edges_[i].asks == 0) return true;
    }
    return false;
  }

  // --- for people --------------------------------------------------------------------------------

  /// The steps to a state, and one that breaks a rule there.
  std::string way_to(std::uint32_t number, const std::string& rule = "") {
    std::vector<std::uint32_t> way;
    for (std::uint32_t i = number; i != 0; i = parents_[i]) way.push_back(i);
    std::string text = ", after:";
    explored_state at = machine_.initial();
    for (; !way.empty(); way.pop_back()) text += "\n  " + step_text(at, way.back());
    if (!rule.empty()) text += "\n  " + breach_text(at, rule);
    return text;
  }
  /// Of the first step to a state, which it takes.
  std::string step_text(explored_state& at, std::uint32_t to) {
    std::vector<unsigned char> packed;
    explored_state after;
    const std::string text =
        first_text(at, [&](const explored_state& next, const std::string& broken) {
          if (!broken.empty()) return false;
          pack_least(next, packed);
          after = next;
          return std::equal(packed.begin(), packed.end(), table_.at(to));
        });
    at = after;
    return text;
  }
  std::string breach_text(const explored_state& at, const std::string& rule) const {
    return first_text(
        at, [&](const explored_state&, const std::string& broken) { return broken == rule; });
  }
  template <class Wanted>
  std::string first_text(const explored_state& from, Wanted&& wanted) const {
    std::string text;
    machine_.for_each_step(from, [&](const explored_move& move, const explored_state& next,
                                     const explored_grant&, const std::string& broken) {
      if (text.empty() && wanted(next, broken)) text = machine_.text(move, from);
    });
    return text;
  }

  explored_machine<Node> machine_;
  explored_symmetry symmetry_;
  check invariants_;
  state_table table_;
  std::vector<unsigned char> packed_;
  std::vector<unsigned char> other_;  // of `pack_least`
  // By state. Deques: there may be so many states that growing must not copy them.
  std::deque<std::uint32_t> parents_;
  std::deque<outlook> outstanding_;
  std::deque<std::size_t> first_edges_;
  std::deque<edge> edges_;
  std::vector<std::uint32_t> found_;
  std::string problem_;
};

}  // namespace tributary::testing
