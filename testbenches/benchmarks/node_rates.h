// SPDX-License-Identifier: Apache-2.0
// What FLASH nodes cost in the plain loop, by their number (goal G12).
#pragma once

#include <cstdint>
#include <vector>

#include "node_work.h"

namespace tributary::benchmarks {

/// A machine of busy nodes; one value a round.
struct node_cost {
  node_traffic traffic = node_traffic::copies;
  std::uint32_t nodes = 0;
  std::uint64_t cycles = 0;      ///< that are timed
  std::uint64_t dispatches = 0;  ///< in these, of all nodes
  std::vector<double> seconds;   ///< CPU

  double node_cycles() const { return static_cast<double>(nodes) * static_cast<double>(cycles); }
};

/// Loads on 2 nodes, copies on 2, 16 and 128, each `times` times, in each round all one after the
/// other.
std::vector<node_cost> measure_nodes(unsigned times);

}  // namespace tributary::benchmarks
