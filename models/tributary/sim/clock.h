// SPDX-License-Identifier: Apache-2.0
// Clock domains: how long a cycle is, and what that makes of rates.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Bits a second, as of a link.
enum class bit_rate : std::uint64_t {};

/// The rate of so many megabytes (10^6 bytes) a second.
constexpr bit_rate megabytes_per_second(std::uint64_t megabytes) {
  return bit_rate{megabytes * 8000000};
}

/// What shares a clock. Cores count cycles and ask no clock for the time; code that turns seconds
/// into cycles, or cycles into seconds, does it by the domain's period, once.
struct clock_domain {
  /// Picoseconds. MAGIC runs at 100 MHz (FLASH 2.2).
  std::uint64_t period = 10000;

  /// Cycles in which a link of that rate carries so many bytes, rounded up. Up to 2^17 bytes at up
  /// to 100 GB/s.
  std::uint64_t cycles_of(std::uint64_t bytes, bit_rate rate) const;
  /// Megabytes (10^6 bytes) a second, if so many bytes took so many cycles; 0 if they took none.
  double megabytes_a_second(std::uint64_t bytes, std::uint64_t cycles) const;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
