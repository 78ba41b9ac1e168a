// SPDX-License-Identifier: Apache-2.0
// The program Tributary: composes machines from run files, runs and describes them.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include "commands.h"
#include "say.h"

int tributary::complain(const char* problem, exit_status status) {
  say(fmt::format("tributary: {}\n", problem));
  return status;
}

int main(int count, char** arguments) {
  using tributary::complain;
  // A write beyond the limit on the size of files then fails, and the error names the file.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = tributary::run_command_line(count, arguments);
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
