// SPDX-License-Identifier: Apache-2.0
#include "sizes.h"

#include <algorithm>

#include <tributary/sim/log2.h>

namespace tributary::benchmarks {

double size_cost::switch_cycles() const {
  return static_cast<double>(elements) / 2 * log2_of(elements) * static_cast<double>(cycles);
}

std::string size_cost::arguments() const {
  return traffic + " " + std::to_string(elements) + " " + std::to_string(warmup) + " " +
         std::to_string(cycles);
}

std::vector<size_cost> size_cases() {
  std::vector<size_cost> costs;
  for (std::uint32_t elements = 64; elements <= 65536; elements *= 4) {
    const std::uint64_t switches = std::uint64_t{elements} / 2 * log2_of(elements);
    // 200 cycles are several round trips. The largest network alone takes half of all the time.
    costs.push_back(
        {"uniform", elements, 200, std::max<std::uint64_t>(50, 12'000'000 / switches), {}, {}});
  }
  // Elements begin in the first 1,000 cycles.
  costs.push_back({"polling", 65536, 1200, 200, {}, {}});
  return costs;
}

}  // namespace tributary::benchmarks
