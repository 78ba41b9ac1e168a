// SPDX-License-Identifier: Apache-2.0
// A cache line as it is moved: its size, its words, when each is there, and when a memory moves it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Bytes of the shortest and of the longest line. A mask of 32 bits has a bit for each doubleword
/// of the longest; the shortest holds the operands of every message.
inline constexpr std::uint32_t least_line_bytes = 32;
/// @copydoc least_line_bytes
inline constexpr std::uint32_t most_line_bytes = 256;
/// Doublewords of the longest line.
inline constexpr std::size_t most_line_words = most_line_bytes / word_bytes;

/// The size of a line, the granule of coherence and transfer: 128 bytes where nothing else is said
/// (FLASH 2.3.4). Memories, buffers and protocols of one node have the same.
class line_size {
 public:
  constexpr line_size() : line_size(128) {}
  /// `bytes`: a power of two from `least_line_bytes` to `most_line_bytes`.
  constexpr explicit line_size(std::uint32_t bytes) : mask_(bytes - 1) {
    while (std::uint32_t{1} << shift_ < bytes) ++shift_;
  }

  static constexpr bool allows(std::uint32_t bytes) {
    return bytes >= least_line_bytes && bytes <= most_line_bytes && (bytes & (bytes - 1)) == 0;
  }

  constexpr std::uint32_t bytes() const { return static_cast<std::uint32_t>(mask_) + 1; }
  constexpr std::size_t words() const { return bytes() / word_bytes; }

  /// The first byte of the line that holds an address.
  constexpr std::uint64_t start(std::uint64_t address) const { return address & ~mask_; }
  /// The place of an address in its line: by bytes, and by doublewords.
  constexpr std::uint64_t offset(std::uint64_t address) const { return address & mask_; }
  constexpr std::size_t word(std::uint64_t address) const { return offset(address) / word_bytes; }
  /// The number of the line that holds an address; also the whole lines in so many bytes.
  constexpr std::uint64_t number(std::uint64_t address) const { return address >> shift_; }
  /// The start of the first line that does not begin before an address.
  constexpr std::uint64_t next_start(std::uint64_t address) const { return start(address + mask_); }

 private:
  std::uint64_t mask_;
  std::uint32_t shift_ = 0;
};

/// The doublewords of a line, the lowest address first; of a shorter line than the longest, as many
/// as it has.
using line_data = std::array<word_t, most_line_words>;
/// By word: the first cycle in which it can be used, `never` if nothing brings it.
using line_stamps = std::array<cycle_t, most_line_words>;

/// The sub-block order, in which the doubleword that was missed comes first: when the doubleword
/// `first` of a line is its first to move, the place of `word` among them, from 0; also the word at
/// a place. It is the order in which the R10000 takes lines (FLASH footnote 8).
constexpr std::size_t subblock_place(std::size_t word, std::size_t first) { return word ^ first; }

/// When a memory moves the words of an access: the first in cycle `first`, the last in `last`, the
/// others evenly between.
struct memory_transfer {
  cycle_t first = 0;
  cycle_t last = 0;

  /// Cycles from a doubleword to the next, if so many are moved.
  constexpr cycle_t step(std::size_t words) const { return (last - first) / (words - 1); }
};

}  // namespace tributary
