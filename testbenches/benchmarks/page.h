// SPDX-License-Identifier: Apache-2.0
// What docs/performance.md shows of one run.
#pragma once

#include <string>
#include <vector>

#include "figures.h"
#include "goals.h"
#include "measurement.h"

namespace tributary::benchmarks {

/// All that a run measured.
struct bench_record {
  std::vector<bench_case> cases;
  measurements found;
  std::vector<figure_time> figures;       ///< 4 to 8
  std::vector<figure_time> coordination;  ///< 9 to 15
  std::vector<size_cost> sizes;
  std::vector<goal_row> rows;
  double load_average = 0;  ///< of the minute before the start
  unsigned pairs = 0;       ///< rounds
  unsigned size_pairs = 0;  ///< rounds of `sizes`
};

/// The page with what was measured now: goals, rates beside the plain loop's, cost against size,
/// figures, and the machine. How it is measured is written by hand.
std::string with_measurements(const std::string& page, const bench_record& record);

/// The goals and ratios as lines for a terminal.
std::string terminal_table(const std::vector<goal_row>& rows);

}  // namespace tributary::benchmarks
