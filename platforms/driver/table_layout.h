// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

/// A table in which results are shown.
struct table_layout {
  std::string title;
  std::vector<std::string> rows;  ///< parameters that tell rows apart
  std::string columns;            ///< "series", a parameter, or empty for a single column
  /// Path of a statistic; "*" in it stands for every name at that place, each making a row.
  std::string value;
  std::uint32_t decimals = 1;
  /// Identifiers in the platform's list of published numbers that belong beside the table.
  std::vector<std::string> published;
};

}  // namespace tributary
