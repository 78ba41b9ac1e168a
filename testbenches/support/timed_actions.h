// SPDX-License-Identifier: Apache-2.0
// Actions of a test within cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tributary/sim/agenda.h>

namespace tributary::testing {

/// Does in a cycle what a test says, in the order of ranks among the other blocks of the cycle.
class timed_actions final : private timed_block {
 public:
  explicit timed_actions(agenda& time) : time_(time) {}

  void at(cycle_t cycle, std::function<void()> action, wake_rank rank = wake_rank::inside) {
    actions_.push_back(std::move(action));
    time_.wake(*this, cycle, actions_.size() - 1, rank);
  }

 private:
  void wake(cycle_t /*now*/, std::uint64_t number) override {
    actions_[static_cast<std::size_t>(number)]();
  }

  agenda& time_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace tributary::testing
