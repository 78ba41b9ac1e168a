// SPDX-License-Identifier: Apache-2.0
// Where a node keeps operations that wait for their lines.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary::fetch_ops {

/// Addresses in a node's memory, from `base` on: the ends of the list of those that wait, the
/// record of the handler that looks at the first, and a place for each operation that the machine's
/// processors may have outstanding, so that none is ever refused.
struct operation_memory {
  std::uint64_t base = 0;
  std::uint64_t nodes = 0;  ///< of the machine
  std::uint64_t tags = 0;   ///< accesses that a processor may have outstanding

  constexpr std::uint64_t ends() const { return base; }
  constexpr std::uint64_t looking() const { return base + word_bytes; }
  /// Of the operation that a node has asked for with a tag.
  constexpr std::uint64_t number(node_id asker, std::uint64_t tag) const {
    return index(asker) * tags + tag;
  }
  constexpr node_id asker(std::uint64_t number) const {
    return node_id{static_cast<std::uint32_t>(number / tags)};
  }
  constexpr std::uint8_t tag(std::uint64_t number) const {
    return static_cast<std::uint8_t>(number % tags);
  }
  constexpr std::uint64_t place(std::uint64_t number) const {
    return looking() + deferred_record_bytes + number * place_bytes;
  }
  constexpr std::uint64_t bytes() const { return place(nodes * tags) - base; }

  /// What, and who is next in the list; the operands.
  static constexpr std::uint64_t what = 0;
  static constexpr std::uint64_t operand_a = word_bytes;
  static constexpr std::uint64_t operand_b = 2 * word_bytes;
  static constexpr std::uint64_t place_bytes = 3 * word_bytes;
};

/// The fields of `what`, and of the list's ends. Operations are named by their numbers from 1.
struct operation_fields {
  static constexpr bit_field address{0, 40};
  static constexpr bit_field form{40, 8};
  static constexpr bit_field next{48, 16};
  static constexpr bit_field first{0, 16};
  static constexpr bit_field last{16, 16};
};

}  // namespace tributary::fetch_ops
