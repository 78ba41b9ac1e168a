// SPDX-License-Identifier: Apache-2.0
// One switch's RTL beside its core under random traffic.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>

#include "switch_stimulus.h"

namespace tributary::testing {

/// Core and another implementation of one switch under the same random traffic.
class lockstep_run {
 public:
  /// `name` and `seed` stand in messages; `route_bit` as of `switch_column`.
  lockstep_run(const std::string& name, const combining_switch_config& config, unsigned route_bit,
               std::uint64_t seed, std::unique_ptr<switch_implementation> implementation)
      : stimulus_(route_bit, seed),
        both_(name + ", route bit " + std::to_string(route_bit) + ", seed " + std::to_string(seed),
              std::make_unique<core_switch>(config, route_bit), std::move(implementation)) {}

  /// Throws `simulation_error` where the two differ.
  void step() {
    const switch_traffic leaving =
        both_.depart(stimulus_.next_request_ready(), stimulus_.next_reply_ready());
    const switch_activity& activity =
        both_.commit(stimulus_.arrivals({both_.request_ready(0), both_.request_ready(1)},
                                        {both_.reply_ready(0), both_.reply_ready(1)}));
    combined_ += activity.combined.size();
    for (const auto& second : activity.decombined) decombined_ += second ? 1 : 0;
    stimulus_.end_cycle(leaving);
  }

  void reset() {
    both_.reset();
    stimulus_.reset();
  }

  bool idle() const { return both_.idle(); }
  std::uint64_t combined() const { return combined_; }
  std::uint64_t decombined() const { return decombined_; }

 private:
  switch_stimulus stimulus_;
  lockstep_switch both_;
  std::uint64_t combined_ = 0;
  std::uint64_t decombined_ = 0;
};

}  // namespace tributary::testing
