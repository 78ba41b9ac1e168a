// SPDX-License-Identifier: Apache-2.0
// Where an algorithm keeps its words.
#pragma once

#include <cstdint>

#include <tributary/processor/program.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// A place for one instance of an algorithm: central words, in memory modules of their own as far
/// as there are enough, and words of each element in its own module. Instances that share neither
/// central rows nor local words can be used side by side.
struct memory_place {
  std::uint32_t module = 0;  ///< of the first central word
  std::uint64_t row = 0;     ///< of the region "shared", of the first N central words
  std::uint64_t local = 0;   ///< first word of the region "local" that each element has

  /// Rows, of a word in each of N modules, that so many central words take from `row` on.
  static std::uint64_t rows(std::uint64_t words, std::uint32_t modules) {
    return words / modules + (words % modules == 0 ? 0 : 1);
  }
  /// Byte address of the i-th central word (from 0) on N modules: modules count from `module` on
  /// and wrap around, and word i lies in row `row` + i / N.
  std::uint64_t central(const program_context& context, std::uint64_t i) const {
    const std::uint32_t modules = context.nodes();
    const std::uint64_t at = (module + i) % modules;
    return context.shared_address(mm_id{static_cast<std::uint32_t>(at)}, row + i / modules);
  }
  /// Byte address of the i-th of an element's own words (from 0).
  std::uint64_t own(const program_context& context, std::uint32_t element, std::uint64_t i) const {
    return context.local_address(pe_id{element}, local + i);
  }
};

}  // namespace tributary
