// SPDX-License-Identifier: Apache-2.0
// A bounded queue without a serial section: bounds and tickets by fetch-and-add.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One element's end of a queue that all share: each element makes one, over the same words, which
/// start as 0. Any number enqueue and dequeue at a time. Bounds and tickets are only loaded and
/// added to, which combines; a cell is stored to by its current owner alone, and the cells are
/// spread over the modules.
///
/// Two counters bound the items from above and below. An element tests one, adds to it, and tests
/// what it got: only where both allow it does it take a ticket, which is a cell and a turn at that
/// cell. The queue is linearizable, with the fetch-and-add that draws the ticket as the point in
/// time of an enqueue and of a dequeue. The counters alone cannot answer "full" or "empty" so: they
/// also count elements that are about to step back, or not yet done. An answer is given only when
/// the two ticket numbers prove it.
/// Source: A. Gottlieb, B. Lubachevsky and L. Rudolph, "Basic techniques for the efficient
/// coordination of very large numbers of cooperating sequential processors", TOPLAS 5(2), 1983; the
/// proof by ticket numbers is this project's.
class fetch_add_queue {
 public:
  static constexpr std::uint32_t central_words = 4;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }
  /// Rows of the region "shared", from `memory_place::row` on, that a queue of so many cells takes
  /// in each of so many modules.
  static std::uint64_t rows(std::uint32_t modules, std::uint64_t capacity);

  /// `capacity`: items that it holds, any number from 1 on, the same for all elements; throws
  /// `configuration_error` for 0.
  fetch_add_queue(program_context& context, const memory_place& place, std::uint64_t capacity);

  /// Appends the item, or returns false because at a time during the call the queue was full. What
  /// this element did before, posted references too, is over before the item can be taken.
  bool enqueue(word_t item);
  /// Takes the oldest item, or returns nothing because at a time during the call the queue was
  /// empty.
  std::optional<word_t> dequeue();

 private:
  struct cell {
    std::uint64_t item;  ///< byte address
    std::uint64_t turn;  ///< byte address of a word that counts enqueues and dequeues of the cell
    word_t round;        ///< how often the cell was filled before
  };

  cell cell_of(word_t ticket) const;
  bool reserve_room();
  bool reserve_item();
  bool is_full();
  bool is_empty();

  program_context& context_;
  memory_place items_;  ///< the cells' items, behind the central words
  memory_place turns_;  ///< and the words that count enqueues and dequeues of them
  std::uint64_t capacity_;
  std::uint64_t most_;      ///< items that are there or promised
  std::uint64_t least_;     ///< items that are there for certain
  std::uint64_t enqueues_;  ///< tickets drawn by enqueues
  std::uint64_t dequeues_;  ///< and by dequeues
};

}  // namespace tributary
