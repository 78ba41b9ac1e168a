// SPDX-License-Identifier: Apache-2.0
// How long the paper's figures take: 4 to 8 (second half of goal G4) and 9 to 15 (goal G8).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tributary::benchmarks {

/// Time of one figure's preset, run with one seed on two threads.
struct figure_time {
  std::string name;  ///< "figure4"
  std::size_t points = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

/// Which points are run of Figure 7 and of Figures 9 to 15; of the others all are.
enum class figure_grid {
  timed,  ///< 1, 20 and 100 % hot spot with 1, 2, 4 and 8 outstanding; 4 to 64 elements
  full    ///< all of Figure 7; 4 to 512 elements, Figure 9 to 2,048
};

/// Runs the presets in `directory` for 10,000 measured cycles a point.
std::vector<figure_time> time_figures(const std::string& directory, figure_grid grid);

/// Runs those of coordination, Figures 9 to 15, each point until it ends by itself.
std::vector<figure_time> time_coordination(const std::string& directory, figure_grid grid);

}  // namespace tributary::benchmarks
