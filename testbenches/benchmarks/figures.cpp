// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <chrono>

#include <run/run_experiment.h>

#include "process_cost.h"

namespace tributary::benchmarks {
namespace {

/// What a grid sets over a preset.
std::vector<std::string> settings_of(const std::string& name, figure_grid grid) {
  std::vector<std::string> sets{"run.cycles=10000"};
  if (grid == figure_grid::full && name == "figure7") {
    // All fractions of hot-spot traffic that FG 3.2 names, and more outstanding.
    sets.emplace_back("workload.traffic.hot_spot=[0,0.01,0.2,0.4,0.6,0.8,1]");
    sets.emplace_back("interface.outstanding=[1,2,4,8,16,32]");
  }
  return sets;
}

figure_time time_figure(const std::string& directory, const std::string& name, figure_grid grid) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const experiment_file figure =
      load_experiments(directory + "/" + name + ".json", settings_of(name, grid));
  run_all(figure.experiments, {1}, 2);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {name, figure.experiments.size(), wall.count(), cpu_seconds() - cpu_begin};
}

}  // namespace

std::vector<figure_time> time_figures(const std::string& directory, figure_grid grid) {
  std::vector<figure_time> times;
  for (const char* name : {"figure4", "figure5", "figure6", "figure7", "figure8"}) {
    times.push_back(time_figure(directory, name, grid));
  }
  return times;
}

}  // namespace tributary::benchmarks
