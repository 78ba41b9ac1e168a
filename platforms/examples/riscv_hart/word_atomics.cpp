// SPDX-License-Identifier: Apache-2.0
#include "word_atomics.h"

namespace riscv {
namespace {

using tributary::operation;

constexpr std::uint64_t low_word = 0xffffffff;

/// The atomic on the doubleword that does the same and leaves the other word alone, if there is
/// one.
std::optional<atomic> widened(const atomic& access, unsigned shift) {
  const std::uint64_t operand = (access.e & low_word) << shift;
  switch (access.operation) {
    case operation::fetch_or:
    case operation::fetch_xor:
      return atomic{access.operation, operand};
    case operation::fetch_and:
      return atomic{access.operation, operand | ~(low_word << shift)};
    case operation::fetch_add:
      if (shift != 0) return atomic{access.operation, operand};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// What the word becomes. As doublewords, words compare as they do if they are extended alike.
std::uint64_t changed(const atomic& access, std::uint64_t word) {
  const bool is_signed =
      access.operation == operation::fetch_min || access.operation == operation::fetch_max;
  const auto extended = [is_signed](std::uint64_t x) {
    const auto low = static_cast<std::uint32_t>(x);
    if (!is_signed) return std::uint64_t{low};
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)});
  };
  const atomic on_doubleword{access.operation, extended(access.e), extended(access.f)};
  return tributary::apply(on_doubleword.function(), extended(word)) & low_word;
}

}  // namespace

std::optional<std::uint32_t> perform_on_word(memory_port& memory, std::uint64_t address,
                                             const atomic& access) {
  const std::uint64_t doubleword = address & ~std::uint64_t{7};
  const unsigned shift = 8 * static_cast<unsigned>(address & 4U);
  const auto word_of = [shift](std::uint64_t all) {
    return static_cast<std::uint32_t>(all >> shift);
  };
  if (const std::optional<atomic> wide = widened(access, shift)) {
    const std::optional<std::uint64_t> old = memory.perform(doubleword, *wide);
    if (!old) return std::nullopt;
    return word_of(*old);
  }
  std::optional<std::uint64_t> seen = memory.load(doubleword, 8);
  while (seen) {
    const std::uint64_t wanted = (*seen & ~(low_word << shift)) | changed(access, word_of(*seen))
                                                                      << shift;
    if (wanted == *seen) return word_of(*seen);  // nothing to write
    const std::optional<std::uint64_t> old =
        memory.perform(doubleword, {operation::compare_and_swap, *seen, wanted});
    if (old == seen) return word_of(*seen);
    seen = old;
  }
  return std::nullopt;
}

}  // namespace riscv
