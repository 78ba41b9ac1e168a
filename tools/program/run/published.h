// SPDX-License-Identifier: Apache-2.0
// Published numbers of a platform, to be shown next to measured ones.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/json_document.h>

#include "experiment.h"

namespace tributary {

/// Which measured values are right: a range, equal ends being one value, and a tolerance around it.
struct accepted_range {
  std::optional<double> low;
  std::optional<double> high;
  /// Whether the ends themselves are refused ("larger", not "at least").
  bool strict = false;
  /// Tolerance as a fraction of the end, and in the unit of the value.
  double relative = 0;
  double absolute = 0;

  /// Takes the ends that an object names: from, to, at_least, at_most; above, below if strict.
  void read_ends(const json_value& ends);
  /// Takes "relative" and "absolute" of an object.
  void read_tolerance(const json_value& tolerance);
};

/// One number out of a publication.
struct published_number {
  std::string id;               ///< as in the specification: "C2"
  std::optional<double> value;  ///< none where the publication gives only a bound
  std::string unit;
  std::string source;       ///< report, section, figure
  bool calibrated = false;  ///< an input of the model was fitted to it
  /// Path of what is measured; empty for one derived from others, and for one that a run cannot
  /// show, whose entry names the "blocks" on which the validation measures it.
  std::string statistic;
  /// Measured values that agree with it; without ends for one that is only shown.
  accepted_range accepted;
  /// Parameters and the values at which it holds; empty where `statistic` is.
  std::vector<std::pair<std::string, json_value>> at;

  /// Whether it was published for this point.
  bool holds_at(const experiment& where) const;
};

/// The numbers with these identifiers out of published.json in the folder of the run file or in
/// the one above. Throws `input_error` for a file that cannot be read or understood,
/// `configuration_error` for an identifier that is not in it.
std::vector<published_number> load_published(const std::string& run_file_path,
                                             const std::vector<std::string>& ids);

}  // namespace tributary
