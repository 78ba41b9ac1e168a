// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel.h>

#include <algorithm>

#include <tributary/algorithms/application_process.h>

namespace tributary {

word_t combined(combining_operation operation, word_t x, word_t y) {
  const auto as_signed = [](word_t word) { return static_cast<std::int64_t>(word); };
  switch (operation) {
    case combining_operation::maximum:
      return as_signed(x) < as_signed(y) ? y : x;
    case combining_operation::minimum:
      return as_signed(y) < as_signed(x) ? y : x;
    case combining_operation::sum_double:
      return word_of(double_of(x) + double_of(y));
    case combining_operation::maximum_double:
      return word_of(std::max(double_of(x), double_of(y)));
    case combining_operation::sum:
      break;
  }
  return x + y;
}

}  // namespace tributary
