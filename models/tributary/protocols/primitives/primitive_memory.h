// SPDX-License-Identifier: Apache-2.0
// Where a node keeps the state of data-parallel primitives.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/memory/operation.h>

namespace tributary::primitives {

/// Addresses in a node's memory, from `base` on.
struct primitive_memory {
  /// Children of a node in the tree at most.
  static constexpr std::uint64_t most_children = 8;

  std::uint64_t base = 0;
  std::uint64_t places = 0;  ///< of messages that are put off

  /// Transfers of the processor that are not done.
  constexpr std::uint64_t open() const { return word(0); }
  /// The read by which it waits for all: its tag + 1, and what it reads.
  constexpr std::uint64_t waiting() const { return word(1); }
  constexpr std::uint64_t meeting() const { return word(2); }
  /// The read by which it waits for pieces of broadcasts: its tag + 1.
  constexpr std::uint64_t awaiting() const { return word(3); }
  /// Pieces so far: awaited, and arrived.
  constexpr std::uint64_t awaited() const { return word(4); }
  constexpr std::uint64_t arrived() const { return word(5); }
  constexpr std::uint64_t operand() const { return word(6); }
  /// A bit for each value that is there, and the values: the own one, and one of each child.
  constexpr std::uint64_t joined() const { return word(7); }
  constexpr std::uint64_t value(std::uint64_t i) const { return word(8 + i); }
  /// Messages that are put off: the first of them, and how many.
  constexpr std::uint64_t first() const { return word(9 + most_children); }
  constexpr std::uint64_t count() const { return word(10 + most_children); }
  /// Of the handler that sends them.
  constexpr std::uint64_t record() const { return word(11 + most_children); }
  constexpr std::uint64_t place(std::uint64_t i) const {
    return record() + deferred_record_bytes + i * place_bytes;
  }
  constexpr std::uint64_t bytes() const { return place(places) - base; }

  /// What, and its value or where its item is.
  static constexpr std::uint64_t place_bytes = 2 * word_bytes;

 private:
  constexpr std::uint64_t word(std::uint64_t i) const { return base + i * word_bytes; }
};

}  // namespace tributary::primitives
