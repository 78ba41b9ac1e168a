// SPDX-License-Identifier: Apache-2.0
// The MCS tree barrier: arrivals climb one tree, wake-ups descend another.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// What may differ from one MCS tree barrier to another; the same for all elements.
struct mcs_tree_options {
  std::uint32_t arrival_fan = 4;  ///< children in the tree of arrivals, 1 to 8
  std::uint32_t wake_fan = 2;     ///< children in the tree of wake-ups, at least 1
  /// Whether an element clears its children's bytes, as MCS do; else they turn with the sense.
  bool clears_bytes = false;
  /// Whether element 0 comes back alone, and wakes the others by `release` (FLASH 6.2.2).
  bool two_phase = false;
};

/// The tree barrier of Mellor-Crummey and Scott: element i is a node of both trees. Its children
/// 4i + 1 to 4i + 4 report by a byte each of one word, its own, that it spins on until all have;
/// then it reports to its parent, is woken, and wakes its children 2i + 1 and 2i + 2 of the binary
/// tree. 2 (N - 1) signals in all, the fewest possible. A sense that turns with each crossing, in
/// the bytes too, makes resets unnecessary.
/// Source: J. Mellor-Crummey and M. Scott, TOCS 9(1), 1991, where the bytes are reset instead;
/// other fans and a master that wakes the others are those of FLASH 6.2.2.
class mcs_tree_barrier final : public barrier {
 public:
  static constexpr std::uint32_t central_words = 0;
  /// Words at `memory_place::local`: the children's bytes, and the one to be woken by.
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  /// Throws `configuration_error` for a fan out of range.
  mcs_tree_barrier(program_context& context, const memory_place& place,
                   const mcs_tree_options& options = {});

  void cross() override;
  /// By element 0 that is back from `cross`: the others come back. Throws `simulation_error` at any
  /// other time, by others, and without `two_phase`.
  void release();

 private:
  static constexpr std::uint32_t most_arrivals = 8;  // bytes of a word
  static constexpr std::uint64_t children_word = 0;
  static constexpr std::uint64_t wake_word = 1;

  void await_children();
  void report_to_parent();
  void wake_children();
  /// What a child's byte turns to.
  word_t arrived() const { return options_.clears_bytes ? 1 : sense_; }

  program_context& context_;
  memory_place place_;
  mcs_tree_options options_;
  word_t children_ = 0;  // 1 in the byte of each
  word_t sense_ = 0;     // that the next crossing reverses
  bool may_release_ = false;
};

}  // namespace tributary
