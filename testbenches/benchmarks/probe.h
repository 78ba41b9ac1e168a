// SPDX-License-Identifier: Apache-2.0
// A process of its own for what is measured by the process, as its greatest resident set.
#pragma once

#include <string>
#include <vector>

namespace tributary::benchmarks {

/// What a probe prints.
struct probe_figures {
  double seconds = 0;    ///< CPU
  double megabytes = 0;  ///< greatest resident set
};

/// Runs a program that prints the two numbers; `arguments` as a shell takes them. Throws `error` if
/// it does not.
probe_figures run_probe(const std::string& program, const std::string& arguments);

/// Runs a program for each cost, with its `arguments()`, `times` times: in each round for all, one
/// after the other. A process each, because an allocator does not give back what another run took.
template <class Cost>
void measure_by_probe(const std::string& program, unsigned times, std::vector<Cost>& costs) {
  for (unsigned i = 0; i < times; ++i) {
    for (Cost& each : costs) {
      const probe_figures found = run_probe(program, each.arguments());
      each.seconds.push_back(found.seconds);
      each.megabytes.push_back(found.megabytes);
    }
  }
}

}  // namespace tributary::benchmarks
