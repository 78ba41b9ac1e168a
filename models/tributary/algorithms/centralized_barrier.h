// SPDX-License-Identifier: Apache-2.0
// The centralized barrier: arrivals count by fetch-and-add, and all poll one word.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary {

/// A centralized, sense-reversing barrier: arrivals count by fetch-and-add; the last one resets the
/// counter and releases the others through a word that all poll. Both arrivals and polls combine.
/// Source: FG 4.1, with the choices of the specification, section 6.
class centralized_barrier final : public barrier {
 public:
  /// Words of a `memory_place`: the counter and the release word.
  static constexpr std::uint32_t central_words = 2;
  static constexpr std::uint32_t own_words(std::uint32_t /*elements*/) { return 0; }

  /// Byte addresses of the two words, best in different memory modules: in one, arrivals queue
  /// behind polls.
  centralized_barrier(program_context& context, std::uint64_t counter, std::uint64_t release);
  centralized_barrier(program_context& context, const memory_place& place);

  void cross() override;

 private:
  program_context& context_;
  std::uint64_t counter_;
  std::uint64_t release_;
  word_t sense_ = 0;  // that the next crossing reverses
};

}  // namespace tributary
