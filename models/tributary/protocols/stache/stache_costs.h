// SPDX-License-Identifier: Apache-2.0
// What the handlers of Stache cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// The least times of the first three are published (Falsafi and Wood, section 6: 140, 125, 140).
struct stache_costs {
  std::uint64_t fault = 140;
  std::uint64_t serve = 125;
  std::uint64_t reply = 140;
  std::uint64_t invalidate = 125;
  std::uint64_t invalidated = 140;
  std::uint64_t recall = 125;
  std::uint64_t returned = 140;
  std::uint64_t page = 0;
  /// Sending a message that waited for room. No parameter where there always is room.
  std::uint64_t later = 0;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
