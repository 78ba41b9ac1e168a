// SPDX-License-Identifier: Apache-2.0
// The MCS tree barrier: arrivals climb a tree of four children a node, wake-ups a binary one.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// The tree barrier of Mellor-Crummey and Scott: element i is a node of both trees. Its children
/// 4i + 1 to 4i + 4 report by a byte each of one word, its own, that it spins on until all have;
/// then it reports to its parent, is woken, and wakes its children 2i + 1 and 2i + 2 of the binary
/// tree. 2 (N - 1) signals in all, the fewest possible. A sense that turns with each crossing, in
/// the bytes too, makes resets unnecessary.
/// Source: J. Mellor-Crummey and M. Scott, TOCS 9(1), 1991, where the bytes are reset instead.
class mcs_tree_barrier final : public barrier {
 public:
  static constexpr std::uint32_t central_words = 0;
  /// Words at `memory_place::local`: the children's bytes, and the one to be woken by.
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 2; }

  mcs_tree_barrier(program_context& context, const memory_place& place);

  void cross() override;

 private:
  static constexpr std::uint32_t arrival_fan = 4;
  static constexpr std::uint32_t wake_fan = 2;
  static constexpr std::uint64_t children_word = 0;
  static constexpr std::uint64_t wake_word = 1;

  void await_children();
  void report_to_parent();
  void wake_children();

  program_context& context_;
  memory_place place_;
  word_t children_ = 0;  // 1 in the byte of each
  word_t sense_ = 0;     // that the next crossing reverses
};

}  // namespace tributary
