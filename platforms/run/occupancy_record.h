// SPDX-License-Identifier: Apache-2.0
// The occupancy of queues and wait buffers over time, for pictures of tree saturation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/base/statistics.h>
#include <tributary/combining/omega_network.h>

namespace tributary {

/// What stands in the queues and wait buffers of each stage, window by window. It looks at the
/// network at the end of each window only, and takes means from counters that switches keep
/// anyway: it costs little, and every engine gives the same.
class occupancy_record {
 public:
  /// `window` in cycles; 0 records nothing.
  explicit occupancy_record(std::uint64_t window) : window_(window) {}

  /// The last cycle of the window that is open; never comes if nothing is recorded.
  cycle_t window_end() const {
    return recording() ? (windows_.size() + 1) * window_ : std::numeric_limits<cycle_t>::max();
  }
  /// To be called at each `window_end`, with the network as it stands after that cycle.
  void end_window(const omega_network& network) { windows_.push_back(look_at(network)); }
  /// To be called before the network's counters are reset.
  void before_reset(const omega_network& network) {
    if (recording()) earlier_ = look_at(network);
  }

  /// Adds its series to the group of each stage, up to cycle `last`.
  void report(const omega_network& network, cycle_t last, statistics_group& stages) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(earlier_, windows_);
  }

 private:
  struct sample {
    // Entries summed over the cycles since the first, and all queues and wait buffers of a stage.
    std::uint64_t waiting = 0;
    std::uint64_t held = 0;
    // Entries at this moment in the fullest of them.
    std::uint64_t most_waiting = 0;
    std::uint64_t most_held = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(waiting, held, most_waiting, most_held);
    }
  };
  using by_stage = std::vector<sample>;

  bool recording() const { return window_ != 0; }
  by_stage look_at(const omega_network& network) const;

  std::uint64_t window_;
  by_stage earlier_;               ///< before the last reset of the counters
  std::vector<by_stage> windows_;  ///< at the end of each whole window
};

}  // namespace tributary
