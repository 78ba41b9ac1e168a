// SPDX-License-Identifier: Apache-2.0
// Where the entries of systolic combining queues are, and which of them pass each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The columns of `count` systolic queues of `slots` entries (docs/models/systolic_queue.md; spec
/// section 3, after Guibas and Liang, Snir and Solworth, Dickey). The oldest entries of a queue lie
/// in its OUT column, rows 0 (the exit) upwards without a gap, and move down one row when the head
/// leaves. Younger ones climb the IN column one row a cycle, past every entry of OUT, and go over
/// at its top. Partners of combined entries, the CHUTE, lie next to them and need no position.
///
/// Entries are named by their place in the queue, 0 the oldest; those that climb are the youngest.
/// The entries themselves are the combining queue's.
class systolic_columns {
 public:
  systolic_columns() = default;
  systolic_columns(std::size_t slots, std::size_t count)
      : slots_(slots), levels_(count), rows_(count * slots) {}

  /// Entries in the OUT column, and those that climb.
  std::size_t out(std::size_t queue) const { return levels_[queue].out; }
  std::size_t climbing(std::size_t queue) const { return levels_[queue].climbing; }
  /// Row of the i-th oldest entry that climbs.
  std::size_t row(std::size_t queue, std::size_t i) const { return rows_[queue * slots_ + i]; }

  /// Whether there was nothing in the queue at the start of the cycle.
  bool empty(std::size_t queue) const { return out(queue) == 0; }

  /// Lets the entries that climb meet those they pass in this cycle, the oldest first: the one
  /// in their own row, then, when the head has left, the one that comes down from the row above.
  /// `meet(older, younger)` says whether the younger joins the older and is no entry any more; the
  /// places are those after the release. The head is met in a coupled queue only, and not as it
  /// leaves.
  template <class Meet>
  void pass(std::size_t queue, bool head_left, bool coupled, Meet&& meet);

  /// Moves the columns of a queue that now holds `entries`, an arrival among them.
  void move(std::size_t queue, std::size_t entries, bool head_left);

  /// Makes the queue like one of another bank.
  void copy_queue(std::size_t queue, const systolic_columns& other, std::size_t other_queue) {
    levels_[queue] = other.levels_[other_queue];
    for (std::size_t i = 0; i < climbing(queue); ++i) {
      row_of(queue, i) = static_cast<std::uint8_t>(other.row(other_queue, i));
    }
  }
  /// Forgets in which rows entries were.
  void normalize(std::size_t queue) {
    for (std::size_t i = climbing(queue); i < slots_; ++i) row_of(queue, i) = 0;
  }

  friend bool operator==(const systolic_columns& x, const systolic_columns& y);

  /// Refuses restored columns that do not hold these `entries`. Throws `input_error`.
  void check(std::size_t queue, std::size_t entries) const;

  TRIBUTARY_STATE(fixed_size(levels_), fixed_size(rows_));

 private:
  struct level {
    std::uint8_t out = 0;
    std::uint8_t climbing = 0;

    TRIBUTARY_STATE(out, climbing);
  };

  std::uint8_t& row_of(std::size_t queue, std::size_t i) { return rows_[queue * slots_ + i]; }

  std::size_t slots_ = 0;
  std::vector<level> levels_;
  std::vector<std::uint8_t> rows_;  // by queue, the oldest first; those that climb only
};

template <class Meet>
void systolic_columns::pass(std::size_t queue, bool head_left, bool coupled, Meet&& meet) {
  level& now = levels_[queue];
  const std::size_t gone = head_left ? 1 : 0;
  std::size_t stay = 0;
  for (std::size_t i = 0; i < now.climbing; ++i) {
    const std::size_t at = row(queue, i);
    const std::size_t younger = now.out - gone + stay;
    const bool beside_head = at == 0;
    if ((!beside_head || (coupled && !head_left)) && meet(at - gone, younger)) continue;
    if (head_left && at + 1 < now.out && meet(at, younger)) continue;
    row_of(queue, stay++) = static_cast<std::uint8_t>(at);
  }
  now.climbing = static_cast<std::uint8_t>(stay);
}

}  // namespace tributary
