// SPDX-License-Identifier: Apache-2.0
// Published numbers of a platform, to be shown beside measured ones.
#pragma once

#include <string>
#include <vector>

#include "experiment.h"

namespace tributary {

/// One number out of a publication.
struct published_number {
  std::string id;  ///< as in the specification: "C2"
  double value = 0;
  std::string unit;
  std::string source;       ///< report, section, figure
  bool calibrated = false;  ///< an input of the model was fitted to it
  json_value at;            ///< where it holds: "series" and parameters with their values

  /// Whether it was published for this point.
  bool holds_at(const experiment& where) const;
};

/// The numbers with these identifiers out of published.json in the folder of the run file or in
/// the one above. Throws `input_error` for a file that cannot be read or understood,
/// `configuration_error` for an identifier that is not in it.
std::vector<published_number> load_published(const std::string& run_file_path,
                                             const std::vector<std::string>& ids);

}  // namespace tributary
