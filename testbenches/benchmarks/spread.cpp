// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include <algorithm>
#include <cstddef>

#include <tributary/sim/error.h>

namespace tributary::benchmarks {

spread spread_of(std::vector<double> values) {
  if (values.empty()) throw error("nothing was measured");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

}  // namespace tributary::benchmarks
