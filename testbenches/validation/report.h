// SPDX-License-Identifier: Apache-2.0
// The rows as a table on a terminal, as validation.json and as a page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "family.h"
#include "published_claims.h"
#include "row.h"

namespace tributary::validation {

/// Remarks on rows that need one, by id of the row or of a group of rows; from notes.json.
class row_notes {
 public:
  row_notes() = default;
  /// Throws `input_error` for a file that cannot be read.
  explicit row_notes(const std::string& path);

  /// The note of the row itself; empty if it has none.
  std::string of(const std::string& id) const;
  /// Notes of the check or of groups of its rows.
  std::vector<std::pair<std::string, std::string>> of_groups(const std::string& check,
                                                             const std::vector<row>& rows) const;

 private:
  std::vector<std::pair<std::string, std::string>> notes_;
};

/// How many rows of a kind hold, fail, are undecided, were not measured, and are only shown.
struct tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t undecided = 0;
  std::size_t not_measured = 0;
  std::size_t shown = 0;
};

std::map<row_kind, tally> count_by_kind(const std::vector<row>& rows);

/// {"schema": "tributary.validation/2", "version", "summary", "claims", "rows"}.
json_value to_json(const std::vector<row>& rows, const std::vector<publication>& publications,
                   const row_notes& notes);

/// A line a row, the counts by kind, the claims that are not reproduced, and what is not as
/// expected.
std::string to_terminal(const std::vector<row>& rows, const std::vector<publication>& publications);

/// docs/validation.md.
std::string to_page(const std::vector<row>& rows, const std::vector<publication>& publications,
                    const std::vector<check_title>& checks, const row_notes& notes);

}  // namespace tributary::validation
