// SPDX-License-Identifier: Apache-2.0
// Numbers found by numbers, for what is asked for with every event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tributary {

/// A hash table in one piece of memory: places that are taken are followed until a free one. It
/// doubles when three quarters are taken.
class number_index {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// `none` for a key that is not there.
  std::uint32_t find(std::uint64_t key) const { return places_[place_of(key)].number; }

  /// The key's number, to be read and set; `none` if the key was not there, which is then to be set
  /// to another before anything else is done.
  std::uint32_t& operator[](std::uint64_t key) {
    if (4 * (taken_ + 1) > 3 * places_.size()) grow();
    place& its = places_[place_of(key)];
    if (its.number == none) ++taken_;
    its.key = key;
    return its.number;
  }

  /// Only of a key that is there. Those behind it move up, so that no gap hides them.
  void erase(std::uint64_t key) {
    std::size_t gap = place_of(key);
    for (std::size_t at = next(gap); places_[at].number != none; at = next(at)) {
      const std::size_t wanted = first_place_of(places_[at].key);
      if (((at - wanted) & mask()) < ((at - gap) & mask())) continue;
      places_[gap] = places_[at];
      gap = at;
    }
    places_[gap].number = none;
    --taken_;
  }

 private:
  struct place {
    std::uint64_t key = 0;
    std::uint32_t number = none;
  };

  std::size_t mask() const { return places_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  std::size_t first_place_of(std::uint64_t key) const {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    return (key * spread) >> shift_;
  }
  /// Where the key is, or the free place for it.
  std::size_t place_of(std::uint64_t key) const {
    std::size_t at = first_place_of(key);
    while (places_[at].number != none && places_[at].key != key) at = next(at);
    return at;
  }
  void grow() {
    std::vector<place> old = std::exchange(places_, std::vector<place>(2 * places_.size()));
    --shift_;
    for (const place& each : old) {
      if (each.number != none) places_[place_of(each.key)] = each;
    }
  }

  static constexpr unsigned first_bits = 6;
  std::vector<place> places_ = std::vector<place>(std::size_t{1} << first_bits);
  unsigned shift_ = 64 - first_bits;
  std::size_t taken_ = 0;
};

}  // namespace tributary
