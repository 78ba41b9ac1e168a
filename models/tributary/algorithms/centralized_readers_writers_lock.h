// SPDX-License-Identifier: Apache-2.0
// The centralized readers-writers lock by fetch-and-add: one word, writers have priority.
#pragma once

#include <cstdint>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// One word counts the readers and hands out turns to writers. Uncontested, acquiring is one
/// fetch-and-add and releasing is another, so that readers combine and none waits for another.
///
/// The word, from its lowest bit: readers (64 - 2 k bits), turns served (k bits), turns issued (k
/// bits, whose overflow leaves the word). A writer is there when the turns differ. The release of
/// the last turn before the wrap carries from the turns served into those issued; the writer knows
/// its turn and takes the carry back in the same fetch-and-add.
///
/// A reader that finds a writer takes itself out again and polls until no writer is there. A writer
/// polls until its turn has come and no reader is left; readers that come and go in vain can delay
/// it and never enter. Writers are first come, first served; readers can starve.
/// Source: specification, section 6; FG 4.2, who name Gottlieb, Lubachevsky and Rudolph.
class centralized_readers_writers_lock final : public readers_writers_lock {
 public:
  static constexpr std::uint32_t central_words = 1;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }
  static constexpr unsigned default_turn_bits = 20;

  /// Throws `configuration_error` unless `turn_bits` is 1 to 31 and there are fewer elements than
  /// 2^turn_bits and than 2^(64 - 2 turn_bits): more could overflow the turns or the readers.
  centralized_readers_writers_lock(program_context& context, const memory_place& place,
                                   unsigned turn_bits = default_turn_bits);

  void acquire_read() override;
  void release_read() override;
  void acquire_write() override;
  void release_write() override;

 private:
  word_t readers(word_t word) const { return word & (one_served_ - 1); }
  word_t issued(word_t word) const { return word >> (64 - turn_bits_); }
  word_t served(word_t word) const { return (word >> (64 - 2 * turn_bits_)) & last_turn_; }
  bool writer_present(word_t word) const { return issued(word) != served(word); }
  bool lets_in(word_t word) const { return served(word) == turn_ && readers(word) == 0; }

  program_context& context_;
  std::uint64_t word_;
  unsigned turn_bits_;
  word_t last_turn_;
  word_t one_served_;
  word_t one_issued_;
  word_t turn_ = 0;  ///< of this element as a writer
};

}  // namespace tributary
