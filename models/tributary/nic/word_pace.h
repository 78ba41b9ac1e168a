// SPDX-License-Identifier: Apache-2.0
// When the words of one loosely timed access would enter the network.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tributary {

/// As many words as a port may have outstanding follow each other at the pace of the link, and the
/// next as many when the slowest of those before is answered. Times are in any one unit.
class word_pace {
 public:
  /// Of a port and the network behind it.
  struct timing {
    std::uint64_t batch;   ///< words at a time, at least 1
    std::uint64_t link;    ///< from a word to the next
    std::uint64_t period;  ///< from an answer to the next word
    std::uint64_t way;     ///< the least round trip of a word
  };

  /// The first word enters at `start`.
  word_pace(std::uint64_t start, const timing& times)
      : times_(times), batch_start_(start), round_trip_(times.way) {}

  /// So many words enter, at least 1. Returns when the last of them does.
  std::uint64_t enter(std::uint64_t words) {
    const std::uint64_t place = in_batch_ + words - 1;
    batch_start_ +=
        place / times_.batch * std::max(round_trip_ + times_.period, times_.batch * times_.link);
    in_batch_ = place % times_.batch + 1;
    return batch_start_ + (in_batch_ - 1) * times_.link;
  }

  /// A word took so long.
  void answered(std::uint64_t round_trip) { round_trip_ = std::max(round_trip_, round_trip); }

 private:
  timing times_;
  std::uint64_t batch_start_;
  std::uint64_t in_batch_ = 0;
  std::uint64_t round_trip_;
};

}  // namespace tributary
