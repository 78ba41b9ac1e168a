// SPDX-License-Identifier: Apache-2.0
// What a reduction makes of two words.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/protocols/reductions/software_double.h>

namespace tributary {

/// Operations of a reduction, with their numbers in commands. All but the last three are of
/// integers modulo 2^64, in two's complement where nothing else is said.
enum class reduction_operation : std::uint8_t {
  sum,
  min,
  max,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  double_sum,
  double_min,
  double_max
};

/// Whether it takes words as doubles.
constexpr bool is_of_doubles(reduction_operation operation) {
  return operation >= reduction_operation::double_sum;
}

/// `a` comes before `b` in the order of the reduction, which matters for sums of doubles only.
constexpr word_t combine(reduction_operation operation, word_t a, word_t b) {
  switch (operation) {
    case reduction_operation::sum:
      return a + b;
    case reduction_operation::min:
      return static_cast<std::int64_t>(b) < static_cast<std::int64_t>(a) ? b : a;
    case reduction_operation::max:
      return static_cast<std::int64_t>(b) > static_cast<std::int64_t>(a) ? b : a;
    case reduction_operation::min_unsigned:
      return b < a ? b : a;
    case reduction_operation::max_unsigned:
      return b > a ? b : a;
    case reduction_operation::bit_and:
      return a & b;
    case reduction_operation::bit_or:
      return a | b;
    case reduction_operation::bit_xor:
      return a ^ b;
    case reduction_operation::double_sum:
      return software_double::sum(a, b);
    case reduction_operation::double_min:
      return software_double::min(a, b);
    case reduction_operation::double_max:
      return software_double::max(a, b);
  }
  return a;
}

}  // namespace tributary
