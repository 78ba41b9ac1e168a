// SPDX-License-Identifier: Apache-2.0
// Powers of two: the sizes of networks.
#pragma once

#include <cstdint>

namespace tributary {

/// The least k with 2^k >= n; 0 for n = 0.
constexpr unsigned log2_of(std::uint64_t n) {
  unsigned k = 0;
  while (k < 64 && (std::uint64_t{1} << k) < n) ++k;
  return k;
}

}  // namespace tributary
