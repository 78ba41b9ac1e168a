// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/systolic_queue.h>

namespace tributary {

void systolic_columns::move(std::size_t queue, std::size_t entries, bool head_left) {
  level& now = levels_[queue];
  std::size_t out = now.out - (head_left ? 1U : 0U);
  const std::size_t before = now.climbing;
  std::size_t climbing = 0;
  for (std::size_t i = 0; out + climbing < entries; ++i) {
    // One row up; an arrival enters at the bottom. At the top of OUT it goes over.
    const std::size_t next = i < before ? row(queue, i) + 1 : 0;
    if (next >= out) {
      ++out;
    } else {
      row_of(queue, climbing++) = static_cast<std::uint8_t>(next);
    }
  }
  now.out = static_cast<std::uint8_t>(out);
  now.climbing = static_cast<std::uint8_t>(climbing);
}

void systolic_columns::check(std::size_t queue, std::size_t entries) const {
  bool fits = out(queue) + climbing(queue) == entries;
  for (std::size_t i = 0; fits && i < climbing(queue); ++i) fits = row(queue, i) < slots_;
  require_within(fits);
}

bool operator==(const systolic_columns& x, const systolic_columns& y) {
  if (x.levels_.size() != y.levels_.size()) return false;
  for (std::size_t queue = 0; queue < x.levels_.size(); ++queue) {
    if (x.out(queue) != y.out(queue) || x.climbing(queue) != y.climbing(queue)) return false;
    for (std::size_t i = 0; i < x.climbing(queue); ++i) {
      if (x.row(queue, i) != y.row(queue, i)) return false;
    }
  }
  return true;
}

}  // namespace tributary
