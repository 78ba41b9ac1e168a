// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/algorithms/application_process.h>
#include <tributary/sim/error.h>

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

void data_parallel::check_place(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset % word_bytes == 0 && offset < data_bytes() && bytes <= data_bytes() - offset) return;
  throw simulation_error(
      fmt::format("node {} uses {} bytes of data at offset {:#x}; data are at multiples of 8 below "
                  "{:#x}",
                  index(node()), bytes, offset, data_bytes()));
}

void data_parallel::check_item(std::uint64_t offset, std::uint32_t bytes) const {
  if (bytes != 4 && (bytes == 0 || bytes % word_bytes != 0)) {
    throw simulation_error(
        fmt::format("node {} moves an item of {} bytes; items are of 4 bytes or of whole words, 8 "
                    "bytes each",
                    index(node()), bytes));
  }
  check_place(offset, bytes);
}

void data_parallel::check_value(std::uint32_t bytes) const {
  if (bytes == 4 || bytes == word_bytes) return;
  throw simulation_error(fmt::format("node {} combines a value of {} bytes; values have 4 or 8",
                                     index(node()), bytes));
}

}  // namespace tributary
