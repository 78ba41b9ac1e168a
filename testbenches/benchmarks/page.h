// SPDX-License-Identifier: Apache-2.0
// docs/performance.md, written from one run.
#pragma once

#include <string>
#include <vector>

#include "figures.h"
#include "goals.h"
#include "measurement.h"

namespace tributary::benchmarks {

/// The page: goals, rates beside the plain loop's, figures, small costs, and how it was measured.
std::string performance_page(const std::vector<bench_case>& cases, const measurements& found,
                             const std::vector<figure_time>& figures,
                             const std::vector<goal_row>& rows, unsigned pairs);

/// The goals and ratios as lines for a terminal.
std::string terminal_table(const std::vector<goal_row>& rows);

}  // namespace tributary::benchmarks
