// SPDX-License-Identifier: Apache-2.0
// How busy the links of a network were.
#pragma once

#include <cstdint>
#include <vector>

namespace tributary {

/// Parts of the time, 0 to 1, that links were busy.
struct network_use {
  std::uint64_t cycles = 0;        ///< over which
  std::vector<double> channels;    ///< of the graph, by their numbers
  std::vector<double> from_hosts;  ///< to their switches, by host
  std::vector<double> to_hosts;
};

}  // namespace tributary
