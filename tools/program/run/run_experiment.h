// SPDX-License-Identifier: Apache-2.0
// Runs points: warm-up, measurement, drain check; one, or all of a file on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/sim/activity.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>

#include <driver/simulation.h>
#include "experiment.h"

namespace tributary {

/// What a run left behind.
struct run_result {
  std::uint64_t seed = 0;
  cycle_t cycles = 0;    ///< simulated, warm-up included, drain check not
  bool partial = false;  ///< interrupted before its end, the drain check included
  /// False if the run waited for something, as a steady mean, and gave up before it was reached.
  bool steady = true;
  /// What a failed drain check says, if `keep_undrained` was asked for; else empty.
  std::string undrained;
  /// False if a run of fixed length measured a machine that had not come to rest; true where that
  /// is unknown.
  bool settled = true;
  statistics_tree statistics;
  std::vector<std::string> warnings;

  /// The number at a path of the statistics: `value("interface.latency.mean")`.
  double value(const std::string& path) const { return statistics.find(path); }
};

/// How far a run has come.
struct run_progress {
  std::uint64_t cycles = 0;  ///< simulated since the last report
  double done = 0;           ///< fraction of the whole, 0 to 1, estimated; 0 if that is unknown
};

/// What somebody may want to do around the cycles of a run; empty functions are skipped.
struct run_hooks {
  /// Once set, the run ends within a few thousand cycles and its result is partial.
  const std::atomic<bool>* cancel = nullptr;
  /// After every few thousand cycles.
  std::function<void(const run_progress&)> progress;
  /// With the new machine, before its first cycle: observers are attached here.
  std::function<void(simulation&)> begin;
  /// With the machine after every few thousand cycles, for observers that have seen enough.
  std::function<void(simulation&)> look;
  /// With the machine after its last measured cycle, before the drain check; and, partial, with one
  /// whose simulation failed.
  std::function<void(simulation&, bool partial)> end;
  /// The cycle after which `checkpoint` gets the state of machine and run; 0 is never.
  cycle_t checkpoint_cycle = 0;
  std::function<void(const std::string& state)> checkpoint;
  /// State to begin from instead of cycle 0; empty is none.
  std::string resume;
  /// Whether a failed drain check leaves the result, as `undrained`, instead of throwing.
  bool keep_undrained = false;
  /// Where the machine says which block is at work; null: nowhere. The run throws
  /// `configuration_error` if its engine cannot.
  current_activity* activity = nullptr;
  /// Runs that share the processors, which `run.threads` = 0 divides among them.
  std::size_t runs_at_a_time = 1;
};

/// Runs one point with one seed. Throws `configuration_error` for impossible combinations,
/// `simulation_error` for a machine that breaks its promises.
run_result run_experiment(const experiment& point, std::uint64_t seed, const run_hooks& hooks = {});

/// How long a run takes compared with another, estimated.
double relative_cost(const experiment& point);

/// What somebody may want to know of many runs; called from one thread at a time.
struct batch_hooks {
  const std::atomic<bool>* cancel = nullptr;
  /// Of run number `job` (experiment * seeds + seed); every few thousand cycles.
  std::function<void(std::size_t job, const run_progress&)> progress;
  std::function<void(std::size_t experiment, const run_result&)> finished;
  /// Hooks of one run, for observers and checkpoints; its cancel and progress are overwritten.
  std::function<run_hooks(std::size_t experiment, std::uint64_t seed)> each;
  /// As in `run_hooks`, for all runs.
  bool keep_undrained = false;
};

/// Runs every point with every seed on `threads` threads (0: as many as the computer has), long
/// ones first. Returns the results by experiment and seed, whatever the order in which they
/// finished; where it was cancelled, runs that never began are missing and begun ones partial. The
/// first failed run in order ends everything, and its error is thrown with the point's name.
std::vector<std::vector<run_result>> run_all(const std::vector<experiment>& experiments,
                                             const std::vector<std::uint64_t>& seeds,
                                             unsigned threads, const batch_hooks& hooks = {});

}  // namespace tributary
