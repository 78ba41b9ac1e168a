// SPDX-License-Identifier: Apache-2.0
// The basic master-slave barrier: a flag of each element for the master, one word for all others.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/processor/program.h>

namespace tributary {

/// The others set their flags, half a word each, side by side, and wait for a word to change.
/// Element 0 waits for all flags, clears them and comes back alone; its `release` lets the others
/// go.
/// Source: J. Heinlein's dissertation (FLASH), section 6.2.2 and appendix B, after E. Bugnion et
/// al., 1996.
class master_slave_barrier final : public barrier {
 public:
  /// Words of the flags.
  static constexpr std::uint64_t flag_words(std::uint32_t elements) {
    return (std::uint64_t{elements} + 1) / 2;
  }

  /// Byte addresses of the first word of the flags, which follow each other, and of the word that
  /// releases, in a line of its own.
  master_slave_barrier(program_context& context, std::uint64_t flags, std::uint64_t crossing)
      : context_(context), flags_(flags), crossing_(crossing) {}

  void cross() override;
  /// By element 0 that is back from `cross`: the others come back. Throws `simulation_error` at any
  /// other time, and by others.
  void release();

 private:
  void await_all();
  std::uint64_t flag_word(std::uint32_t element) const;

  program_context& context_;
  std::uint64_t flags_;
  std::uint64_t crossing_;
  word_t crossings_ = 0;  // that element 0 has released
  bool may_release_ = false;
};

}  // namespace tributary
