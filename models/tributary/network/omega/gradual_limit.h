// SPDX-License-Identifier: Apache-2.0
// The gradual adaptive queue: how many combined requests fill a queue, by its combining rate.
#pragma once

#include <array>
#include <cstdint>

namespace tributary {

/// A limit that falls from one that is never reached to the crude one as requests combine more (FG
/// 5.1). A queue keeps its measured combining rate in one byte, in 256ths: an exponential mean over
/// its arrivals, of which the newest weighs 1/16, with shifts and additions only (cycle contract,
/// rule 12). Pairs bound a steady rate by one half, 128.
class gradual_limit {
 public:
  /// Up to this rate, an eighth, the limit is the highest; from the other one on the lowest.
  static constexpr unsigned highest_until = 32;
  static constexpr unsigned lowest_from = 104;

  gradual_limit() = default;
  /// `highest`: more combined requests than a queue with room ever holds; `lowest`: the crude
  /// limit. A lowest above the highest is never reached, and the limit stays the highest.
  constexpr gradual_limit(unsigned highest, unsigned lowest) {
    const unsigned steps = highest > lowest ? highest - lowest : 0;
    for (unsigned rate = 0; rate < limits_.size(); ++rate) {
      unsigned passed = 0;
      while (passed < steps && rate >= threshold(passed + 1, steps)) ++passed;
      limits_[rate] = static_cast<std::uint8_t>(highest - passed);
    }
  }

  /// The rate at which the limit falls for the i-th time of so many steps.
  static constexpr unsigned threshold(unsigned i, unsigned steps) {
    return highest_until + (lowest_from - highest_until) * i / steps;
  }

  /// The rate after an arrival that joined a waiting request, or became an entry. It stays within 0
  /// and 241: from there on the sixteenth of what is left to the whole rounds to nothing.
  static constexpr std::uint8_t rate_after(std::uint8_t rate, bool joined) {
    const unsigned up = (256U - rate) >> 4;
    const unsigned down = (rate + 15U) >> 4;
    return static_cast<std::uint8_t>(joined ? rate + up : rate - down);
  }

  /// Combined requests that fill the queue at this rate.
  constexpr std::uint8_t at(std::uint8_t rate) const { return limits_[rate]; }

 private:
  std::array<std::uint8_t, 256> limits_{};
};

}  // namespace tributary
