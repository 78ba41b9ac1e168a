// SPDX-License-Identifier: Apache-2.0
// The MCS list-based readers-writers lock that prefers writers.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/queue_nodes.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Every reader puts itself on a list of readers. The first of a group, its announcer, announces it
/// and lets the group in if no writer is there; else the last of the queue of writers does so when
/// it leaves and no other is there. The group is who is on the list when it is taken off; the last
/// to come, its head, goes in first, and each counts the next one and lets it in. Readers can
/// starve.
///
/// Words. `reader_head`: the list, last reader first. `writer_tail`: the queue of writers, the one
/// that holds the lock included. `first_writer`: the last to have found that queue empty. `state`:
/// readers that were let in, and these flags.
/// - reader_interest: a group has been announced and not yet let in.
/// - writers, 0 to 2: writers that found the queue empty and whose queue has not run empty since; 2
///   while one that has left the queue is about to take itself away and another has come.
/// - all_counted: the first writer waits for the last reader.
///
/// States between a writer that is first and readers. (1) It finds neither: it holds the lock.
/// (2) It finds readers and no group: it sets all_counted, and holds the lock if they have left
/// meanwhile, else the last of them, who finds the flag, lets it in. (3) It finds a group and no
/// writer: the announcer, which saw no writer, or a writer that left and saw no other is about to
/// let the group in, so the count may reach 0 too early. The element that lets the group in counts
/// its head, finds the writer in the same reference, sets all_counted and only then lets the head
/// go; readers that get on the list until it is taken off go in with it, before the writer. (4) It
/// finds a writer: that one, when it takes itself away, finds it and lets it in, before any reader.
/// A group that is announced while writers is not 0 waits until it is 0.
///
/// A writer that is let in receives what it owes: the amount that the last of its queue takes off
/// `state`. No element refers to a reader's node after it has been let in, nor to a writer's after
/// the next one has written `next`. The published form sets and clears flags where this one counts
/// writers, and lets readers in between a writer and one that has just queued behind it.
/// Source: Mellor-Crummey and Scott, PPoPP 1991; specification, section 6.
class mcs_writer_preference_lock final : public readers_writers_lock {
 public:
  static constexpr std::uint32_t central_words = 4;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  mcs_writer_preference_lock(program_context& context, const memory_place& place);

  void acquire_read() override;
  void release_read() override;
  void acquire_write() override;
  void release_write() override;

 private:
  // Words of a node.
  static constexpr std::uint64_t grant_word = 0;
  static constexpr std::uint64_t next_word = 1;
  // Parts of `state`.
  static constexpr word_t reader_interest = 1;
  static constexpr word_t all_counted = 2;
  static constexpr word_t one_writer = 4;
  static constexpr word_t writers = 12;
  static constexpr word_t one_reader = 16;

  /// Lets the announced group in, but for this element where it is the head itself; returns the
  /// head.
  word_t let_readers_in();
  /// Takes the place of the first writer; says whether it holds the lock at once.
  bool enter_empty_queue();
  void let_in(word_t pointer, word_t granted) {
    context_.store(nodes_.word(pointer, grant_word), granted);
  }

  program_context& context_;
  queue_nodes nodes_;
  std::uint64_t reader_head_;
  std::uint64_t writer_tail_;
  std::uint64_t state_;
  std::uint64_t first_writer_;
  word_t self_;
  word_t owed_ = 0;  ///< by this writer to `state`
  own_grant grant_;
};

}  // namespace tributary
