// SPDX-License-Identifier: Apache-2.0
// What the queues and lists of the MCS locks have in common.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// The nodes of a queue or list: a few words in each element's own memory. A pointer to a node is
/// the element's rank + 1, as 0 is none.
class queue_nodes {
 public:
  queue_nodes(const program_context& context, const memory_place& place)
      : context_(context), place_(place) {}

  /// A pointer to this element's node.
  word_t self() const { return word_t{context_.rank()} + 1; }
  /// Byte address of the i-th word (from 0) of the node that `pointer` refers to.
  std::uint64_t word(word_t pointer, std::uint64_t i) const {
    return place_.own(context_, static_cast<std::uint32_t>(pointer - 1), i);
  }

 private:
  const program_context& context_;
  memory_place place_;
};

/// Takes this element out of a queue in which none before it waits; returns who is behind it, or
/// 0. `tail` and `next` are byte addresses: of the word that holds the last of the queue, and of
/// the word in which the one behind leaves its pointer. `self` is what this element has swapped
/// into `tail`.
word_t leave_queue(program_context& context, std::uint64_t tail, word_t self, std::uint64_t next);

/// The word of an element's own node by which another lets it in. It is 0 whenever the element
/// does not wait; the element that lets it in stores something else there.
class own_grant {
 public:
  /// `address`: byte address of the word.
  own_grant(program_context& context, std::uint64_t address)
      : context_(context), address_(address) {}

  /// Returns what another stores there, as soon as it is there.
  word_t await();
  /// Clears the word if this element has waited since it did so last. Called at the end of a
  /// release, where none waits for it.
  void forget();

 private:
  program_context& context_;
  std::uint64_t address_;
  bool waited_ = false;
};

}  // namespace tributary
