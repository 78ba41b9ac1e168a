// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include <run/results.h>

#include "commands.h"

namespace tributary {
namespace {

/// Throws `configuration_error` for everything that keeps two files from being compared: the
/// status of a failure says that they differ.
comparison compare_files(const compare_options& options) {
  try {
    const measured_file first = load_results(options.first);
    const measured_file second = load_results(options.second);
    return compare_results(first, second, options.options);
  } catch (const input_error& problem) {
    throw configuration_error(problem.what());
  }
}

}  // namespace

int compare_command(const compare_options& options) {
  const comparison compared = compare_files(options);
  fmt::print("{}", compared.text);
  return compared.equal ? success : failure;
}

}  // namespace tributary
