// SPDX-License-Identifier: Apache-2.0
// The middle of several measurements, and how far they lie apart.
#pragma once

#include <vector>

namespace tributary::benchmarks {

/// Least, middle and greatest.
struct spread {
  double median = 0, least = 0, greatest = 0;
};
spread spread_of(std::vector<double> values);

}  // namespace tributary::benchmarks
