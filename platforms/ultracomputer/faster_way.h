// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do one piece of work after the other is the faster one.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tributary {

/// Two ways with the same result, which take different time from piece to piece: what a machine
/// does changes, and so does what else its host does. The way that was slower is tried again after
/// 4 pieces, then after 8 and so on up to 256 as long as it loses.
class faster_way {
 public:
  /// Whether the second way is the one for the next piece.
  bool second() const { return pieces_until_trial_ == 0 ? !second_is_faster_ : second_is_faster_; }

  /// The next piece was done in so much time for each unit of work, the way that `second` tells.
  void took(double time) {
    if (pieces_until_trial_ != 0) {
      last_ = time;
      --pieces_until_trial_;
      return;
    }
    const bool won = time < last_;
    pause_ = won ? shortest_pause : std::min(2 * pause_, longest_pause);
    if (won) {
      second_is_faster_ = !second_is_faster_;
      last_ = time;
    }
    pieces_until_trial_ = pause_;
  }

 private:
  static constexpr std::uint32_t shortest_pause = 4;
  static constexpr std::uint32_t longest_pause = 256;

  bool second_is_faster_ = false;
  double last_ = 0;  // of the way that is taken for the faster one
  std::uint32_t pieces_until_trial_ = 1;
  std::uint32_t pause_ = shortest_pause / 2;
};

}  // namespace tributary
