// SPDX-License-Identifier: Apache-2.0
// Doubles by integer instructions, for a processor that has no others (FLASH 7.2.1).
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>

namespace tributary {

/// IEEE 754 doubles as words: 1 bit sign, 11 exponent, 52 fraction. Results are those of a
/// floating-point unit that rounds to nearest, ties to even, with subnormals. Where an operand is
/// no number the result is that operand, quiet, the first of two; infinities of two signs add up to
/// `no_number`.
struct software_double {
  static constexpr word_t sign = word_t{1} << 63;
  static constexpr word_t infinity = word_t{0x7ff} << 52;
  static constexpr word_t quiet = word_t{1} << 51;
  static constexpr word_t no_number = infinity | quiet;

  static constexpr word_t magnitude(word_t a) { return a & ~sign; }
  static constexpr bool is_number(word_t a) { return magnitude(a) <= infinity; }

  static constexpr word_t sum(word_t a, word_t b) {
    if (!is_number(a)) return a | quiet;
    if (!is_number(b)) return b | quiet;
    const bool swapped = magnitude(b) > magnitude(a);
    const word_t larger = swapped ? b : a;
    const word_t smaller = swapped ? a : b;
    const bool same_sign = ((a ^ b) & sign) == 0;
    if (magnitude(larger) == infinity) {
      return same_sign || magnitude(smaller) != infinity ? larger : no_number;
    }
    const word_t aligned =
        shifted_right(significand(smaller), exponent(larger) - exponent(smaller));
    if (same_sign) {
      return rounded(larger & sign, exponent(larger), significand(larger) + aligned);
    }
    const word_t difference = significand(larger) - aligned;
    return difference == 0 ? 0 : rounded(larger & sign, exponent(larger), difference);
  }

  /// Of a zero of each sign the negative one.
  static constexpr word_t min(word_t a, word_t b) { return first(a, b, place(b) < place(a)); }
  /// Of a zero of each sign the positive one.
  static constexpr word_t max(word_t a, word_t b) { return first(a, b, place(b) > place(a)); }

 private:
  /// Bits below the fraction, for rounding: half, quarter, and whether there is anything below.
  static constexpr unsigned extra_bits = 3;
  static constexpr word_t one = word_t{1} << (52 + extra_bits);

  /// Subnormals have the exponent of the least normal ones.
  static constexpr word_t exponent(word_t a) {
    const word_t field = magnitude(a) >> 52;
    return field == 0 ? 1 : field;
  }
  static constexpr word_t significand(word_t a) {
    const word_t fraction = (a & ((word_t{1} << 52) - 1)) << extra_bits;
    return magnitude(a) >> 52 == 0 ? fraction : fraction | one;
  }
  /// The last bit tells whether any was lost.
  static constexpr word_t shifted_right(word_t a, word_t by) {
    if (by == 0) return a;
    if (by > 63) return a == 0 ? 0 : 1;
    return a >> by | ((a & ((word_t{1} << by) - 1)) == 0 ? 0 : 1);
  }
  static constexpr word_t rounded(word_t sign_bit, word_t power, word_t value) {
    if (value >= 2 * one) {
      value = shifted_right(value, 1);
      ++power;
    }
    while (value < one && power > 1) {
      value <<= 1;
      --power;
    }
    const word_t below = value & ((word_t{1} << extra_bits) - 1);
    value >>= extra_bits;
    constexpr word_t half = word_t{1} << (extra_bits - 1);
    if (below > half || (below == half && (value & 1) != 0)) ++value;
    // The leading bit of a normal value adds 1 to the exponent, and so does one that rounding has
    // carried out of it.
    const word_t result = ((power - 1) << 52) + value;
    return sign_bit | (result > infinity ? infinity : result);
  }

  /// A place among all numbers from negative infinity on.
  static constexpr word_t place(word_t a) { return (a & sign) != 0 ? ~a : a | sign; }
  static constexpr word_t first(word_t a, word_t b, bool takes_second) {
    if (!is_number(a)) return a | quiet;
    if (!is_number(b)) return b | quiet;
    return takes_second ? b : a;
  }
};

}  // namespace tributary
