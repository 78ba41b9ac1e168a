// SPDX-License-Identifier: Apache-2.0
// How long the paper's Figures 4 to 8 take (second half of goal G4).
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

/// Which points of Figure 7 are run; of the others all are.
enum class figure_grid {
  timed,  ///< those of goal G4: 1, 20 and 100 % hot spot with 1, 2, 4 and 8 outstanding
  full
};

/// Runs the presets in `directory` for 10,000 measured cycles a point.
std::vector<figure_time> time_figures(const std::string& directory, figure_grid grid);

}  // namespace tributary::benchmarks
