// SPDX-License-Identifier: Apache-2.0
// Two results side by side.
#pragma once

#include <string>
#include <vector>

#include "results.h"

namespace tributary {

struct comparison_options {
  bool all = false;                     ///< equal statistics too
  std::vector<std::string> statistics;  ///< only paths that begin so; empty is all
};

struct comparison {
  std::string text;
  bool equal = true;  ///< configurations, points and the chosen statistics
};

/// The probability that two samples with these means and variances differ as much by chance
/// (Welch's t-test, two-sided), at least two values each. 1 if both are constant and equal, 0 if
/// constant and different.
double welch_probability(const std::vector<double>& a, const std::vector<double>& b);

/// Compares point by point, by name. Where both sides have two seeds or more, a difference is
/// marked as significant if Welch's t-test says so at 5 %. Throws `input_error` if `statistics`
/// matches nothing.
comparison compare_results(const measured_file& first, const measured_file& second,
                           const comparison_options& options);

}  // namespace tributary
