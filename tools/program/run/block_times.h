// SPDX-License-Identifier: Apache-2.0
// Where the time of simulations goes, by block.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <tributary/sim/activity.h>

namespace tributary {

/// Looks every millisecond at what each simulation is at, from a thread of its own. Simulations pay
/// next to nothing for it, and a block's share is known to a standard error of 1/(2 sqrt(looks)).
class block_times {
 public:
  block_times();
  ~block_times();
  block_times(const block_times&) = delete;
  block_times& operator=(const block_times&) = delete;

  /// Where a simulation says what it is at. Looked at between `begin` and `end`, which other
  /// threads may call.
  current_activity& add();
  void begin(const current_activity& activity);
  void end(const current_activity& activity);

  /// A heading, and a line for each block with its share and seconds, the longest first.
  std::string text() const;

 private:
  using clock = std::chrono::steady_clock;

  struct watched {
    current_activity activity;
    bool runs = false;
    clock::time_point begun;
  };

  watched& find(const current_activity& activity);
  void look();

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::list<watched> simulations_;
  std::map<std::string, std::uint64_t> looks_;  // by block
  double seconds_ = 0;                          // of simulations that have ended
  std::thread thread_;
};

}  // namespace tributary
