// SPDX-License-Identifier: Apache-2.0
// Fields of the ports of verilated models, of any width.
#pragma once

#include <cstdint>
#include <type_traits>

#include <tributary/rtl/verilator_runtime.h>

namespace tributary {

/// The `width` (1 to 64) bits of a port from bit `first` on.
template <class Port>
std::uint64_t bits(const Port& port, unsigned first, unsigned width) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return (std::uint64_t{port} >> first) & mask;
  } else {
    std::uint64_t value = 0;
    for (unsigned taken = 0; taken < width;) {
      const unsigned at = first + taken;
      value |= (std::uint64_t{port.at(at / VL_EDATASIZE)} >> (at % VL_EDATASIZE)) << taken;
      taken += VL_EDATASIZE - at % VL_EDATASIZE;
    }
    return value & mask;
  }
}

/// Sets them; bits of `value` above `width` are ignored.
template <class Port>
void set_bits(Port& port, unsigned first, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((std::uint64_t{port} & ~(mask << first)) | ((value & mask) << first));
  } else {
    for (unsigned set = 0; set < width;) {
      const unsigned at = first + set;
      EData& word = port.at(at / VL_EDATASIZE);
      const auto here = static_cast<EData>((mask >> set) << (at % VL_EDATASIZE));
      const auto part = static_cast<EData>(((value & mask) >> set) << (at % VL_EDATASIZE));
      word = (word & ~here) | part;
      set += VL_EDATASIZE - at % VL_EDATASIZE;
    }
  }
}

}  // namespace tributary
