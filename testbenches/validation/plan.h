// SPDX-License-Identifier: Apache-2.0
// What has to be simulated for the rows that were asked for, each point once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/sim/statistics.h>

#include "kept_runs.h"
#include "row.h"

namespace tributary::validation {

/// A machine to be measured: a preset of the platform and what a check changes of it.
struct point {
  std::string preset;             ///< file name in the platform's folder of presets
  std::vector<std::string> sets;  ///< "parameter=value", in alphabetical order
  std::vector<std::uint64_t> seeds{1};
  std::string platform = {};  ///< empty: the one of `locations`
  std::string series = {};    ///< of the preset's series; empty where it has none

  point& with(const std::string& assignment);
  point& with(const std::vector<std::string>& assignments);
  point& elements(double processing_elements);
  /// Seeds 1 to `count`.
  point& seeded(std::uint64_t count);
  point& of_series(std::string name);

  json_value to_json() const;
  /// Whether it differs at most in its seeds.
  bool same_machine(const point& other) const {
    return platform == other.platform && preset == other.preset && series == other.series &&
           sets == other.sets;
  }
  void add_seeds(const std::vector<std::uint64_t>& more);
  bool has_seeds(const std::vector<std::uint64_t>& wanted) const;
};

/// What was measured at a point.
class point_result {
 public:
  point_result() = default;
  point_result(unsigned stages, std::uint32_t memory_latency)
      : stages_(stages), memory_latency_(memory_latency) {}

  /// `steady`: whether the run reached what it waited for.
  void add(std::vector<flat_statistic> of_one_seed, bool steady = true) {
    seeds_.push_back(std::move(of_one_seed));
    steady_ = steady_ && steady;
  }

  /// Whether all runs were as long as they had to be; if not, the point is hollow.
  bool steady() const { return steady_; }

  unsigned stages() const { return stages_; }
  /// 2 k + latency of the memory: the round trip of a lone request.
  double least_round_trip() const { return 2.0 * stages_ + memory_latency_; }

  /// The number at a path of the statistics, of each seed and their mean.
  std::vector<double> each(const std::string& path) const;
  double mean(const std::string& path) const;
  /// Mean latency, from acceptance by the first switch to delivery.
  double latency() const { return mean("interface.latency.mean"); }
  /// Mean of a statistic of a stage; stages count from the memory here, 0 nearest to it.
  double from_memory(unsigned stage, const std::string& name) const;
  double combining_rate(unsigned stage_from_memory) const {
    return from_memory(stage_from_memory, "combining_rate");
  }
  /// Combining rates of all stages, summed.
  double total_combining_rate() const;

 private:
  unsigned stages_ = 0;
  std::uint32_t memory_latency_ = 0;
  std::vector<std::vector<flat_statistic>> seeds_;
  bool steady_ = true;
};

using point_results = std::vector<const point_result*>;

/// A row that is still to be measured.
struct planned_row {
  row shape;  ///< everything but the measured value; the configuration only without points
  std::vector<point> points;
  /// The row's number from what was measured at its points, in their order.
  std::function<double(const point_results&)> measure;
  /// Whether it takes so long that it is measured on demand only.
  bool only_full = false;
};

/// How far the measurement has come: runs done, of all, and the fraction of the work.
using progress_callback = std::function<void(std::size_t, std::size_t, double)>;
/// Which row without points is measured next, after all runs: its id, its number from 1, of how
/// many.
using row_callback = std::function<void(const std::string&, std::size_t, std::size_t)>;

/// Where the platform's files are, and from where relative paths of a point count.
struct locations {
  std::string presets;
  std::string root;

  /// The path of a point's preset.
  std::string preset_of(const point& what) const;
};

/// The row as it stands before anything is measured.
row unmeasured(const planned_row& planned);

/// Simulates the points of `rows`, each once, long ones first, on `threads` threads, and returns
/// the finished rows in order. Rows that are `only_full` are measured if `full` says so, or if all
/// their runs are in `kept`. Runs that are there are taken from there, others are put there; null
/// keeps none. Throws what a run throws, with the point named.
std::vector<row> measure(const std::vector<planned_row>& rows, const locations& where,
                         unsigned threads, const progress_callback& progress, bool full = true,
                         const kept_runs* kept = nullptr, const row_callback& next = {});

}  // namespace tributary::validation
