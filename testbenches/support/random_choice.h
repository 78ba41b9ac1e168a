// SPDX-License-Identifier: Apache-2.0
// Draws for random configurations.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// A number from low to high, both included.
inline std::uint32_t between(random_stream& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(std::uint64_t{high} - low + 1));
}

template <class T>
T one_of(random_stream& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(choices.size())];
}

}  // namespace tributary::testing
