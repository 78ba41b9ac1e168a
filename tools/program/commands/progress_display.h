// SPDX-License-Identifier: Apache-2.0
// Tells the user on stderr how far the runs have come.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <run/run_experiment.h>

namespace tributary {

/// How much is told.
enum class progress_style {
  silent,
  lines,  ///< a line for each finished run
  bar     ///< a bar (where the end is known), cycles per second and the time left, on a terminal
};

/// A bar if stderr is a terminal, else lines.
progress_style usual_progress_style();

/// How many points of a run file are read; nothing of files that take less than a second.
class reading_display {
 public:
  explicit reading_display(progress_style style) : style_(style) {}
  ~reading_display() { clear(); }
  reading_display(const reading_display&) = delete;
  reading_display& operator=(const reading_display&) = delete;

  void advanced(std::size_t done, std::size_t points);
  /// Removes the line from a terminal.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  progress_style style_;
  clock::time_point drawn_ = clock::now();
  bool is_drawn_ = false;
};

/// Progress of all runs of a batch.
class progress_display {
 public:
  progress_display(const std::vector<experiment>& experiments, std::size_t seeds,
                   progress_style style);
  ~progress_display();
  progress_display(const progress_display&) = delete;
  progress_display& operator=(const progress_display&) = delete;

  void advanced(std::size_t job, const run_progress& progress);
  void finished(std::size_t experiment, const run_result& result);
  /// Removes the bar.
  void clear();
  /// Says how fast it went, after the last run.
  void tell_rate() const;

 private:
  using clock = std::chrono::steady_clock;

  void draw();
  double seconds() const {
    return std::max(std::chrono::duration<double>(clock::now() - begin_).count(), 1e-9);
  }
  std::string bar_text(double seconds) const;

  const std::vector<experiment>& experiments_;
  std::size_t seeds_;
  progress_style style_;
  std::vector<double> costs_;  // by experiment
  std::vector<double> done_;   // fraction by job
  bool open_ended_ = false;    // some run ends with its workload, nobody knows when
  double total_cost_ = 0;
  double done_cost_ = 0;
  std::uint64_t cycles_ = 0;
  std::map<std::string, double> block_cycles_;  // by what a block is
  std::size_t finished_ = 0;
  clock::time_point begin_;
  clock::time_point drawn_;
  bool is_drawn_ = false;
};

}  // namespace tributary
