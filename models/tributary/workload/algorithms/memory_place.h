// SPDX-License-Identifier: Apache-2.0
// Where an algorithm keeps its words.
#pragma once

#include <cstdint>

#include <tributary/base/ids.h>
#include <tributary/workload/program.h>

namespace tributary {

/// A place for one instance of an algorithm: central words, each in a memory module of its own,
/// and words of each element in its own module. Instances that share neither central rows nor
/// local words can be used side by side.
struct memory_place {
  std::uint32_t module = 0;  ///< of the first central word
  std::uint64_t row = 0;     ///< of the region "shared", of all central words
  std::uint64_t local = 0;   ///< first word of the region "local" that each element has

  /// Byte address of the i-th central word: in the i-th module from `module` on, the first one
  /// following the last.
  std::uint64_t central(const program_context& context, std::uint32_t i) const {
    return context.shared_address(mm_id{(module + i) % context.size()}, row);
  }
  /// Byte address of the i-th of an element's own words.
  std::uint64_t own(const program_context& context, std::uint32_t element, std::uint64_t i) const {
    return context.local_address(pe_id{element}, local + i);
  }
};

}  // namespace tributary
