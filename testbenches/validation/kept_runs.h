// SPDX-License-Identifier: Apache-2.0
// Runs that are kept in a folder, so that a measurement of hours can be broken off and gone on
// with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/sim/json_document.h>
#include <tributary/sim/statistics.h>

namespace tributary::validation {

/// What one simulation left.
struct run_outcome {
  std::vector<flat_statistic> statistics;
  bool steady = true;
  double seconds = 0;  ///< that it took
};

/// A folder of finished runs, a file each, which the same run by another program replaces. A run is
/// found again under the program that made it and under everything that it was configured with; so
/// nothing in the folder is ever wrong, and it may be deleted at any time.
class kept_runs {
 public:
  /// `program` names what simulates: two programs of one name must simulate alike. Makes the
  /// folder. Throws `input_error` if it cannot.
  kept_runs(std::string folder, std::string program);

  /// The run of a configuration with a seed, if it was kept.
  std::optional<run_outcome> find(const json_value& configuration, std::uint64_t seed) const;

  /// How many seconds that run took the last time, by whichever program.
  std::optional<double> seconds_of(const json_value& configuration, std::uint64_t seed) const;

  /// Throws `input_error` if the file cannot be written.
  void keep(const json_value& configuration, std::uint64_t seed, const run_outcome& outcome) const;

 private:
  /// What was kept of the run, by whichever program.
  std::optional<json_document> file_of(const json_value& configuration, std::uint64_t seed) const;
  std::string path_of(const json_value& key) const;

  std::string folder_;
  std::string program_;
};

}  // namespace tributary::validation
