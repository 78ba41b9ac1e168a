// SPDX-License-Identifier: Apache-2.0
// One interleaved run: library and plain loop in turn, so that a busy machine slows both.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "opponents.h"
#include "spread.h"

namespace tributary::benchmarks {

/// CPU seconds for the cycles of one case, one value a pair, in the order in which they were
/// measured; the plain loop's are scaled up where it simulated fewer cycles.
struct pair_times {
  std::vector<double> library;
  std::vector<double> plain;
};

/// CPU nanoseconds per item of one small benchmark, one value a repetition.
struct micro_times {
  std::string name;
  std::vector<double> nanoseconds;
};

struct measurements {
  std::map<std::string, pair_times> pairs;  ///< by `bench_case::id`
  std::vector<micro_times> micro;           ///< in order of registration
};

/// Measures every case `pairs` times: in each round all cases one after the other, in each case
/// the plain loop and then the library. With `with_micro`, the small benchmarks after them.
measurements measure(const std::vector<bench_case>& cases, unsigned pairs, bool with_micro);

}  // namespace tributary::benchmarks
