// SPDX-License-Identifier: Apache-2.0
// The text of a run file and of the files that it extends, before parameters get their values.
#pragma once

#include <string>
#include <vector>

#include <tributary/sim/json_document.h>

#include "experiment.h"

namespace tributary {

/// Parameters written in one place.
struct parameter_layer {
  json_value parameters;  ///< an object
  std::string source;     ///< path of the file
};

/// The values of a varied parameter.
struct variation {
  std::string parameter;
  std::vector<json_value> values;
  std::string source;
};

/// A series as written.
struct series_text {
  std::string name;
  std::string platform;
  std::vector<parameter_layer> extended;  ///< of the file that it extends, base first
  parameter_layer own;
};

/// A run file with what it inherits from the files that it extends: a reserved key of a file
/// replaces the inherited one whole, parameters are layered.
struct run_file {
  std::string platform;
  std::string title;
  std::string description;
  std::vector<parameter_layer> extended;  ///< base first
  parameter_layer own;
  std::vector<series_text> series;
  std::vector<variation> variations;
  std::vector<table_layout> tables;
};

/// Reads a run file and everything it extends. Throws `input_error` for files and broken JSON,
/// `configuration_error` for reserved keys with a wrong value, files that extend themselves and
/// keys at the top that are neither reserved nor parameters.
run_file read_run_file(const std::string& path);

/// A JSON schema (draft 2020-12) of the platform's run files, for editors: its keys and parameters
/// with type, range and description.
json_value run_file_schema(const std::string& platform);

}  // namespace tributary
