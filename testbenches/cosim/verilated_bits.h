// SPDX-License-Identifier: Apache-2.0
// Fields of the ports of verilated models, of any width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <verilated.h>

namespace tributary::testing {

/// The `width` (1 to 64) bits of a port from bit `first` on.
template <class Port>
std::uint64_t bits(const Port& port, unsigned first, unsigned width) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return (std::uint64_t{port} >> first) & mask;
  } else {
    constexpr unsigned word = 32;
    std::uint64_t value = 0;
    for (unsigned taken = 0; taken < width;) {
      const unsigned at = first + taken;
      value |= (std::uint64_t{port.at(at / word)} >> (at % word)) << taken;
      taken += word - at % word;
    }
    return value & mask;
  }
}

/// Sets them.
template <class Port>
void set_bits(Port& port, unsigned first, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const bool one = ((value >> i) & 1U) != 0;
    if constexpr (std::is_integral_v<Port>) {
      const auto bit = static_cast<Port>(Port{1} << (first + i));
      port = static_cast<Port>(one ? port | bit : port & static_cast<Port>(~bit));
    } else {
      auto& word = port.at((first + i) / 32);
      const auto bit = EData{1} << ((first + i) % 32);
      word = one ? word | bit : word & ~bit;
    }
  }
}

}  // namespace tributary::testing
