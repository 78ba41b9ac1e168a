// SPDX-License-Identifier: Apache-2.0
// Timers in a state: they count down, so that a state holds no absolute time.
#pragma once

#include <vector>

namespace tributary {

/// Takes one cycle off every timer that is not at 0.
template <class Cycles>
void count_down(std::vector<Cycles>& timers) {
  for (Cycles& cycles : timers) cycles = static_cast<Cycles>(cycles - (cycles != 0 ? 1 : 0));
}

}  // namespace tributary
