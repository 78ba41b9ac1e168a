// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/link_places.h>

#include <algorithm>

namespace tributary {

link_places::extent link_places::add(std::uint32_t lanes, std::uint32_t places,
                                     std::uint64_t limit) {
  const extent added{from_.size(), places, limit};
  from_.resize(from_.size() + std::size_t{lanes} * places);
  bytes_.resize(from_.size());
  return added;
}

bool link_places::fits(const extent& behind, std::uint8_t lane, std::uint64_t bytes,
                       cycle_t now) const {
  const std::size_t first = begin(behind, lane);
  const std::size_t last = first + behind.places;
  if (behind.limit == 0) {
    // Of many places one of the first is empty, as those are taken first.
    return std::any_of(from_.data() + first, from_.data() + last,
                       [now](cycle_t from) { return from <= now; });
  }
  bool has_place = false;
  std::uint64_t held = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (from_[i] <= now) {
      has_place = true;
    } else {
      held += bytes_[i];
    }
  }
  return has_place && held + bytes <= behind.limit;
}

cycle_t link_places::fits_at(const extent& behind, std::uint8_t lane, std::uint64_t bytes) const {
  const std::size_t first = begin(behind, lane);
  const std::size_t last = first + behind.places;
  if (behind.limit == 0) {
    return *std::min_element(from_.data() + first, from_.data() + last);
  }
  cycle_t earliest = never;
  for (std::size_t i = first; i < last; ++i) {
    if (from_[i] < earliest && fits(behind, lane, bytes, from_[i])) earliest = from_[i];
  }
  return earliest;
}

cycle_t link_places::next_empty(const extent& behind, std::uint8_t lane, cycle_t now) const {
  const std::size_t first = begin(behind, lane);
  cycle_t earliest = never;
  for (std::size_t i = first; i < first + behind.places; ++i) {
    if (from_[i] > now) earliest = std::min(earliest, from_[i]);
  }
  return earliest;
}

bool link_places::take(const extent& behind, std::uint8_t lane, std::uint64_t bytes, cycle_t now) {
  if (behind.limit != 0 && !fits(behind, lane, bytes, now)) return false;
  const auto first = from_.begin() + static_cast<std::ptrdiff_t>(begin(behind, lane));
  const auto last = first + static_cast<std::ptrdiff_t>(behind.places);
  const auto empty = std::find_if(first, last, [now](cycle_t from) { return from <= now; });
  if (empty == last) return false;
  *empty = never;
  bytes_[static_cast<std::size_t>(empty - from_.begin())] = static_cast<std::uint32_t>(bytes);
  return true;
}

void link_places::free(const extent& behind, std::uint8_t lane, std::uint64_t bytes, cycle_t at) {
  // Places whose messages have the same length are alike.
  const std::size_t first = begin(behind, lane);
  for (std::size_t i = first; i < first + behind.places; ++i) {
    if (from_[i] != never || (behind.limit != 0 && bytes_[i] != bytes)) continue;
    from_[i] = at;
    return;
  }
}

}  // namespace tributary
