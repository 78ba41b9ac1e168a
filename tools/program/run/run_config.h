// SPDX-License-Identifier: Apache-2.0
// How long a machine runs and what of it is measured.
#pragma once

#include <cstdint>
#include <string>

#include <driver/engine_kind.h>

namespace tributary {

class parameter_set;

/// When a measurement ends.
enum class run_end : std::uint8_t {
  cycles,   ///< after a fixed number of measured cycles
  steady,   ///< when what is watched is known well enough (method of batch means)
  finished  ///< when the workload has ended and every request was answered
};

/// Configuration of a run. Warm-up cycles are simulated and not measured; a run that ends with its
/// workload has none.
struct run_config {
  engine_kind engine = engine_kind::loop;
  run_end until = run_end::cycles;
  std::uint64_t warmup = 3000;
  /// Measured cycles of a run of fixed length.
  std::uint64_t cycles = 10000;
  /// Least length of a batch.
  std::uint64_t batch = 500;
  /// The counter whose rate a steady run watches, a path of the statistics; empty: the mean latency
  /// is watched.
  std::string watch;
  /// Half-width of the confidence interval of what is watched, as a fraction of its mean.
  double half_width = 0.01;
  double confidence = 0.95;
  /// A steady run goes on until the counter at this path has reached so many in the measured
  /// cycles; an empty path and 0: there is no such condition.
  std::string least_of;
  std::uint64_t least_count = 0;
  /// The warm-up lasts beyond its cycles until the counter at this path has reached so many; an
  /// empty path and 0: it does not.
  std::string warmup_of;
  std::uint64_t warmup_count = 0;
  /// Most measured cycles of a run that ends by itself, and most cycles that `warmup_of` may add.
  std::uint64_t maximum_cycles = 10000000;
  /// Whether the machine is emptied at the end to prove that nothing was lost.
  bool drain = true;
  /// Cycles over which the occupancy of queues and wait buffers is averaged, again and again from
  /// the first cycle on; 0: it is not recorded over time.
  std::uint64_t occupancy_window = 0;
  /// Threads on which one machine is simulated; 0: its share of the processors.
  std::uint32_t threads = 1;

  /// Cycles before the measurement: a run that ends with its workload is measured from the start.
  std::uint64_t cycles_before() const { return until == run_end::finished ? 0 : warmup; }
  /// The most cycles that are measured.
  std::uint64_t most_cycles() const { return until == run_end::cycles ? cycles : maximum_cycles; }

  void bind(parameter_set& parameters);
  /// Refuses a counter without a count, a count without a counter, and more windows of occupancy
  /// than anybody can look at; throws `configuration_error`.
  void validate() const;
};

}  // namespace tributary
