// SPDX-License-Identifier: Apache-2.0
// What the measurements must show: every goal that is measured, and the ratios to the plain loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elaboration.h"
#include "figures.h"
#include "measurement.h"
#include "node_rates.h"
#include "sizes.h"

namespace tributary::benchmarks {

/// One line of bench.json.
struct goal_row {
  std::string id;
  std::string title;
  std::string unit;
  spread measured;             ///< median, least and greatest over the pairs
  bool at_least = true;        ///< whether the goal is a lower or an upper bound
  std::optional<double> goal;  ///< empty: printed only
  bool aimed_at = false;       ///< the goal decides nothing

  /// Whether the unit depends on the machine, as seconds do and ratios do not.
  bool absolute() const;
  /// Whether the median reaches the goal; empty for what is printed only, as absolute values are.
  std::optional<bool> pass() const;
};

/// The rows of goal G1 (uniform load) and G4 (polling, figures), then the ratios to the plain loop.
/// `cases` in the order of measurement; without figures their row is missing.
std::vector<goal_row> judge(const std::vector<bench_case>& cases, const measurements& found,
                            const std::vector<figure_time>& figures);

/// One row a contest.
std::vector<goal_row> judge(const std::vector<contest>& contests, const measurements& found);

/// What elaboration takes at 1024 and 4096 elements and how it grows between them (goal G9).
/// `costs`: a size with next to no elements, 1024, 4096; without any, no rows.
std::vector<goal_row> judge(const std::vector<elaboration_cost>& costs);

/// What a simulation takes by size, and how the largest network's rate compares with that of 1,024.
std::vector<goal_row> judge(const std::vector<size_cost>& costs);

/// Handlers and node-cycles by the number of nodes (goal G12, first half).
std::vector<goal_row> judge(const std::vector<node_cost>& costs);

/// The row of the full grid of figures, which has no goal.
goal_row full_figures_row(const std::vector<figure_time>& figures);

/// The row of Figures 9 to 15; their full grid has an hour (goal G8).
goal_row coordination_row(const std::vector<figure_time>& figures, figure_grid grid);

/// Whether no row that must pass fails.
bool all_pass(const std::vector<goal_row>& rows);

/// The rows as a document with a schema version.
std::string to_json(const std::vector<goal_row>& rows);

}  // namespace tributary::benchmarks
