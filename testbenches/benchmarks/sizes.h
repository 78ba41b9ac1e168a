// SPDX-License-Identifier: Apache-2.0
// What a simulation costs by the size of its network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::benchmarks {

/// A machine in a process of its own, `machine_probe`, and what that took; one value a round.
struct size_cost {
  std::string traffic;  ///< "uniform" or "polling", as `uniform_case` and `polling_case` have it
  std::uint32_t elements = 0;
  std::uint64_t warmup = 0;
  std::uint64_t cycles = 0;  ///< that are timed
  std::vector<double> seconds;
  std::vector<double> megabytes;

  /// Switches times timed cycles, busy or idle.
  double switch_cycles() const;
  std::string arguments() const;
};

/// Uniform load at 64 elements, 256 and so on to 65,536, then polling at 65,536; not yet measured.
std::vector<size_cost> size_cases();

}  // namespace tributary::benchmarks
