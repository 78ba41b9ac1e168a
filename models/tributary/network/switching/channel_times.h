// SPDX-License-Identifier: Apache-2.0
// For how much of the time a channel was held.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Adds up the cycles for which messages hold a channel, one after the other. Beginnings and ends
/// may be told before their cycles.
class channel_times {
 public:
  TRIBUTARY_STATE(busy_, from_, until_);

  /// A message holds the channel from that cycle on.
  void begin(cycle_t at) { from_ = at; }
  /// It no longer does in that cycle.
  void end(cycle_t at) {
    busy_ += at - from_;
    from_ = never;
    until_ = at;
  }
  /// Counts from `now` on.
  void reset(cycle_t now) {
    busy_ = to_come(now);
    if (from_ != never) from_ = std::max(from_, now);
  }
  /// Cycles before `now`.
  std::uint64_t busy(cycle_t now) const {
    return busy_ - to_come(now) + (from_ < now ? now - from_ : 0);
  }

 private:
  std::uint64_t to_come(cycle_t now) const { return until_ > now ? until_ - now : 0; }

  std::uint64_t busy_ = 0;
  cycle_t from_ = never;  ///< of who holds it
  cycle_t until_ = 0;     ///< of who held it last
};

}  // namespace tributary
