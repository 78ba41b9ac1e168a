// SPDX-License-Identifier: Apache-2.0
// All states that a small machine can reach whose programs end, and the ways to their ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "state_packing.h"
#include "state_table.h"

namespace tributary::testing {

/// Explores a machine breadth first, so that the way to what is wrong is a shortest one. A
/// `Machine` has states of type `state`, an `initial` one, and `for_each_step`; it packs states
/// that are alike into the same bytes. Some of its steps are sure: they happen at last if nothing
/// else does. The others, as an eviction, may never happen.
template <class Machine>
class whole_exploration {
 public:
  using state = typename Machine::state;
  using move = typename Machine::move;
  /// What is wrong with a state, or nothing.
  using check = std::function<std::string(const state&)>;

  whole_exploration(const Machine& machine, check invariants)
      : machine_(machine), invariants_(std::move(invariants)) {}

  /// Returns what is wrong with the machine and how it comes about, or nothing. More states than
  /// `most` are wrong.
  std::string run(std::size_t most) {
    add(machine_.initial(), 0);
    for (std::uint32_t i = 0; i < table_.size() && problem_.empty(); ++i) {
      if (table_.size() > most) return "there are more than " + std::to_string(most) + " states";
      expand(i);
    }
    if (problem_.empty()) find_bad_ends();
    if (problem_.empty()) find_rounds();
    return problem_;
  }

  std::size_t states() const { return table_.size(); }
  std::size_t steps() const { return steps_; }
  std::size_t bytes() const { return table_.bytes() + sure_.size() * sizeof sure_[0]; }
  /// The handlers that ran, by the bits of their numbers.
  std::uint64_t ran() const { return ran_; }
  /// Steps whose handler wanted a line that the caches did not have.
  std::size_t missed() const { return missed_; }

 private:
  std::pair<std::uint32_t, bool> add(const state& reached, std::uint32_t parent) {
    machine_.pack(reached, packed_);
    const auto known = table_.add(packed_);
    if (known.second) parents_.push_back(parent);
    return known;
  }
  state state_of(std::uint32_t number) const { return machine_.unpack(table_.at(number)); }

  void expand(std::uint32_t number) {
    const state from = state_of(number);
    first_sure_.push_back(sure_.size());
    machine_.for_each_step(from,
                           [&](const move& step, const state& next, const std::string& broken) {
                             if (!problem_.empty()) return;
                             ++steps_;
                             note(step);
                             if (!broken.empty()) {
                               problem_ = broken + way_to(number, broken);
                             } else {
                               take(number, step, next);
                             }
                           });
  }
  void note(const move& step) {
    if (step.runs_handler()) ran_ |= std::uint64_t{1} << step.handler;
    if (step.missed) ++missed_;
  }
  void take(std::uint32_t number, const move& step, const state& next) {
    const auto [to, is_new] = add(next, number);
    if (step.is_sure()) sure_.push_back(to);
    if (!is_new) return;
    const std::string wrong = invariants_(next);
    if (!wrong.empty()) problem_ = wrong + way_to(to);
  }

  // --- ends --------------------------------------------------------------------------------------

  std::size_t end_of_sure(std::uint32_t number) const {
    return number + 1 < first_sure_.size() ? first_sure_[number + 1] : sure_.size();
  }

  /// Where nothing happens for sure, all must have ended.
  void find_bad_ends() {
    for (std::uint32_t i = 0; i < table_.size() && problem_.empty(); ++i) {
      if (first_sure_[i] != end_of_sure(i)) continue;
      const std::string wrong = machine_.fault_of_end(state_of(i));
      if (!wrong.empty()) problem_ = wrong + way_to(i);
    }
  }

  /// Sure steps lead to an end: they never come back to a state.
  void find_rounds() {
    std::vector<std::uint32_t> entries(table_.size());
    for (const std::uint32_t to : sure_) ++entries[to];
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (entries[i] == 0) free.push_back(i);
    }
    std::size_t left = entries.size();
    for (; !free.empty(); --left) {
      const std::uint32_t next = free.back();
      free.pop_back();
      for (std::size_t i = first_sure_[next]; i < end_of_sure(next); ++i) {
        if (--entries[sure_[i]] == 0) free.push_back(sure_[i]);
      }
    }
    if (left == 0) return;
    const auto in_round =
        std::find_if(entries.begin(), entries.end(), [](std::uint32_t n) { return n != 0; });
    problem_ = "what is under way never ends" +
               way_to(static_cast<std::uint32_t>(in_round - entries.begin()));
  }

  // --- for people --------------------------------------------------------------------------------

  /// The steps to a state, and one that breaks a rule there.
  std::string way_to(std::uint32_t number, const std::string& rule = "") const {
    std::vector<std::uint32_t> way;
    for (std::uint32_t i = number; i != 0; i = parents_[i]) way.push_back(i);
    std::string text = ", after:";
    state at = machine_.initial();
    for (; !way.empty(); way.pop_back()) text += "\n  " + step_text(at, way.back());
    if (!rule.empty()) text += "\n  " + breach_text(at, rule);
    return text;
  }
  /// Of the first step to a state, which it takes. Known states may have other numbers of nodes.
  std::string step_text(state& at, std::uint32_t to) const {
    std::vector<unsigned char> packed;
    state after;
    const std::string text = first_text(at, [&](const state& next, const std::string& broken) {
      if (!broken.empty()) return false;
      machine_.pack(next, packed);
      after = next;
      return std::equal(packed.begin(), packed.end(), table_.at(to));
    });
    at = after;
    return text;
  }
  std::string breach_text(const state& from, const std::string& rule) const {
    return first_text(from,
                      [&](const state&, const std::string& broken) { return broken == rule; });
  }
  template <class Wanted>
  std::string first_text(const state& from, Wanted&& wanted) const {
    std::string text;
    machine_.for_each_step(from,
                           [&](const move& step, const state& next, const std::string& broken) {
                             if (text.empty() && wanted(next, broken))
                               text = machine_.text(step, from);
                           });
    return text;
  }

  const Machine& machine_;
  check invariants_;
  state_table table_;
  std::vector<unsigned char> packed_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::size_t> first_sure_;  // by state
  std::vector<std::uint32_t> sure_;      // where sure steps lead
  std::size_t steps_ = 0;
  std::uint64_t ran_ = 0;
  std::size_t missed_ = 0;
  std::string problem_;
};

}  // namespace tributary::testing
