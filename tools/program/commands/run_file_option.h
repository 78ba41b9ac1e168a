// SPDX-License-Identifier: Apache-2.0
// What the commands that read a run file have in common.
#pragma once

#include <string>
#include <vector>

#include <run/experiment.h>

#include "progress_display.h"

namespace tributary {

/// A run file and what the command line changes in it.
struct run_file_options {
  std::string file;
  std::vector<std::string> sets;
  std::vector<std::string> series;
};

/// The points that the user asked for. Throws `configuration_error` for everything that is wrong
/// with the run file, files that cannot be read included. Many points take time: `style` is how
/// stderr tells how many are read.
experiment_file load_run_file(const run_file_options& options, progress_style style);

/// Warnings about the points on stderr, each once.
void print_warnings(const experiment_file& file);

}  // namespace tributary
