// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tributary/sim/error.h>

#include <run/comparison.h>
#include <run/results.h>

#include "commands.h"

namespace tributary {
namespace {

struct compare_options {
  std::string first;
  std::string second;
  comparison_options what;
};

/// Throws `configuration_error` for everything that keeps two files from being compared: the
/// status of a failure says that they differ.
comparison compare_files(const compare_options& options) {
  try {
    const measured_file first = load_results(options.first);
    const measured_file second = load_results(options.second);
    return compare_results(first, second, options.what);
  } catch (const input_error& problem) {
    throw configuration_error(problem.what());
  }
}

}  // namespace

void add_compare_command(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "compare",
      "Print the statistics of two results side by side. Exit status 0: equal, 1: some differ, 2: "
      "they cannot be compared.");
  auto options = std::make_shared<compare_options>();
  command->add_option("RESULT", options->first, "results.json, or its folder.")->required();
  command->add_option("OTHER", options->second, "The same of the other.")->required();
  command->add_flag("--all", options->what.all, "Statistics that are equal too.");
  command
      ->add_option("--statistic", options->what.statistics,
                   "Only statistics whose path begins so: interface.latency. Repeatable.")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command->callback([options, &status] {
    const comparison compared = compare_files(*options);
    fmt::print("{}", compared.text);
    status = compared.equal ? success : failure;
  });
}

}  // namespace tributary
