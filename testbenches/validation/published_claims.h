// SPDX-License-Identifier: Apache-2.0
// What the publications claim, each claim once, and what the rows behind it make of it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "row.h"

namespace tributary::validation {

enum class claim_status {
  reproduced,      ///< all its rows hold, and nothing was fitted to them
  calibrated,      ///< they hold, and an input was fitted to one
  input,           ///< they hold, because one goes in and comes out again
  not_reproduced,  ///< a row fails
  undecided,       ///< a row is undecided or was not measured
  not_modelled     ///< there is no row
};

/// As it stands in tables: "not yet modelled".
std::string name_of(claim_status status);

/// A number, an ordering or a sentence of a publication.
struct published_claim {
  std::string id;     ///< "FG.3.1.uniform"
  std::string place;  ///< publication and section
  std::string says;
  std::string check;  ///< the specification's check that it belongs to; empty if none does
  std::vector<std::string> rows;  ///< "C4" is that row, "C4.*" all whose ids begin with "C4."
  /// Ids of the rows of it that are known to fail, and why.
  std::vector<std::string> fails;
  std::string cause;

  bool is_about(const row& each) const;
  /// By the rows that were measured.
  claim_status status(const std::vector<row>& measured) const;
};

/// A publication with its claims, in its own order.
struct publication {
  std::string id;     ///< "FG"
  std::string title;  ///< authors and title
  std::vector<published_claim> claims;

  std::map<claim_status, std::size_t> count(const std::vector<row>& measured) const;
};

/// claims.json. Throws `input_error` for a file that cannot be read, misses something or has
/// members that mean nothing.
std::vector<publication> publications_in(const std::string& path);

/// The specification's checks, and those of them of which no claim has a row.
struct check_count {
  std::size_t all = 0;
  std::size_t without_rows = 0;
};
check_count count_checks(const publication& of);

/// What makes a measurement fail: rows that fail and are not known to, and rows that are known to
/// fail and hold.
std::vector<std::string> surprises(const std::vector<publication>& all,
                                   const std::vector<row>& measured);

}  // namespace tributary::validation
