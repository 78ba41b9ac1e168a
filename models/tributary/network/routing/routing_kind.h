// SPDX-License-Identifier: Apache-2.0
// The routings of machines by their names.
#pragma once

#include <cstdint>

namespace tributary {

/// In which order routes take the dimensions of a graph.
enum class routing_kind : std::uint8_t {
  ascending,  ///< mesh first x then y, hypercube lowest bit first
  descending  ///< the reverse
};

}  // namespace tributary
