// SPDX-License-Identifier: Apache-2.0
// How a processor tells its controller of barriers.
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Addresses of the own node (FLASH 6.2.3, 6.2.4), by offsets in their space.
struct barrier_command {
  /// Its number has 3 bits: `address_layout::space_bits`.
  static constexpr std::uint8_t space = 4;
  static constexpr std::uint32_t space_bits = 3;

  /// Barriers of a node at most: the status lines of so many fit into the page.
  static constexpr std::uint64_t most = 256;
  static constexpr std::uint64_t page_bytes = std::uint64_t{1} << 16;
  static_assert(most * most_line_bytes <= page_bytes);

  /// What a read of `join` answers for a barrier that the node does not keep, or whose trees it was
  /// not told.
  static constexpr word_t unknown = ~word_t{0};

  /// Read: the processor joins; the answer is the sense before. Written: the master releases those
  /// who wait; with a 1 the other processes of its own node too, which wait for `released`.
  static constexpr std::uint64_t join(std::uint64_t number) { return number * word_bytes; }
  /// Written with a `barrier_state`: the trees.
  static constexpr std::uint64_t trees(std::uint64_t number) {
    return page_bytes + number * word_bytes;
  }
  /// A line that the caches keep, whose first word is the sense.
  static constexpr std::uint64_t status_page = 2 * page_bytes;
  static constexpr std::uint64_t status(std::uint64_t number, line_size line) {
    return status_page + number * line.bytes();
  }
  /// The second word of that line: at the root of two phases, the sense that the master has
  /// released.
  static constexpr std::uint64_t released(std::uint64_t number, line_size line) {
    return status(number, line) + word_bytes;
  }

  /// The barrier that an offset is about.
  static constexpr std::uint64_t number(std::uint64_t offset, line_size line) {
    const std::uint64_t within = offset % page_bytes;
    return offset < status_page ? within / word_bytes : line.number(within);
  }

  template <class Layout>
  static constexpr std::uint64_t address(const Layout& layout, node_id node, std::uint64_t offset) {
    return layout.address_of(node, space, offset);
  }
};

}  // namespace tributary
