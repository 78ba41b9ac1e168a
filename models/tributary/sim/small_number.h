// SPDX-License-Identifier: Apache-2.0
// Numbers of one byte that compilers can tell from all other memory.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <tributary/sim/state.h>

namespace tributary {

/// A `std::uint8_t` that is no character type. By those C++ lets any object be changed, so that
/// after each write of one, compilers read everything else again that they had in registers.
class small_number {
 public:
  constexpr small_number() = default;
  constexpr small_number(std::uint8_t value) : value_(static_cast<number>(value)) {}
  constexpr operator std::uint8_t() const { return static_cast<std::uint8_t>(value_); }

  constexpr small_number& operator++() { return *this = static_cast<std::uint8_t>(*this + 1); }
  constexpr small_number& operator--() { return *this = static_cast<std::uint8_t>(*this - 1); }

  TRIBUTARY_STATE(value_);

 private:
  enum class number : std::uint8_t {};
  number value_{};
};

static_assert(sizeof(small_number) == 1);
static_assert(std::is_same_v<std::uint8_t, unsigned char>, "by which any object may be read");

/// The numbers as bytes, for loops over many of them.
inline const std::uint8_t* bytes_of(const std::vector<small_number>& numbers) {
  return reinterpret_cast<const std::uint8_t*>(numbers.data());
}
/// The same, to change them.
inline std::uint8_t* bytes_of(std::vector<small_number>& numbers) {
  return reinterpret_cast<std::uint8_t*>(numbers.data());
}

}  // namespace tributary
