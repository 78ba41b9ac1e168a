// SPDX-License-Identifier: Apache-2.0
// How long until the next success of a trial that is made in every cycle.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/random_stream.h>

namespace tributary {

/// Cycles from one success to the next, 1 or more, where each cycle succeeds with the same
/// probability: as if it was drawn for each cycle, by a few draws for any probability. Only
/// thresholds are compared, so that every machine draws the same.
class geometric_gaps {
 public:
  /// Throws `configuration_error`, which names `traffic.load`, for a probability that is not above
  /// 0 and at most 1.
  explicit geometric_gaps(double probability);

  cycle_t draw(random_stream& draws) const;

 private:
  std::uint64_t none_in_block_ = 0;     ///< threshold: no success in as many cycles as a block has
  std::vector<std::uint64_t> in_back_;  ///< by doublings: the first success is in the back half
};

}  // namespace tributary
