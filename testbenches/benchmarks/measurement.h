// SPDX-License-Identifier: Apache-2.0
// One interleaved run: both sides of every comparison in turn, so that a busy machine slows both.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contest.h"
#include "opponents.h"
#include "spread.h"

namespace tributary::benchmarks {

/// CPU seconds for the cycles of one case or the timed part of one contest, one value a pair, in
/// the order in which they were measured. In a case the other side is the plain loop; its times are
/// scaled up where it simulated fewer cycles.
struct pair_times {
  std::vector<double> ours;
  std::vector<double> other;
  std::vector<double> unit;  ///< of contests that have one
};

struct measurements {
  std::map<std::string, pair_times> pairs;  ///< by `bench_case::id` or `contest::id`
};

/// Measures every case and contest `pairs` times: in each round all one after the other, in each
/// the other side and then ours.
measurements measure(const std::vector<bench_case>& cases, const std::vector<contest>& contests,
                     unsigned pairs);

}  // namespace tributary::benchmarks
