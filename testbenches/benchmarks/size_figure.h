// SPDX-License-Identifier: Apache-2.0
// Cost against size as a vector graphic.
#pragma once

#include <string>
#include <vector>

#include "sizes.h"

namespace tributary::benchmarks {

/// An SVG of three panels over the number of elements under uniform load: CPU time per
/// switch-cycle, CPU time per 1,000 cycles, memory. Marks are medians, bars reach from the least to
/// the greatest. On white, so that it is readable on a dark page too.
std::string size_figure(const std::vector<size_cost>& costs);

}  // namespace tributary::benchmarks
