// SPDX-License-Identifier: Apache-2.0
// A cache line as it is moved: its words, when each of them is there, and when a memory moves it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Bytes of a cache line, the granule of coherence and transfer.
inline constexpr std::uint64_t line_bytes = 128;
/// Doublewords of a line.
inline constexpr std::size_t line_words = 16;

/// The doublewords of a line, the lowest address first.
using line_data = std::array<word_t, line_words>;
/// By word: the first cycle in which it can be used, `never` if nothing brings it.
using line_stamps = std::array<cycle_t, line_words>;

/// When a memory moves the words of an access: the first in cycle `first`, the last in `last`, the
/// others evenly between.
struct memory_transfer {
  cycle_t first = 0;
  cycle_t last = 0;
};

/// The cycle in which doubleword `i` of a line is moved.
constexpr cycle_t cycle_of(const memory_transfer& transfer, std::size_t i) {
  return transfer.first + (transfer.last - transfer.first) / (line_words - 1) * i;
}

}  // namespace tributary
