// SPDX-License-Identifier: Apache-2.0
// The rows as they were measured last, in a file next to the page, so that a part can be measured
// again without the hours of the rest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "row.h"

namespace tributary::validation {

/// What was measured, by id of the row, each with the version of the project that measured it. A
/// value counts as long as the row says the same, of the same preset with the same settings; what a
/// preset or the code has become since is not seen.
class measured_rows {
 public:
  /// Reads the file; none there is none measured. Throws `input_error` for one that is no such
  /// file.
  explicit measured_rows(const std::string& path);

  /// Gives a row that is not measured what was measured last, if it is the same row.
  void give(row& wanted) const;

  /// The file of these rows, in the order of versions and ids; rows without a value are left out.
  static std::string to_text(const std::vector<row>& rows);

 private:
  struct value {
    std::string version;
    row_state state;
    double measured;
    std::string digest;
  };
  std::map<std::string, value> values_;
};

}  // namespace tributary::validation
