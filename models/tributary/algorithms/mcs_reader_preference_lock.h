// SPDX-License-Identifier: Apache-2.0
// The MCS list-based readers-writers lock that prefers readers.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/queue_nodes.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// A reader waits only for a writer that holds the lock, and then in a list of readers, all
/// of whom go in before any other writer. As that writer leaves, the list is taken off as a whole
/// and its readers let one another in, the last to come first. Writers queue and can starve.
///
/// Words. `reader_head`: the list of waiting readers, last first. `writer_tail`: the queue of
/// writers, the one that holds the lock included. `state`: readers that hold the lock or wait for
/// the writer (low 31 bits), whether a writer holds it, and the first waiting writer (high half).
/// In an element's node: whether it was granted, and which writer is next.
///
/// States of the first writer of the queue: it holds the lock, if it found `state` 0; else it
/// leaves its number in `state`. The element that then finds `state` to be nothing but the number,
/// the last reader or the writer itself, tries to swap it for "a writer holds it"; exactly one
/// succeeds, and a failure means that another reader has come, whose release tries again. A release
/// that is late does no harm: a success always lets in the writer that is in `state` at that time.
/// (The published form has a flag there, and the number in a word of its own.)
///
/// A reader that finds a writer stays counted, so no later writer can get in. It looks once more
/// when it is in the list: either the writer has not left, and will find it there, or the reader
/// empties the list itself. No element refers to a reader's node after it has been let in.
/// Source: Mellor-Crummey and Scott, PPoPP 1991.
class mcs_reader_preference_lock final : public readers_writers_lock {
 public:
  static constexpr std::uint32_t central_words = 3;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  mcs_reader_preference_lock(program_context& context, const memory_place& place);

  void acquire_read() override;
  void release_read() override;
  void acquire_write() override;
  void release_write() override;

 private:
  // Words of a node.
  static constexpr std::uint64_t grant_word = 0;
  static constexpr std::uint64_t next_word = 1;
  // Parts of `state`.
  static constexpr unsigned writer_shift = 32;
  static constexpr word_t writer_holds = word_t{1} << 31;

  /// Waits in the list of readers for the writer that holds the lock.
  void wait_for_writer();
  /// Lets the first writer of the queue in, or leaves it in `state`; says whether it is in.
  bool admit(word_t writer);
  void let_in(word_t pointer) { context_.store(nodes_.word(pointer, grant_word), 1); }

  program_context& context_;
  queue_nodes nodes_;
  std::uint64_t reader_head_;
  std::uint64_t writer_tail_;
  std::uint64_t state_;
  word_t self_;
  own_grant grant_;
};

}  // namespace tributary
