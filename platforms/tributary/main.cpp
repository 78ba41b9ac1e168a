// SPDX-License-Identifier: Apache-2.0
// The command line of Tributary: composes machines from run files, runs and describes them.
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tributary/sim/error.h>
#include <tributary/sim/nearest_name.h>

#include <run/results.h>

#include "commands.h"

namespace tributary {
namespace {

constexpr const char* examples = R"(Examples:
  tributary run polling --out results              the paper's polling experiment
  tributary run improved --set network.processing_elements=64 --seeds 1..5
  tributary run machine.json --set run.until=steady --log events.log
  tributary run fbcopy --perfetto trace.json       a block transfer between two nodes of FLASH
  tributary describe flash                         every parameter of a platform
  tributary compare old/results.json new/results.json
  tributary engines improved                       the plain loop beside SystemC modules

Exit status: 0 done, 1 failed (compare: results differ), 2 wrong usage or run file,
130 interrupted, with partial results.)";

int complain(const char* problem, exit_status status) {
  fmt::print(stderr, "tributary: {}\n", problem);
  return status;
}

/// Says which command was meant, which the parser does not.
void check_command(const CLI::App& program, int count, char** arguments) {
  if (count < 2 || arguments[1][0] == '-') return;
  const std::string name = arguments[1];
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return;
    known.push_back(command->get_name());
  }
  const std::string nearest = nearest_name(name, known);
  throw configuration_error(
      {name, "", "there is no such command", fmt::format("{}", fmt::join(known, ", ")),
       nearest.empty() ? "see tributary --help" : "did you mean " + nearest + "?"});
}

int run_program(int count, char** arguments) {
  CLI::App program(
      "Cycle-level models of multiprocessor communication: combining networks, node controllers.",
      "tributary");
  program.set_version_flag("--version", "tributary " + program_version());
  program.require_subcommand(1);
  int status = success;
  add_run_command(program, status);
  add_describe_command(program, status);
  add_validate_config_command(program, status);
  add_list_command(program, status);
  add_compare_command(program, status);
  add_engines_command(program, status);
  program.footer(examples);  // after the commands, which would inherit it
  check_command(program, count, arguments);
  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);
  } catch (const CLI::ParseError& problem) {
    return complain((std::string(problem.what()) + "; see tributary --help").c_str(), usage_error);
  }
  return status;
}

}  // namespace
}  // namespace tributary

int main(int count, char** arguments) {
  using tributary::complain;
  try {
    const int status = tributary::run_program(count, arguments);
    // What is lost in a buffer must not look like success.
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
    return complain("standard output cannot be written to the end; is the disk full?",
                    tributary::failure);
  } catch (const tributary::configuration_error& problem) {
    return complain(problem.what(), tributary::usage_error);
  } catch (const std::bad_alloc&) {
    return complain(
        "out of memory; simulate a smaller machine or fewer points at a time "
        "(--threads)",
        tributary::failure);
  } catch (const std::exception& problem) {
    return complain(problem.what(), tributary::failure);
  }
}
