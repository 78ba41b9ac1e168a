// SPDX-License-Identifier: Apache-2.0
// The part of a transfer that one envelope announces.
#pragma once

#include <cstdint>

#include <tributary/memory/line.h>

namespace tributary {

/// Lines of the destination whose first bytes come from one page of the source. The destination may
/// go on in another page, and where source and destination are not aligned alike the last line's
/// end comes from the source's next page (FLASH 5.2.1, Figure 5.5). The constants that map a line's
/// number to addresses are computed once (FLASH 6.2, step 2).
struct transfer_portion {
  /// Of the source: a word marks those that are to be handled once more.
  static constexpr std::uint64_t most_lines = 64;

  explicit transfer_portion(line_size of_node) : line(of_node) {}

  line_size line;
  std::uint64_t source = 0;        ///< first byte
  std::uint64_t source_next = 0;   ///< first byte of the page that follows
  std::uint64_t source_split = 0;  ///< lines of the source before that page
  std::uint64_t destination = 0;
  std::uint64_t destination_next = 0;
  std::uint64_t destination_split = 0;
  std::uint64_t lines = 0;

  /// Doublewords by which the source's lines are shifted against the destination's.
  std::uint64_t shift() const { return line.word(source); }
  /// Lines of the source that hold the portion.
  std::uint64_t source_lines() const { return lines + (shift() == 0 ? 0 : 1); }

  std::uint64_t source_line(std::uint64_t i) const {
    return i < source_split ? line.start(source) + i * line.bytes()
                            : source_next + (i - source_split) * line.bytes();
  }
  std::uint64_t destination_line(std::uint64_t i) const {
    return i < destination_split ? destination + i * line.bytes()
                                 : destination_next + (i - destination_split) * line.bytes();
  }
  /// The number of the line at an address of the destination (FLASH 6.2, step 7).
  std::uint64_t line_at(std::uint64_t address) const {
    const std::uint64_t first = lines < destination_split ? lines : destination_split;
    if (address >= destination && address - destination < first * line.bytes()) {
      return line.number(address - destination);
    }
    return destination_split + line.number(address - destination_next);
  }
};

}  // namespace tributary
