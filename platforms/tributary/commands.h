// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each adds itself to the command line; when it is chosen it runs and
// leaves the program's exit status in `status`.
#pragma once

namespace CLI {
class App;
}

namespace tributary {

/// Exit statuses of the program.
enum exit_status : int {
  success = 0,
  failure = 1,       ///< a file or a simulation failed; for `compare`, the results differ
  usage_error = 2,   ///< the command line or a run file is wrong
  interrupted = 130  ///< ended by a signal, with partial results
};

void add_run_command(CLI::App& program, int& status);
void add_describe_command(CLI::App& program, int& status);
void add_validate_config_command(CLI::App& program, int& status);
void add_list_command(CLI::App& program, int& status);
void add_compare_command(CLI::App& program, int& status);
void add_engines_command(CLI::App& program, int& status);

}  // namespace tributary
