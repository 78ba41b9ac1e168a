// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do one piece of work after the other is the faster one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tributary {

/// Two ways with the same result, which take different time from piece to piece: what a machine
/// does changes, and so does what else its host does. Each trial of the way that was slower is two
/// pieces, of which the better counts, and so it is with the way that is in use: one disturbed
/// piece decides nothing. As long as it loses, the slower way is tried again after 4 pieces, then
/// after 8 and so on up to 256.
class faster_way {
 public:
  /// Whether the second way is the one for the next piece.
  bool second() const { return is_trial() ? !second_is_faster_ : second_is_faster_; }

  /// The next piece was done in so much time for each unit of work, the way that `second` tells.
  void took(double time) {
    if (!is_trial()) {
      best_of_two_ = std::min(last_, time);
      last_ = time;
      --until_trial_;
      return;
    }
    tried_ = std::min(tried_, time);
    if (++trials_ == 2) end_trial();
  }

 private:
  static constexpr std::uint32_t shortest_pause = 4;
  static constexpr std::uint32_t longest_pause = 256;
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  bool is_trial() const { return until_trial_ == 0; }
  void end_trial() {
    const bool won = tried_ < best_of_two_;
    pause_ = won ? shortest_pause : std::min(2 * pause_, longest_pause);
    if (won) {
      second_is_faster_ = !second_is_faster_;
      last_ = tried_;
    }
    until_trial_ = pause_;
    trials_ = 0;
    tried_ = unknown;
  }

  bool second_is_faster_ = false;
  double last_ = unknown;         // of the way in use
  double best_of_two_ = unknown;  // of its last pieces
  double tried_ = unknown;        // of the other way, in this trial
  std::uint32_t trials_ = 0;      // pieces of this trial
  std::uint32_t until_trial_ = 2;
  std::uint32_t pause_ = shortest_pause / 2;
};

}  // namespace tributary
