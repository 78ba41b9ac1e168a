// SPDX-License-Identifier: Apache-2.0
// A row of the validation: a claim, what was measured, and whether it holds.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <run/published.h>
#include <tributary/sim/json_document.h>

namespace tributary::validation {

enum class row_kind {
  published,    ///< a number or an ordering out of a publication, nothing fitted to it
  calibration,  ///< an input was fitted to it: never counted as success
  input,        ///< goes in and comes out again
  formula,      ///< a closed formula of others
  peer,         ///< agreement with another program: a cross-check, never counted as success
  regression    ///< agreement with ourselves: counted as nothing
};

std::string name_of(row_kind kind);
/// Throws `error` for a name that is none.
row_kind row_kind_named(const std::string& name);

/// Which measured values are right, and whether that is asked at all.
struct expectation : accepted_range {
  /// Whether the row must hold; otherwise the value is only shown.
  bool judged = true;

  static expectation exactly(double value);

  /// Whether `measured` is in the range with its tolerance; what is no number never is.
  bool holds(double measured) const;
  /// Distance from the range without its tolerance, as a fraction of its nearer end (in the row's
  /// unit where that is 0); 0 inside, none without a range.
  std::optional<double> deviation(double measured) const;

  /// As it stands in tables: "306 ± 3 %"; "shown" if nothing is expected.
  std::string text() const;
  /// The value as a number, a range as {"from", "to"}, {"at_least"}, ...; null if nothing is
  /// expected.
  json_value expected_json() const;
  /// {"relative": 0.02}, {"absolute": 1}, {} for exact.
  json_value tolerance_json() const;
};

/// What has become of a row.
enum class row_state {
  measured,
  undecided,    ///< a run it rests on gave up before its mean was steady: it decides nothing
  not_measured  ///< only measured on demand (--full)
};

std::string name_of(row_state state);

/// One finished row.
struct row {
  std::string id;
  row_kind kind = row_kind::published;
  std::string what;
  std::string source;
  std::string unit;
  json_value configuration;
  expectation expected;
  /// What the bound or the tolerance rests on: "rounding: ...", one of `tolerance_origins`.
  std::string origin;
  double measured = 0;
  row_state state = row_state::measured;
  /// The version of the project that measured it, as `./dev validate` names it: commit and date.
  std::string version = {};

  /// None for a value that is only shown, and for one that is undecided or not measured.
  std::optional<bool> pass() const;
  bool failed() const { return pass() == false; }
};

/// What a bound or a tolerance can rest on; the first word of a row's origin.
constexpr std::array<const char*, 5> tolerance_origins{
    "exact",          // whole numbers, or a sentence that is true or false
    "rounding",       // of the publication's own number
    "derived",        // from the tolerances of the numbers behind it
    "specification",  // the working specification's
    "chosen"          // by us, because the publication gives no number
};

/// Whether the text begins with one of `tolerance_origins`, and with a reason after it if that is
/// another than "exact".
bool is_origin(const std::string& text);

/// A number as it stands in tables.
std::string number_text(double value);

/// Whether the row `id` is selected by `name`: the id itself, or a whole part of it from the left.
/// "C1" selects C1 and C1.lone, and not C10.
bool selects(const std::string& name, const std::string& id);

}  // namespace tributary::validation
