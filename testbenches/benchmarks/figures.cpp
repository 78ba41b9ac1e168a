// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <chrono>
#include <ctime>

#include <run/run_experiment.h>

namespace tributary::benchmarks {
namespace {

/// CPU seconds of all threads of this process so far.
double process_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

figure_time time_figure(const std::string& directory, const std::string& name) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = process_seconds();
  const experiment_file figure =
      load_experiments(directory + "/" + name + ".json", {"run.cycles=10000"});
  run_all(figure.experiments, {1}, 2);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {name, figure.experiments.size(), wall.count(), process_seconds() - cpu_begin};
}

}  // namespace

std::vector<figure_time> time_figures(const std::string& directory) {
  std::vector<figure_time> times;
  for (const char* name : {"figure4", "figure5", "figure6", "figure7", "figure8"}) {
    times.push_back(time_figure(directory, name));
  }
  return times;
}

}  // namespace tributary::benchmarks
