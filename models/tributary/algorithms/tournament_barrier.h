// SPDX-License-Identifier: Apache-2.0
// The tournament barrier: those who meet know beforehand who goes on, up to a champion and back.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// What may differ from one tournament barrier to another; the same for all elements. Appendix B of
/// FLASH has counts under locks, each on a page of its own, and wakes the nearest first.
struct tournament_options {
  std::uint32_t radix = 2;  ///< elements that meet in a round, at least 2
  /// What tells a winner that a loser has come, and a loser that it is woken: a word of each loser
  /// whose sense turns, or a count that a lock by load-linked and store-conditional guards, and
  /// that who waits for it clears.
  enum class signal : std::uint8_t { senses, locked_counts } signals = signal::senses;
  std::uint64_t distance = 1;  ///< words from one of an element's signals to the next
  /// Whether a winner wakes the losers of its last round first, so that the ways are equally long;
  /// else those of its first round.
  bool farthest_first = true;
  // Of the locks:
  exponential_back_off back_off;
  ll_sc_lock::reading reading = ll_sc_lock::reading::first_exclusive;
};

/// A tournament barrier: in round r (from 0) the winner i, a multiple of 2^(r+1), waits for the
/// loser i + 2^r, who then waits to be woken; a winner without a partner goes on at once. Element
/// 0 is the champion of all rounds; the winners wake the losers of the same pairs, in the reverse
/// order. Every word that is spun on is the spinner's own, and no operation but stores and loads is
/// needed. A sense that turns with each crossing makes resets unnecessary.
/// Source: J. Mellor-Crummey and M. Scott, TOCS 9(1), 1991, whose form it is that wakes by the tree
/// and spins locally; after Hensgen, Finkel and Manber, 1988, whose losers all poll one word. The
/// options are those of J. Heinlein's dissertation (FLASH), 6.2.2 and appendix B.
class tournament_barrier final : public barrier {
 public:
  static constexpr std::uint32_t central_words = 0;
  /// Words that each of so many elements has at `memory_place::local`: one to be woken by and one
  /// for each loser of each round; with locks two each, and with a `distance` so many.
  static std::uint64_t own_words(std::uint32_t elements, const tournament_options& options = {});

  /// Throws `configuration_error` for options out of range.
  tournament_barrier(program_context& context, const memory_place& place,
                     const tournament_options& options = {});

  void cross() override;

 private:
  using signal = tournament_options::signal;

  /// An element's signals, by number: to be woken by, and of the losers of its rounds.
  static constexpr std::uint64_t wake_signal = 0;
  std::uint64_t arrival_signal(std::uint32_t round, std::uint64_t loser) const;
  std::uint64_t address(std::uint64_t element, std::uint64_t number) const;

  /// Elements between those who meet in a round.
  std::uint64_t apart(std::uint32_t round) const;
  /// Of a round that this element wins.
  std::uint64_t losers(std::uint32_t round) const;
  void await_losers(std::uint32_t round);
  void report_to_winner();
  void wake_losers(std::uint32_t round);

  void send(std::uint64_t element, std::uint64_t number);
  /// Returns when so many have sent.
  void await(std::uint64_t number, std::uint64_t senders);

  program_context& context_;
  memory_place place_;
  tournament_options options_;
  std::uint32_t won_ = 0;  // rounds
  word_t sense_ = 0;       // that the next crossing reverses
};

}  // namespace tributary
