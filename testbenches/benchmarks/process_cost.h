// SPDX-License-Identifier: Apache-2.0
// What a process has taken so far; for programs that are measured as a whole.
#pragma once

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace tributary::benchmarks {

/// CPU seconds of all threads.
inline double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The greatest resident set. (getrusage also counts what the process was before exec.)
inline double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return 1024 * std::strtod(line.c_str() + 6, nullptr) / 1e6;
  }
  return 0;
}

}  // namespace tributary::benchmarks
