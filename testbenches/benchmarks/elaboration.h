// SPDX-License-Identifier: Apache-2.0
// What it takes to elaborate a network with its sockets (goal G9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::benchmarks {

/// One value a run of `elaboration_probe`.
struct elaboration_cost {
  std::uint32_t elements = 0;
  std::vector<double> seconds;    ///< CPU seconds, from the first constructor to the first delta
  std::vector<double> megabytes;  ///< greatest resident set of the process, 10^6 bytes

  std::string arguments() const { return std::to_string(elements); }
};

}  // namespace tributary::benchmarks
