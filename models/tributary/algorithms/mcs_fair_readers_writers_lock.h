// SPDX-License-Identifier: Apache-2.0
// The MCS list-based readers-writers lock in which all wait in one queue.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/queue_nodes.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Readers and writers swap themselves onto the tail of one queue. A reader behind a reader that
/// holds the lock goes in at once; all others wait in their own memory for who is before them.
///
/// Words. `tail`: the last of the queue and whether it is a writer. `state`: how many readers hold
/// the lock (low half), and the writer that waits for the last of them (high half). In an element's
/// node: whether it was granted, and whether a reader waits behind this reader; and who is next.
///
/// States of a writer at the head of the queue: it is alone (no readers); or it stands in `state`,
/// and the reader whose leaving makes the count 0 takes it out and lets it in. Readers behind it
/// wait in the queue, so the count only falls, and exactly one reference sees it reach 0: that
/// reader's, or the writer's own that put it there. In the published form the waiting writer is in
/// a word of its own, and a slow last reader can find one there when readers hold the lock again;
/// the tests show it, also with the authors' later correction.
///
/// A reader asks its predecessor by compare-and-swap, which says atomically that it waits or learns
/// that the predecessor holds the lock. A node is used again only after its successor, if there is
/// one, has written `next`, its last reference to it.
/// Source: Mellor-Crummey and Scott, PPoPP 1991.
class mcs_fair_readers_writers_lock final : public readers_writers_lock {
 public:
  static constexpr std::uint32_t central_words = 2;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  mcs_fair_readers_writers_lock(program_context& context, const memory_place& place);

  void acquire_read() override;
  void release_read() override;
  void acquire_write() override;
  void release_write() override;

 private:
  // What the queue holds: pointers to nodes above a bit that is set for writers; 0 is none.
  static constexpr word_t writer_bit = 1;
  // Words of a node, and bits of its first.
  static constexpr std::uint64_t grant_word = 0;
  static constexpr std::uint64_t next_word = 1;
  static constexpr word_t granted = 1;
  static constexpr word_t reader_behind = 2;
  // Parts of `state`.
  static constexpr unsigned writer_shift = 32;
  static constexpr word_t readers_mask = (word_t{1} << writer_shift) - 1;

  static bool is_writer(word_t pointer) { return (pointer & writer_bit) != 0; }
  static word_t as_waiting(word_t pointer) { return pointer << writer_shift; }
  std::uint64_t node(word_t pointer, std::uint64_t word) const {
    return nodes_.word(pointer >> 1, word);
  }

  /// Whether this writer, with none before it in the queue, holds the lock at once.
  bool enter_empty_queue();
  /// Joins the queue behind `ahead`; returns this reader's grant word once it holds the lock.
  word_t follow(word_t ahead);
  word_t await_grant();
  void let_in(word_t pointer);

  program_context& context_;
  queue_nodes nodes_;
  std::uint64_t tail_;
  std::uint64_t state_;
  word_t reader_;  ///< this element in the queue, as a reader
  word_t writer_;  ///< and as a writer
  bool granted_by_another_ = false;
};

}  // namespace tributary
