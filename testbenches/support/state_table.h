// SPDX-License-Identifier: Apache-2.0
// The states that an exploration has reached.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "state_packing.h"

namespace tributary::testing {

/// Packed states by number, each once. There may be so many that growing must not copy them.
class state_table {
 public:
  std::size_t size() const { return places_.size(); }
  const unsigned char* at(std::size_t number) const { return place(number) + length_bytes; }
  std::size_t bytes() const { return used_; }

  /// The number of a state, and whether it is new.
  std::pair<std::uint32_t, bool> add(const std::vector<unsigned char>& packed) {
    if (2 * size() >= slots_.size()) grow();
    const std::string_view added(reinterpret_cast<const char*>(packed.data()), packed.size());
    std::uint32_t& slot = slots_[slot_of(added)];
    if (slot != empty) return {slot, false};
    slot = static_cast<std::uint32_t>(size());
    append(packed);
    return {slot, true};
  }

 private:
  static constexpr std::uint32_t empty = 0xffffffff;
  static constexpr std::size_t chunk = std::size_t{1} << 20;
  static constexpr std::size_t length_bytes = 2;

  /// Of its length and its bytes, which are in one chunk.
  const unsigned char* place(std::size_t number) const {
    return chunks_[places_[number] / chunk].data() + places_[number] % chunk;
  }
  std::string_view view(std::uint32_t number) const {
    const unsigned char* const from = place(number);
    const std::size_t length = from[0] | std::size_t{from[1]} << 8;
    return {reinterpret_cast<const char*>(from + length_bytes), length};
  }
  std::size_t slot_of(std::string_view packed) const {
    std::size_t slot = std::hash<std::string_view>()(packed) & (slots_.size() - 1);
    while (slots_[slot] != empty && view(slots_[slot]) != packed) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, empty);
    for (std::uint32_t i = 0; i < size(); ++i) slots_[slot_of(view(i))] = i;
  }
  void append(const std::vector<unsigned char>& packed) {
    if (packed.size() > 0xffff) throw broken_rule("a packed state is too long");
    const std::size_t bytes = length_bytes + packed.size();
    if (used_ + bytes > chunks_.size() * chunk) {
      used_ = chunks_.size() * chunk;
      chunks_.emplace_back(chunk);
    }
    places_.push_back(used_);
    unsigned char* const to = chunks_.back().data() + used_ % chunk;
    to[0] = static_cast<unsigned char>(packed.size());
    to[1] = static_cast<unsigned char>(packed.size() >> 8);
    std::copy(packed.begin(), packed.end(), to + length_bytes);
    used_ += bytes;
  }

  std::vector<std::vector<unsigned char>> chunks_;
  std::size_t used_ = 0;
  std::deque<std::size_t> places_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, empty);
};

}  // namespace tributary::testing
