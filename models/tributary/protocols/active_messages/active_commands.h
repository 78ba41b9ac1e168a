// SPDX-License-Identifier: Apache-2.0
// How a processor tells its controller of active messages.
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Addresses of the own node, by offsets in their space.
struct active_message_command {
  /// Its number has 3 bits: `address_layout::space_bits`.
  static constexpr std::uint8_t space = 7;
  static constexpr std::uint32_t space_bits = 3;

  /// Arguments of a message at most: a line has its header too, and the record that a processor
  /// reads has a type.
  static constexpr std::uint32_t most_arguments(line_size line) {
    return static_cast<std::uint32_t>(line.words()) - 2;
  }
  /// Words of a node that functions of its controller change, at most.
  static constexpr std::uint64_t most_words = 4096;

  /// Written with an argument of the next message.
  static constexpr std::uint64_t argument(std::uint64_t i) { return i * word_bytes; }
  /// Written with its `active_header`.
  static constexpr std::uint64_t header = 64 * word_bytes;
  /// Read: the message is sent, and the answer is 1; or it is not, for want of room, and it is 0.
  static constexpr std::uint64_t send = 65 * word_bytes;
  /// Read: messages of this node that were not accepted yet.
  static constexpr std::uint64_t under_way = 66 * word_bytes;
  /// Read or written: a word of this node.
  static constexpr std::uint64_t first_word = 4096;
  static constexpr std::uint64_t word(std::uint64_t i) { return first_word + i * word_bytes; }

  template <class Layout>
  static constexpr std::uint64_t address(const Layout& layout, node_id node, std::uint64_t offset) {
    return layout.address_of(node, space, offset);
  }
};

/// The first doubleword of a message. `node` is its destination where it is sent, and its source
/// where it comes.
struct active_header {
  node_id node{};
  std::uint32_t handler = 0;    ///< of the processor, or a function of the controller; 16 bits
  std::uint32_t arguments = 0;  ///< how many follow
  bool at_controller = false;

  static constexpr active_header of(word_t word) {
    const auto small = [word](bit_field field) {
      return static_cast<std::uint32_t>(field.in(word));
    };
    return {node_id{small(node_bits)}, small(handler_bits), small(argument_bits),
            controller_bit.in(word) != 0};
  }
  constexpr word_t word() const {
    word_t all = node_bits.put(0, index(node));
    all = handler_bits.put(all, handler);
    all = argument_bits.put(all, arguments);
    return controller_bit.put(all, at_controller ? 1 : 0);
  }

 private:
  static constexpr bit_field node_bits{0, 12};
  static constexpr bit_field handler_bits{16, 16};
  static constexpr bit_field argument_bits{32, 8};
  static constexpr bit_field controller_bit{40, 1};
};

}  // namespace tributary
