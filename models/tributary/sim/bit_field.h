// SPDX-License-Identifier: Apache-2.0
// Fields of words.
#pragma once

#include <cstdint>

namespace tributary {

/// Some bits of a word.
struct bit_field {
  unsigned shift;
  unsigned width;

  constexpr std::uint64_t limit() const { return (std::uint64_t{1} << width) - 1; }
  constexpr std::uint64_t in(std::uint64_t word) const { return word >> shift & limit(); }
  constexpr std::uint64_t put(std::uint64_t word, std::uint64_t value) const {
    return (word & ~(limit() << shift)) | (value & limit()) << shift;
  }
};

}  // namespace tributary
