// SPDX-License-Identifier: Apache-2.0
// Read-modify-write operations on a doubleword, as the hart asks its memories for them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace riscv {

/// What an atomic does to the doubleword x at its address, given the operand y.
enum class atomic_kind : std::uint8_t {
  swap,              ///< y
  add,               ///< x + y
  exclusive_or,      ///< x ^ y
  bitwise_and,       ///< x & y
  bitwise_or,        ///< x | y
  minimum,           ///< the smaller one as two's complement
  maximum,           ///< the greater one as two's complement
  minimum_unsigned,  ///< the smaller one
  maximum_unsigned,  ///< the greater one
  compare_and_swap   ///< y if x is the expected value, else x
};

/// An operation with its operands; `expected` is read by `compare_and_swap` only.
struct atomic {
  atomic_kind kind = atomic_kind::swap;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

/// The doubleword that `access` leaves where it found `x`.
constexpr std::uint64_t apply(const atomic& access, std::uint64_t x) {
  const std::uint64_t y = access.operand;
  const auto signed_x = static_cast<std::int64_t>(x);
  const auto signed_y = static_cast<std::int64_t>(y);
  switch (access.kind) {
    case atomic_kind::swap:
      return y;
    case atomic_kind::add:
      return x + y;
    case atomic_kind::exclusive_or:
      return x ^ y;
    case atomic_kind::bitwise_and:
      return x & y;
    case atomic_kind::bitwise_or:
      return x | y;
    case atomic_kind::minimum:
      return signed_x < signed_y ? x : y;
    case atomic_kind::maximum:
      return signed_x > signed_y ? x : y;
    case atomic_kind::minimum_unsigned:
      return std::min(x, y);
    case atomic_kind::maximum_unsigned:
      return std::max(x, y);
    case atomic_kind::compare_and_swap:
      return x == access.expected ? y : x;
  }
  return x;
}

}  // namespace riscv
