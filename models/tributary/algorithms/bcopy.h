// SPDX-License-Identifier: Apache-2.0
// Copies by the processor: loads and stores of doublewords, with prefetches or without.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/line.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Who copies a block: the processor, without or with prefetches, or its node's controller.
enum class copy_method : std::uint8_t { bcopy, prefetched_bcopy, fbcopy };
/// Their names in run files.
std::vector<std::pair<std::string, copy_method>> copy_methods();

/// The loop of a copy.
struct copy_loop {
  /// Cycles that it spends on a doubleword, those of the load and the store not included:
  /// addresses, counting, branches. They go with its two accesses in equal parts, so that a loop
  /// with one access a doubleword, which only reads, spends half of them.
  std::uint32_t doubleword_cycles = 9;
  /// Lines of each buffer that a copy with prefetches asks for before it needs them.
  std::uint32_t lines_ahead = 2;

  void bind(parameter_set& parameters);
};

/// Copies `length` bytes from `source` to `destination`, both and `length` multiples of 8, else it
/// throws `simulation_error`. The buffers must not overlap.
void bcopy(program_context& context, const copy_loop& loop, std::uint64_t source,
           std::uint64_t destination, std::uint64_t length);

/// The same on a processor with caches, which prefetches lines of `line`: those of the source to be
/// read, those of the destination to be written. `simulation_error` on other processors.
void prefetched_bcopy(program_context& context, const copy_loop& loop, line_size line,
                      std::uint64_t source, std::uint64_t destination, std::uint64_t length);

/// Loads `length` bytes from `from` on, multiples of 8, one doubleword after the other.
void read_buffer(program_context& context, const copy_loop& loop, std::uint64_t from,
                 std::uint64_t length);

}  // namespace tributary
