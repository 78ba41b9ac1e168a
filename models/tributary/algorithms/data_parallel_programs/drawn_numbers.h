// SPDX-License-Identifier: Apache-2.0
// The data that programs begin with: the same for every number of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/sim/random_stream.h>

namespace tributary::data_parallel_programs {

/// Row `row` of the data that `system` names: `count` numbers from -1 to 1.
inline std::vector<double> drawn_numbers(std::uint64_t system, std::uint32_t row,
                                         std::uint32_t count) {
  random_stream draws(system, row, purpose::placement);
  std::vector<double> made(count);
  for (double& each : made) each = static_cast<double>(draws.next_u32()) / 0x1p31 - 1;
  return made;
}

}  // namespace tributary::data_parallel_programs
