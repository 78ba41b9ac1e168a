// SPDX-License-Identifier: Apache-2.0
// Timers in a state: they count down, so that a state holds no absolute time.
#pragma once

#include <cstddef>
#include <vector>

#include <tributary/sim/small_number.h>

namespace tributary {

/// Takes one cycle off every timer from `first` to `last`, which is excluded, that is not at 0.
template <class Cycles>
void count_down(Cycles* timers, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    timers[i] = static_cast<Cycles>(timers[i] - (timers[i] != 0 ? 1 : 0));
  }
}
/// The same of a vector.
template <class Cycles>
void count_down(std::vector<Cycles>& timers, std::size_t first, std::size_t last) {
  count_down(timers.data(), first, last);
}
/// The same of small numbers.
inline void count_down(std::vector<small_number>& timers, std::size_t first, std::size_t last) {
  count_down(bytes_of(timers), first, last);
}

}  // namespace tributary
