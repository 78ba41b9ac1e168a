// SPDX-License-Identifier: Apache-2.0
// A part of the switch alone, its RTL beside its core under the same random traffic.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <tributary/rtl/verilated_options.h>

#include "part_stimulus.h"
#include "support/sizes.h"

namespace tributary::testing {

/// What the runs of all parts have. `Verilated` is the RTL of the part. A derived class has `step`,
/// a cycle of both; `reset`; and `expect_busy`, what must have happened in a run.
template <class Design, template <class> class Verilated>
class part_lockstep {
 protected:
  explicit part_lockstep(std::uint64_t seed) : random_(seed), seed_(seed), rtl_(options(seed)) {}

  /// Kinds of traffic take turns, so that the part fills and empties.
  unsigned phase(std::uint64_t cycles, unsigned phases) const {
    return static_cast<unsigned>(now_ / cycles % phases);
  }
  std::string at(const std::string& core) const {
    return std::string(Design::name) + ", seed " + std::to_string(seed_) + ", cycle " +
           std::to_string(now_) + "\nstate of the core:" + core;
  }

  part_stimulus random_;
  std::uint64_t seed_;
  Verilated<Design> rtl_;
  std::uint64_t now_ = 0;

 private:
  static verilated_options options(std::uint64_t seed) {
    verilated_options chosen;
    chosen.name = Design::name;
    chosen.seed = static_cast<int>(seed);
    return chosen;
  }
};

struct design_names {
  template <class Design>
  static std::string GetName(int) {
    return Design::name;
  }
};

template <class Lockstep>
void step_for(Lockstep& both, std::uint64_t cycles) {
  for (std::uint64_t cycle = 0; cycle < cycles && !::testing::Test::HasFatalFailure(); ++cycle) {
    both.step();
  }
}

template <class Lockstep>
void expect_equal_cycle_by_cycle() {
  const std::uint64_t cycles = long_form() ? 500'000 : scaled(30'000);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Lockstep both(seed);
    step_for(both, cycles / 3);
    if (::testing::Test::HasFatalFailure()) return;
    both.expect_busy();
  }
}

template <class Lockstep>
void expect_clean_resets() {
  Lockstep both(7);
  for (unsigned resets = 0; resets < 10; ++resets) {
    step_for(both, 137);
    if (::testing::Test::HasFatalFailure()) return;
    both.reset();
  }
}

}  // namespace tributary::testing
