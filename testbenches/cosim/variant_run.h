// SPDX-License-Identifier: Apache-2.0
// A lockstep run of a built variant that can be repeated, with a waveform if need be.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tributary/rtl/switch_variants.h>
#include <tributary/rtl/verilated_options.h>

#include "lockstep_run.h"

namespace tributary::testing {

/// What makes a run what it is.
struct run_case {
  unsigned route_bit = 0;
  std::uint64_t seed = 1;
  std::uint64_t reset_every = 0;  ///< cycles from one reset in mid-traffic to the next; 0: none
};

class variant_run {
 public:
  /// `waveform`: its file and cycles; the rest is the run's.
  variant_run(const switch_variant& variant, const run_case& what, verilated_options waveform = {})
      : what_(what),
        both_(variant.name, config_of(variant.parameters), what.route_bit, what.seed,
              variant.make(what.route_bit, options_of(variant, what, std::move(waveform)))) {}

  /// One cycle. Throws `simulation_error` where the two differ; `now` and `edge` are then of that
  /// cycle.
  void step() {
    both_.step();
    if (what_.reset_every != 0 && now_ % what_.reset_every == 0) {
      both_.reset();
      ++resets_;
    }
    ++now_;
  }

  /// The cycle under way, from 1, over all resets.
  std::uint64_t now() const { return now_; }
  /// The edge of the clock that ends it, where that of the first reset is 0: the cycle as a
  /// waveform counts.
  std::uint64_t edge() const { return now_ + resets_; }

  bool idle() const { return both_.idle(); }
  std::uint64_t combined() const { return both_.combined(); }
  std::uint64_t decombined() const { return both_.decombined(); }

 private:
  static verilated_options options_of(const switch_variant& variant, const run_case& what,
                                      verilated_options waveform) {
    waveform.name = variant.name;
    waveform.seed = static_cast<int>(what.seed);
    return waveform;
  }

  run_case what_;
  lockstep_run both_;
  std::uint64_t now_ = 1;
  std::uint64_t resets_ = 0;
};

}  // namespace tributary::testing
