// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <chrono>

#include <run/run_experiment.h>

#include "process_cost.h"

namespace tributary::benchmarks {
namespace {

/// What a grid sets over a preset of Figures 4 to 8.
std::vector<std::string> settings_of(const std::string& name, figure_grid grid) {
  std::vector<std::string> sets{"run.cycles=10000"};
  if (grid == figure_grid::full && name == "figure7") {
    // All fractions of hot-spot traffic that FG 3.2 names, and more outstanding.
    sets.emplace_back("workload.traffic.hot_spot=[0,0.01,0.2,0.4,0.6,0.8,1]");
    sets.emplace_back("interface.outstanding=[1,2,4,8,16,32]");
  }
  return sets;
}

/// The same of Figures 9 to 15. Above 512 elements a list-based lock with few writers takes up to
/// hours a point; Figure 9 has no such.
std::vector<std::string> sizes_of(const std::string& name, figure_grid grid) {
  const std::string sizes = "network.processing_elements=";
  if (grid == figure_grid::timed) return {sizes + "[4,16,64]"};
  if (name == "figure9") return {};
  return {sizes + "[4,8,16,32,64,128,256,512]"};
}

figure_time time_figure(const std::string& directory, const std::string& name,
                        const std::vector<std::string>& sets) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const experiment_file figure = load_experiments(directory + "/" + name + ".json", sets);
  run_all(figure.experiments, {1}, 2);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {name, figure.experiments.size(), wall.count(), cpu_seconds() - cpu_begin};
}

}  // namespace

std::vector<figure_time> time_figures(const std::string& directory, figure_grid grid) {
  std::vector<figure_time> times;
  for (const char* name : {"figure4", "figure5", "figure6", "figure7", "figure8"}) {
    times.push_back(time_figure(directory, name, settings_of(name, grid)));
  }
  return times;
}

std::vector<figure_time> time_coordination(const std::string& directory, figure_grid grid) {
  std::vector<figure_time> times;
  for (const char* name :
       {"figure9", "figure10", "figure11", "figure12", "figure13", "figure14", "figure15"}) {
    times.push_back(time_figure(directory, name, sizes_of(name, grid)));
  }
  return times;
}

}  // namespace tributary::benchmarks
