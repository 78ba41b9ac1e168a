// SPDX-License-Identifier: Apache-2.0
// How a processor asks for a block transfer: where it writes and reads, and what it is told.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>

namespace tributary {

/// The commands of the block transfer, as addresses of a node (FLASH 4.1.1, 5.2.1).
///
/// A request is a sequence of uncached accesses. In the command space, at the doubleword of the
/// transfer's line that is the argument's number: the length in bytes. In the shadow space, where
/// the address itself is the argument: the first byte of the source, the first byte of the
/// destination, the flag, and then the further pages of the source and of the destination, by their
/// first bytes. What is written there may be the virtual address, for `half_built_commands`. Last a
/// read in the command space, at the doubleword behind the arguments, which
/// tells a `block_transfer_result`.
///
/// Where the controller keeps translations (kernel_calls), a request may name virtual addresses
/// instead: length, source, destination and flag as data at the doublewords 0 to 3 of the command
/// space, and a read at the doubleword behind them (FLASH 4.2.1).
///
/// Length 0 with the flag as the only address increments the flag and does nothing else. That is
/// not published; a processor that copies itself needs it, because an increment by a load and a
/// store could lose that of a transfer which ends in between.
struct block_transfer_command {
  static constexpr std::uint8_t shadow_space = 1;
  static constexpr std::uint8_t space = 2;

  /// Offsets in the command space.
  static constexpr std::uint64_t length = 0;
  static constexpr std::uint64_t commit = 8;
  static constexpr std::uint64_t commit_virtual = 32;
  /// Written at every context switch with the identity of the process that runs from now on; a
  /// sequence that was begun is forgotten.
  static constexpr std::uint64_t context_switch = 128;

  /// Pages that source and destination may each touch, whatever the line.
  static constexpr std::uint64_t most_pages = 14;
  /// The same of a node: a request that goes to a remote home is one line, in which length, source
  /// and destination take three words and two further pages one.
  static constexpr std::uint64_t pages_allowed(line_size line) {
    const std::uint64_t named = line.words() - 2;
    return named < most_pages ? named : most_pages;
  }

  /// Number of pages of `page_bytes` that `bytes` bytes from `first` on touch.
  static constexpr std::uint64_t pages(std::uint64_t first, std::uint64_t bytes,
                                       std::uint64_t page_bytes) {
    return (first % page_bytes + bytes + page_bytes - 1) / page_bytes;
  }
};

/// What the last access of a request tells.
enum class block_transfer_result : word_t {
  accepted = 1,
  no_record,       ///< too many transfers at once: ask again
  busy,            ///< another transfer from a remote home is under way: ask again
  interrupted,     ///< by a context switch, another process or a change of translations: ask again
  bad_sequence,    ///< not the accesses that source, destination and length ask for
  same_node,       ///< source and destination are on one node
  bad_length,      ///< 0, not in lines, or more pages than a request may have
  bad_alignment,   ///< destination not at a line, source not at a doubleword, page not at a page
  bad_range,       ///< beyond a node's memory, or the pages of a buffer on several nodes
  bad_flag,        ///< not a doubleword; without coherence, not of the node that asks
  no_translation,  ///< the kernel was asked for one: ask again
  no_access        ///< the kernel refuses the process a page, or that it writes the page
};

/// Whether the same request may be accepted later.
constexpr bool may_be_asked_again(block_transfer_result result) {
  return result == block_transfer_result::no_record || result == block_transfer_result::busy ||
         result == block_transfer_result::interrupted ||
         result == block_transfer_result::no_translation;
}

}  // namespace tributary
