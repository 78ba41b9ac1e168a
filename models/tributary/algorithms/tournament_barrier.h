// SPDX-License-Identifier: Apache-2.0
// The tournament barrier: pairs whose winners are known beforehand, up to a champion and back.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// A tournament barrier: in round r (from 0) the winner i, a multiple of 2^(r+1), waits for the
/// loser i + 2^r, who then waits to be woken; a winner without a partner goes on at once. Element
/// 0 is the champion of all rounds; the winners wake the losers of the same pairs, in the reverse
/// order. Every word that is spun on is the spinner's own, and no operation but stores and loads is
/// needed. A sense that turns with each crossing makes resets unnecessary.
/// Source: J. Mellor-Crummey and M. Scott, TOCS 9(1), 1991, whose form it is that wakes by the tree
/// and spins locally; after Hensgen, Finkel and Manber, 1988, whose losers all poll one word.
class tournament_barrier final : public barrier {
 public:
  static constexpr std::uint32_t central_words = 0;
  /// Words that each of so many elements has at `memory_place::local`: one to be woken by and one
  /// for each round.
  static std::uint32_t own_words(std::uint32_t elements);

  tournament_barrier(program_context& context, const memory_place& place);

  void cross() override;

 private:
  static constexpr std::uint64_t wake_word = 0;
  static std::uint64_t arrival_word(std::uint32_t round) { return std::uint64_t{1} + round; }

  /// Element that loses to this one in the round; it may not exist.
  std::uint64_t loser(std::uint32_t round) const {
    return context_.rank() + (std::uint64_t{1} << round);
  }
  void signal(std::uint64_t element, std::uint64_t word);
  void await(std::uint64_t word);

  program_context& context_;
  memory_place place_;
  std::uint32_t won_ = 0;  // rounds
  word_t sense_ = 0;       // that the next crossing reverses
};

}  // namespace tributary
