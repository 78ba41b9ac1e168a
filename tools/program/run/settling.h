// SPDX-License-Identifier: Apache-2.0
// Whether a run of fixed length measured a machine at rest, or one on its way there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Compares the halves of the measured cycles, each of ten slices: the mean latency of each slice,
/// and the backlog at its end. A difference counts if it is above 5 %; whether chance may explain
/// it (Welch's t-test, 1 %) is only said. Watching changes nothing in the machine.
class settling {
 public:
  /// `cycles`: how many are measured.
  explicit settling(std::uint64_t cycles) : cycles_(cycles) {}

  /// Measured cycles after which the next slice ends; beyond the run after the last one.
  std::uint64_t slice_end() const {
    return slices_ == slices_of_run ? cycles_ + 1 : (slices_ + 1) * cycles_ / slices_of_run;
  }
  /// To be called at each `slice_end`. `backlog`: requests asked for and not answered.
  void end_slice(const average& latency, std::uint64_t backlog);

  /// Second half against first, minus 1; nothing where a half has too few slices with a response.
  std::optional<double> latency_drift() const { return drift(latencies_); }
  std::optional<double> backlog_drift() const { return drift(backlogs_); }
  /// Why the numbers are not those of a machine at rest, a phrase each; empty if they may be.
  /// `warmup`: cycles before the measurement; 0 is no warm-up, and the start is meant.
  std::vector<std::string> reasons(cycle_t warmup, std::uint64_t greatest_latency) const;

  TRIBUTARY_STATE(slices_, latency_sum_, latency_count_, latencies_.first, latencies_.second,
                  backlogs_.first, backlogs_.second);

 private:
  static constexpr std::uint64_t slices_of_run = 20;

  struct halves {
    std::vector<double> first;
    std::vector<double> second;
  };

  std::vector<double>& half(halves& of) const {
    return slices_ < slices_of_run / 2 ? of.first : of.second;
  }
  static std::optional<double> drift(const halves& of);
  /// The drift, where it counts.
  static std::optional<double> change(const halves& of);
  /// " (chance may explain it)", if it may.
  static const char* doubt(const halves& of);

  std::uint64_t cycles_;
  std::uint64_t slices_ = 0;
  std::uint64_t latency_sum_ = 0;
  std::uint64_t latency_count_ = 0;
  halves latencies_;
  halves backlogs_;
};

}  // namespace tributary
