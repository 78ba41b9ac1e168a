// SPDX-License-Identifier: Apache-2.0
// For how long packets wait for a way on while tables change.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/switching/channel_network.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Packets whose head waits at the front of a buffer for another switch, as they are seen in one
/// cycle of several. It costs nothing while nobody looks.
class waiting_heads {
 public:
  /// Which of those that were seen first so many cycles ago, or earlier, are discarded.
  enum class victims : std::uint8_t {
    all,         ///< each: two tables together may deadlock
    without_way  ///< those for which the escape of their switch has no way on
  };

  /// Looks at all switches; discards. Whether one that was seen before, and stays, has none.
  bool look(channel_network& network, cycle_t time_out, victims which);
  void clear() { heads_.clear(); }

  TRIBUTARY_STATE(heads_);

 private:
  struct head {
    std::uint32_t at = 0;
    std::uint32_t port = 0;
    std::uint32_t channel = 0;
    std::uint32_t packet = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(at, port, channel, packet, since);
  };

  static bool has_way(const channel_network& network, const head& each);
  static std::vector<head> waiting_in(const channel_network& network);
  void take_times(std::vector<head>& found) const;

  std::vector<head> heads_;  ///< by switch, port and channel
};

}  // namespace tributary
