// SPDX-License-Identifier: Apache-2.0
// The publications' claims as tables of the page, of README and of validation.json.
#pragma once

#include <string>
#include <vector>

#include "published_claims.h"

namespace tributary::validation {

/// A line a publication: how many of its claims have which status, and how many checks of its
/// specification have no row.
std::string claims_summary(const std::vector<publication>& all, const std::vector<row>& rows);

/// The same for a terminal, without the checks.
std::string claims_counts(const std::vector<publication>& all, const std::vector<row>& rows);

/// The claims that rows contradict, each with its rows and the cause.
std::string claims_not_reproduced(const std::vector<publication>& all,
                                  const std::vector<row>& rows);

/// A line a claim, a table a publication.
std::string claims_tables(const std::vector<publication>& all, const std::vector<row>& rows);

/// [{"id", "publication", "place", "says", "check", "status", "rows", "cause"}, ...].
json_value claims_json(const std::vector<publication>& all, const std::vector<row>& rows);

}  // namespace tributary::validation
