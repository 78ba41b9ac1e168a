// SPDX-License-Identifier: Apache-2.0
// All-reduce over reflective memory: every node broadcasts its words, and all compute the result.
#pragma once

#include <cstdint>

#include <tributary/algorithms/bill_board.h>

namespace tributary {

/// Each node writes its words once and sets the flags of the others, node i from i + 1 on, so that
/// flags come from i - 1 downwards; it then reads the words of each and adds them modulo 2^32.
///
/// Two buffers in turn need no acknowledgement: who has the flags of all in one reduction knows
/// that all have read what they needed in the one before.
/// Source: Moorthy et al., CANPC 2000, section 3.3.
class reflective_all_reduce {
 public:
  static constexpr std::uint32_t buffers = 2;

  /// The layout has `buffers` buffers.
  reflective_all_reduce(program_context& context, const bill_board_layout& layout)
      : context_(context), board_(context, layout) {}

  /// As many words on each node.
  bill_board::words reduce(const bill_board::words& own) {
    const std::uint32_t nodes = context_.size();
    const std::uint32_t rank = context_.rank();
    board_.write(buffer_, own, {});
    for (std::uint32_t i = 1; i < nodes; ++i) board_.notify((rank + i) % nodes, buffer_);
    bill_board::words result = own;
    for (std::uint32_t i = 1; i < nodes; ++i) {
      const std::uint32_t source = (rank + nodes - i) % nodes;
      board_.await(source, buffer_);
      add(result, board_.read(source, buffer_, own.size()));
    }
    buffer_ ^= 1;
    return result;
  }

 private:
  static void add(bill_board::words& result, const bill_board::words& other) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<std::uint32_t>(result[i] + other[i]);
    }
  }

  program_context& context_;
  bill_board board_;
  std::uint32_t buffer_ = 0;
};

}  // namespace tributary
