// SPDX-License-Identifier: Apache-2.0
// How a processor asks its protocol processor for primitives of a data-parallel language.
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/operation.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Uncached accesses of an address space. A store to another node's address begins a transfer: the
/// address is the item there, and the word, a `primitive_transfer`, says what and where it is here.
/// Addresses of the own node are commands.
struct primitive_command {
  static constexpr std::uint8_t space = 1;

  /// Written: the value of the next combining send or reduction.
  static constexpr std::uint64_t operand = 0;
  /// Written with a `primitive_transfer`: an item of this node goes to all.
  static constexpr std::uint64_t broadcast = 8;
  /// Written with a `primitive_transfer`: the operand is combined with an item of this node.
  static constexpr std::uint64_t combine = 24;
  /// Read: answered once all nodes have read it, and all that they asked for is done.
  static constexpr std::uint64_t barrier = 16;
  /// The same, with the operand of each; the answer is what the operation makes of them.
  static constexpr std::uint64_t reduce(reduction_operation operation, std::uint32_t bytes) {
    const std::uint64_t number = 2 * static_cast<std::uint64_t>(operation) + (bytes == 4 ? 1 : 0);
    return first_reduction + number * word_bytes;
  }
  static constexpr reduction_operation operation_of(std::uint64_t offset) {
    return static_cast<reduction_operation>((offset - first_reduction) / word_bytes / 2);
  }
  static constexpr std::uint32_t bytes_of(std::uint64_t offset) {
    return (offset - first_reduction) / word_bytes % 2 == 1 ? 4 : 8;
  }
  /// Read: answered once so many more pieces of broadcasts are there, as counted from the last read
  /// of this kind.
  static constexpr std::uint64_t arrived(std::uint64_t pieces) {
    return first_arrived + pieces * word_bytes;
  }
  static constexpr std::uint64_t pieces_of(std::uint64_t offset) {
    return (offset - first_arrived) / word_bytes;
  }
  static constexpr bool is_reduction(std::uint64_t offset) {
    return offset >= first_reduction && offset < first_arrived;
  }
  static constexpr bool is_arrived(std::uint64_t offset) { return offset >= first_arrived; }
  /// Pieces that may be waited for at a time.
  static constexpr std::uint64_t most_pieces = 4096;

  template <class Layout>
  static constexpr std::uint64_t address(const Layout& layout, node_id node, std::uint64_t offset) {
    return layout.address_of(node, space, offset);
  }

 private:
  static constexpr std::uint64_t first_reduction = 64;
  static constexpr std::uint64_t first_arrived = 4096;
};

/// What a transfer does with the item that its address names.
enum class primitive_kind : std::uint8_t { get, send, combine };

/// The word of a transfer. An item lies within a line where it is taken from.
struct primitive_transfer {
  primitive_kind kind = primitive_kind::get;
  reduction_operation combining = reduction_operation::sum;
  std::uint32_t bytes = word_bytes;  ///< 4, or whole words of up to a line
  std::uint64_t offset = 0;          ///< of the item in this node's memory

  constexpr word_t word() const {
    word_t all = offset_bits.put(0, offset);
    all = bytes_bits.put(all, bytes);
    all = kind_bits.put(all, static_cast<word_t>(kind));
    return combining_bits.put(all, static_cast<word_t>(combining));
  }
  static constexpr primitive_transfer of(word_t word) {
    return {static_cast<primitive_kind>(kind_bits.in(word)),
            static_cast<reduction_operation>(combining_bits.in(word)),
            static_cast<std::uint32_t>(bytes_bits.in(word)), offset_bits.in(word)};
  }

 private:
  static constexpr bit_field offset_bits{0, 40};
  static constexpr bit_field bytes_bits{40, 12};
  static constexpr bit_field kind_bits{52, 4};
  static constexpr bit_field combining_bits{56, 8};
};

}  // namespace tributary
