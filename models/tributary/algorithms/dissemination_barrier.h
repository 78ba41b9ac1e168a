// SPDX-License-Identifier: Apache-2.0
// The dissemination barrier: in each of log2 N rounds each element signals another.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>
#include <tributary/sim/log2.h>

namespace tributary {

/// A dissemination barrier: in round r element i stores a flag in the memory of element i + 2^r
/// modulo N and spins on its own, so that after the rounded-up logarithm of N rounds it has heard,
/// through others, of all. Nothing is hot, and spinning stays off the network. Two sets of
/// flags by parity, and a sense that turns after both, make resets unnecessary. Source: J.
/// Mellor-Crummey and M. Scott, "Algorithms for scalable synchronization on shared-memory
/// multiprocessors", TOCS 9(1), 1991; Hensgen, Finkel and Manber, 1988.
class dissemination_barrier final : public barrier {
 public:
  static constexpr std::uint32_t central_words = 0;
  /// Words that each of so many elements has at `memory_place::local`.
  static std::uint32_t own_words(std::uint32_t elements) { return 2 * rounds(elements); }
  /// Signals that an element sends in a crossing.
  static std::uint32_t rounds(std::uint32_t elements) { return log2_of(elements); }

  /// With `posted_signals` none waits for the store of a signal before looking for its own.
  dissemination_barrier(program_context& context, const memory_place& place,
                        bool posted_signals = false);

  void cross() override;

 private:
  void signal(std::uint64_t address);

  program_context& context_;
  memory_place place_;
  bool posted_signals_;
  std::uint32_t rounds_;
  std::uint32_t parity_ = 0;
  word_t sense_ = 1;
};

}  // namespace tributary
