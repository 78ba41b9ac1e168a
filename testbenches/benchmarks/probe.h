// SPDX-License-Identifier: Apache-2.0
// A process of its own for what is measured by the process, as its greatest resident set.
#pragma once

#include <string>

namespace tributary::benchmarks {

/// What a probe prints.
struct probe_figures {
  double seconds = 0;    ///< CPU
  double megabytes = 0;  ///< greatest resident set
};

/// Runs a program that prints the two numbers; `arguments` as a shell takes them. Throws `error` if
/// it does not.
probe_figures run_probe(const std::string& program, const std::string& arguments);

}  // namespace tributary::benchmarks
