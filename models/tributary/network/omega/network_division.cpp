// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/network_division.h>

#include <algorithm>

#include <tributary/sim/log2.h>

namespace tributary {

std::size_t network_division::most_parts(unsigned stages) {
  // A group of ports that is skipped while it is quiet belongs to one part.
  return std::max<std::size_t>(1, (std::size_t{1} << (stages - 1)) / active_groups::width);
}

network_division::network_division(unsigned stages, std::size_t parts)
    : stages_(stages),
      parts_(parts),
      first_inner_(log2_of(static_cast<std::uint32_t>(parts))),
      count_(std::size_t{1} << (stages - 1)),
      switches_(count_ / parts),
      switch_bits_(stages - 1 - first_inner_) {}

// A line behind stage s has the bits of the module's number that were routed by as its lower s
// ones, the first of them uppermost: these tell the part, and go to the top.
std::size_t network_division::undivided(unsigned stage, std::size_t place) const {
  if (!moves(stage)) return place;
  const unsigned below = stage - first_inner_;
  const std::size_t part = place / switches_;
  const std::size_t inner = place % switches_;
  const std::size_t low = inner & ((std::size_t{1} << below) - 1);
  return (((inner >> below) << first_inner_ | part) << below) | low;
}

}  // namespace tributary
