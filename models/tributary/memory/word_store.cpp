// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/word_store.h>

#include <algorithm>

namespace tributary {

std::vector<std::pair<std::uint64_t, word_t>> word_store::contents() const {
  std::vector<std::pair<std::uint64_t, word_t>> words;
  for (const block& its : blocks_) {
    for (const cell& each : its.cells()) {
      if (each.location == free_cell || each.value == 0) continue;
      words.emplace_back(each.location, each.value);
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

void word_store::block::check() const {
  const std::size_t cells = cells_.size();
  const auto is_used = [](const cell& each) { return each.location != free_cell; };
  const auto used = std::count_if(cells_.begin(), cells_.end(), is_used);
  require_within(cells >= minimum_cells && (cells & (cells - 1)) == 0 && 2 * used_ <= cells &&
                 used_ == static_cast<std::size_t>(used));
}

void word_store::block::grow() {
  std::vector<cell> old(2 * cells_.size());
  old.swap(cells_);
  for (const cell& each : old) {
    if (each.location != free_cell) cells_[probe(each.location)] = each;
  }
}

}  // namespace tributary
