// SPDX-License-Identifier: Apache-2.0
// How a processor tells its controller of locks.
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Addresses of the own node (FLASH 6.1.4), by offsets in their space.
struct lock_command {
  /// Its number has 3 bits: `address_layout::space_bits`.
  static constexpr std::uint8_t space = 5;
  static constexpr std::uint32_t space_bits = 3;

  /// Locks of a machine at most (FLASH 6.1.6).
  static constexpr std::uint64_t most = std::uint64_t{16} << 10;
  static constexpr std::uint64_t page_bytes = most * word_bytes;
  static constexpr std::uint64_t state_page = most * most_line_bytes;
  static_assert(3 * page_bytes <= state_page);

  /// Written with the state that the process saw last: it wants the token. A process that asks
  /// before it looks sets that state's token, which says that it has not seen it gone.
  static constexpr std::uint64_t token(std::uint64_t number) { return number * word_bytes; }
  /// Written with the state that it leaves: the processor, which has seen that another waits, gives
  /// the token back.
  static constexpr std::uint64_t unlock(std::uint64_t number) { return page_bytes + token(number); }
  /// Written with the number of the home's node. Only the first write means something.
  static constexpr std::uint64_t home(std::uint64_t number) {
    return 2 * page_bytes + token(number);
  }
  /// A `lock_state`, in a line of its own that the caches keep. The controller has the states of
  /// several locks in a line, and this is where the lock's own lies in it.
  static constexpr std::uint64_t state(std::uint64_t number, line_size line) {
    return state_page + number * line.bytes() + place(number, line) * word_bytes;
  }
  /// The word of a line in which a lock's state is.
  static constexpr std::uint64_t place(std::uint64_t number, line_size line) {
    return number % line.words();
  }

  /// The lock that an offset is about.
  static constexpr std::uint64_t number(std::uint64_t offset, line_size line) {
    return offset < state_page ? offset % page_bytes / word_bytes
                               : line.number(offset - state_page);
  }

  template <class Layout>
  static constexpr std::uint64_t address(const Layout& layout, node_id node, std::uint64_t offset) {
    return layout.address_of(node, space, offset);
  }
};

}  // namespace tributary
