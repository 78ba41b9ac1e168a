// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/geometric_gaps.h>

#include <cstddef>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {

geometric_gaps::geometric_gaps(double probability) {
  if (!(probability > 0 && probability <= 1)) {
    throw configuration_error({"traffic.load", "",
                               "a host sends in " + std::to_string(probability) + " of all cycles",
                               "a load above 0 of at most a message a host and cycle",
                               "change it, or the length of messages"});
  }
  // A block is doubled until most have a success.
  constexpr std::size_t most_doublings = 40;
  double none = 1 - probability;
  while (none > 0.5 && in_back_.size() < most_doublings) {
    in_back_.push_back(probability_threshold(none / (1 + none)));
    none *= none;
  }
  none_in_block_ = probability_threshold(none);
}

cycle_t geometric_gaps::draw(random_stream& draws) const {
  cycle_t gap = 1;
  while (draws.bernoulli(none_in_block_)) gap += cycle_t{1} << in_back_.size();
  for (std::size_t half = in_back_.size(); half-- != 0;) {
    if (draws.bernoulli(in_back_[half])) gap += cycle_t{1} << half;
  }
  return gap;
}

}  // namespace tributary
