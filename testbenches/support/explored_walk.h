// SPDX-License-Identifier: Apache-2.0
// One way through the states of a machine that is too large to be explored, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explored_machine.h"

namespace tributary::testing {

/// A machine in one state, and what its handlers have found on the way there.
template <class Node>
class explored_walk {
 public:
  /// What is wrong with a state, or nothing.
  using check = std::function<std::string(const explored_machine<Node>&, const explored_state&)>;

  explored_walk(explored_setup setup, check invariants)
      : machine_(in_every_order(std::move(setup))),
        invariants_(std::move(invariants)),
        at_(machine_.initial()),
        found_(machine_.handlers()) {}

  /// Takes the first step whose text begins with `wanted`. Throws `broken_rule` for a step that is
  /// not possible, that breaks a rule, or after which a state is wrong.
  void take(const std::string& wanted) {
    std::vector<step> all = steps();
    std::string possible;
    for (step& each : all) {
      const std::string text = machine_.text(each.move, at_);
      if (text.rfind(wanted, 0) == 0) return go(std::move(each));
      possible += "\n  " + text;
    }
    throw broken_rule("no step is '" + wanted + "' among:" + possible);
  }
  void take_all(const std::vector<std::string>& wanted) {
    for (const std::string& each : wanted) take(each);
  }
  /// Takes one of the possible steps; `draw(n)` is a number below n.
  template <class Draw>
  void take_any(Draw&& draw) {
    std::vector<step> all = steps();
    if (all.empty()) throw broken_rule("no step is possible");
    go(std::move(all[draw(all.size())]));
  }

  /// By handler, the bits of the situations that it found its line in.
  const std::vector<std::uint32_t>& found() const { return found_; }
  const explored_machine<Node>& machine() const { return machine_; }

 private:
  struct step {
    explored_move move;
    explored_state next;
    std::string broken;
  };

  static explored_setup in_every_order(explored_setup setup) {
    setup.eager = false;
    return setup;
  }

  std::vector<step> steps() const {
    std::vector<step> all;
    machine_.for_each_step(at_, [&](const explored_move& move, const explored_state& next,
                                    const explored_grant&, const std::string& broken) {
      all.push_back({move, next, broken});
    });
    return all;
  }
  void go(step taken) {
    if (!taken.broken.empty()) throw broken_rule(taken.broken);
    if (taken.move.runs_handler() && taken.move.handler < machine_.handlers()) {
      found_[taken.move.handler] |= std::uint32_t{1} << machine_.situation_of(at_, taken.move);
    }
    at_ = std::move(taken.next);
    const std::string wrong = invariants_(machine_, at_);
    if (!wrong.empty()) throw broken_rule(wrong);
  }

  explored_machine<Node> machine_;
  check invariants_;
  explored_state at_;
  std::vector<std::uint32_t> found_;
};

}  // namespace tributary::testing
