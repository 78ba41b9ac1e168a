// SPDX-License-Identifier: Apache-2.0
// When a processing element issues its first requests.
#pragma once

#include <cstdint>

#include <tributary/processor/processing_elements.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

namespace tributary {

/// The cycles in which the slots of one element offer their first requests (cycle contract, rule
/// 10), slot after slot.
class start_cycles {
 public:
  /// Of `element` in a machine whose elements have `slots` each, at the run's `seed`. A start
  /// window of 0 counts as 1.
  start_cycles(const processing_element_config& config, std::uint32_t element, std::uint32_t slots,
               std::uint64_t seed) noexcept;

  /// From 1 to the start window.
  cycle_t next() noexcept;

 private:
  start_draw draw_;
  std::uint32_t window_;
  random_stream own_;
  std::uint64_t shared_;  ///< SplitMix64's state
};

}  // namespace tributary
