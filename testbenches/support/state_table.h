// SPDX-License-Identifier: Apache-2.0
// The states that an exploration has reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tributary::testing {

/// Packed states by number, each once.
class state_table {
 public:
  std::size_t size() const { return begins_.size() - 1; }
  const unsigned char* at(std::size_t number) const { return bytes_.data() + begins_[number]; }
  std::size_t bytes() const { return bytes_.size(); }

  /// The number of a state, and whether it is new.
  std::pair<std::uint32_t, bool> add(const std::vector<unsigned char>& packed) {
    if (2 * size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(view(packed.data(), packed.size()))];
    if (slot != empty) return {slot, false};
    slot = static_cast<std::uint32_t>(size());
    bytes_.insert(bytes_.end(), packed.begin(), packed.end());
    begins_.push_back(bytes_.size());
    return {slot, true};
  }

 private:
  static constexpr std::uint32_t empty = 0xffffffff;

  static std::string_view view(const unsigned char* from, std::size_t size) {
    return {reinterpret_cast<const char*>(from), size};
  }
  std::string_view view(std::uint32_t number) const {
    return view(at(number), begins_[number + 1] - begins_[number]);
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

  std::vector<unsigned char> bytes_;
  std::vector<std::size_t> begins_{0};
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, empty);
};

}  // namespace tributary::testing
