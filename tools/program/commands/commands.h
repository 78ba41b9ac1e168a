// SPDX-License-Identifier: Apache-2.0
// The commands of the program, as functions of their options; command_line.cpp reads those.
#pragma once

#include <string>
#include <vector>

#include <driver/event_files.h>
#include <platforms.h>
#include <run/comparison.h>

#include "run_file_option.h"
#include "run_observation.h"

namespace tributary {

/// Exit statuses of the program.
enum exit_status : int {
  success = 0,
  failure = 1,       ///< a file or a simulation failed; for `compare`, the results differ
  usage_error = 2,   ///< the command line or a run file is wrong
  interrupted = 130  ///< ended by a signal, with partial results
};

struct run_options {
  run_file_options input;
  std::string seed;
  std::string seeds;
  std::string out;
  unsigned threads = 0;
  bool quiet = false;
  bool profile = false;
  observation_options observation;
};

struct describe_options {
  std::string platform;            ///< empty: that of `words`, or the first
  std::vector<std::string> words;  ///< a platform, run file or preset; groups and parameters
  bool json = false;
  bool schema = false;
};

struct compare_options {
  std::string first;
  std::string second;
  comparison_options options;
};

struct trace_options {
  std::string recording;
  event_files files;  ///< made of the recording; those of events only
};

// Each returns the program's exit status, and throws `configuration_error` for wrong usage, other
// errors where a file or a simulation fails.
int run_command(const run_options& options);
int describe_command(const describe_options& options);
int validate_config_command(const run_file_options& options);
int list_command();
int compare_command(const compare_options& options);
int trace_command(const trace_options& options);

/// Reads the command line and runs the command that it names. Returns the exit status.
int run_command_line(int count, char** arguments);

/// A line on stderr; returns the status.
int complain(const char* problem, exit_status status);

}  // namespace tributary
