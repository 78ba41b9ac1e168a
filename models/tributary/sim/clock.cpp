// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/clock.h>

#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint64_t picoseconds_a_second = 1000000000000;

}  // namespace

std::uint64_t clock_domain::cycles_of(std::uint64_t bytes, bit_rate rate) const {
  const std::uint64_t scaled_bits_a_cycle = static_cast<std::uint64_t>(rate) * period;
  return (bytes * 8 * picoseconds_a_second + scaled_bits_a_cycle - 1) / scaled_bits_a_cycle;
}

double clock_domain::megabytes_a_second(std::uint64_t bytes, std::uint64_t cycles) const {
  if (cycles == 0) return 0.0;
  const double byte_a_cycle_rate = 1e6 / static_cast<double>(period);
  return byte_a_cycle_rate * static_cast<double>(bytes) / static_cast<double>(cycles);
}

void clock_domain::bind(parameter_set& parameters) {
  parameters.add("period", period, {100, 1000000}, "ps",
                 "Length of a cycle: 10,000 ps are 100 MHz.");
}

}  // namespace tributary
