// SPDX-License-Identifier: Apache-2.0
// The file that a run leaves: results.json, and what is read back from it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/json_document.h>
#include <tributary/sim/statistics.h>

#include "batch_means.h"
#include "experiment.h"
#include "run_experiment.h"

namespace tributary {

/// Name and version of the layout of results.json.
inline constexpr const char* results_schema = "tributary.results/1";

/// Confidence of the intervals over seeds.
inline constexpr double seed_confidence = 0.95;

/// The version of this program, "0.1.0".
std::string program_version();

/// Everything measured, by experiment and seed. Two runs of the same version with the same
/// configuration and seeds give the same text: nothing in it tells of time, machine or threads.
/// `partial`: the runs were interrupted.
json_value results_to_json(const experiment_file& file, const std::vector<std::uint64_t>& seeds,
                           const std::vector<std::vector<run_result>>& results, bool partial);

/// A point as read back.
struct measured_point {
  struct run {
    std::uint64_t seed = 0;
    bool partial = false;
    std::vector<flat_statistic> statistics;
    std::vector<written_statistic> series;      ///< over time
    std::vector<written_statistic> histograms;  ///< with their bins
  };
  std::string name;                                               ///< series and varied parameters
  std::vector<std::pair<std::string, json_value>> configuration;  ///< by dotted name
  std::vector<run> runs;
};

/// A results.json as read back.
struct measured_file {
  std::string path;
  std::string version;
  bool partial = false;
  std::vector<measured_point> points;
};

/// Reads results.json, or the one in the folder `path`. Throws `input_error`.
measured_file load_results(const std::string& path);

}  // namespace tributary
