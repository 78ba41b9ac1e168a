// SPDX-License-Identifier: Apache-2.0
// The occupancy of queues and buffers over time, for pictures of tree saturation.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>

#include <driver/simulation.h>

namespace tributary {

/// What stands in the queues and buffers of each group of places, window by window; it looks at
/// them at the end of each window only. Of a machine that cannot record it, nothing may be asked.
class occupancy_record {
 public:
  /// `window` in cycles; 0 records nothing.
  explicit occupancy_record(std::uint64_t window) : window_(window) {}

  /// The last cycle of the window that is open; never comes if nothing is recorded.
  cycle_t window_end() const {
    return recording() ? (windows_.size() + 1) * window_ : std::numeric_limits<cycle_t>::max();
  }
  /// To be called at each `window_end`, with the places as they stand after that cycle.
  void end_window(const occupancy_source& places) { windows_.push_back(look_at(places)); }
  /// To be called before the machine's counters are reset.
  void before_reset(const occupancy_source* places) {
    if (recording()) earlier_ = look_at(*places);
  }

  /// Adds the series of each group, up to cycle `last`.
  void report(const occupancy_source* places, cycle_t last, statistics_tree& statistics) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(earlier_, windows_);
  }

 private:
  using by_group = std::vector<occupancy_sample>;

  bool recording() const { return window_ != 0; }
  by_group look_at(const occupancy_source& places) const;

  std::uint64_t window_;
  by_group earlier_;               ///< before the last reset of the counters
  std::vector<by_group> windows_;  ///< at the end of each whole window
};

}  // namespace tributary
