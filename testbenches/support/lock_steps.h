// SPDX-License-Identifier: Apache-2.0
// Steps of programs with a lock, one after the other, and what each one causes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tributary/algorithms/flash_lock.h>

#include "synchronizing_machine.h"

namespace tributary::testing {

/// Messages and handlers of locks so far, to count those of a part of a program.
struct lock_traffic {
  std::uint64_t requests = 0;
  std::uint64_t grants = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;

  explicit lock_traffic(synchronizing_machine& of)
      : requests(of.runs("locks.request_token")),
        grants(of.runs("locks.grant_token")),
        reads(of.runs("locks.read_state")),
        writes(of.runs("locks.processor_write")) {}
};

/// Runs steps one after the other, each by one processor while all else is at rest.
class lock_steps {
 public:
  using step = std::pair<std::uint32_t, std::function<void(flash_lock&)>>;

  lock_steps(synchronizing_machine& machine, std::uint32_t home) : machine_(machine), home_(home) {}

  /// What each step caused.
  std::vector<lock_traffic> run(const std::vector<step>& all) {
    constexpr cycle_t apart = 8000;
    std::vector<lock_traffic> seen;
    machine_.run([&](program_context& context) {
      flash_lock lock(context, machine_.lock_place(5, home_));
      for (std::size_t i = 0; i < all.size(); ++i) {
        wait_until(context, apart * (i + 1));
        if (context.rank() == 0) seen.emplace_back(machine_);
        if (context.rank() == all[i].first) all[i].second(lock);
      }
      wait_until(context, apart * (all.size() + 1));
      if (context.rank() == 0) seen.emplace_back(machine_);
    });
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      seen[i].requests = seen[i + 1].requests - seen[i].requests;
      seen[i].grants = seen[i + 1].grants - seen[i].grants;
      seen[i].reads = seen[i + 1].reads - seen[i].reads;
      seen[i].writes = seen[i + 1].writes - seen[i].writes;
    }
    seen.pop_back();
    return seen;
  }

 private:
  static void wait_until(program_context& context, cycle_t when) {
    if (context.now() < when) context.delay(when - context.now());
  }

  synchronizing_machine& machine_;
  std::uint32_t home_;
};

}  // namespace tributary::testing
