// SPDX-License-Identifier: Apache-2.0
// What a run file asks for: points to simulate, each a machine and a length of run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/json_document.h>

#include <driver/platform_model.h>
#include "run_config.h"

namespace tributary {

/// The number of processors, by the name that it has on every platform.
inline constexpr const char* common_processors = "processors";

/// One point: a machine with all its parameters, and how long it runs.
struct experiment {
  /// Of the usual platform.
  experiment();
  /// Throws `error` if there is no platform of this name.
  explicit experiment(const std::string& platform);

  /// Name of its series (a curve of a figure); empty if the file has none.
  std::string series;
  /// The varied parameters and their values at this point, in the order of the file.
  std::vector<std::pair<std::string, json_value>> point;
  machine_choice machine;
  run_config run;

  /// Everything that can be set, under the names of a run file.
  void bind(parameter_set& parameters);

  /// The machine's own name of a parameter: what a file of several platforms calls
  /// `common_processors` is another one on each.
  std::string own_name(const std::string& parameter) const;
  /// "improved, network.processing_elements = 2048"; "the only point" where there is no other.
  std::string name() const;
  /// The value of `common_processors`.
  json_value processors() const;
  /// Every parameter with its value, as nested objects.
  json_value configuration() const;
  /// Settings that work but can hardly be meant.
  std::vector<std::string> warnings() const;
};

/// A run file with everything it extends and every override in place.
struct experiment_file {
  std::string path;
  std::string platform;  ///< of the series that name none
  std::string title;
  std::string description;
  std::vector<std::string> varied;  ///< names of the varied parameters
  std::vector<std::string> series;  ///< names of the series in order
  std::vector<table_layout> tables;
  std::vector<experiment> experiments;  ///< series by series, the last varied parameter fastest
};

/// The most points of a run file, all series together.
inline constexpr std::size_t most_points = 100000;

/// Reads a run file. Each of `sets` is "parameter=value" and overrides everything in the file; one
/// for a varied parameter replaces its list by the one value, or by the values of a JSON array.
/// Every point is checked by itself; `read` is told after each how many there are of how many.
/// Throws `input_error` for files and broken JSON,
/// `configuration_error` for keys, values and combinations.
experiment_file load_experiments(const std::string& path, const std::vector<std::string>& sets = {},
                                 const std::function<void(std::size_t, std::size_t)>& read = {});

}  // namespace tributary
