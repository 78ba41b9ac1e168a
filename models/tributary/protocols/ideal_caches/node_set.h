// SPDX-License-Identifier: Apache-2.0
// Some nodes of a machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A bit each, of nodes 0 to 255.
class node_set {
 public:
  static constexpr std::uint32_t most_nodes = 256;

  bool has(node_id node) const { return (words_[place(node)] & bit(node)) != 0; }
  void add(node_id node) { words_[place(node)] |= bit(node); }
  void remove(node_id node) { words_[place(node)] &= ~bit(node); }
  void clear() { words_ = {}; }
  std::uint32_t size() const {
    std::uint32_t all = 0;
    for (const std::uint64_t each : words_) {
      all += static_cast<std::uint32_t>(__builtin_popcountll(each));
    }
    return all;
  }

  TRIBUTARY_STATE(words_);

 private:
  static std::size_t place(node_id node) { return index(node) / 64; }
  static std::uint64_t bit(node_id node) { return std::uint64_t{1} << index(node) % 64; }

  std::array<std::uint64_t, most_nodes / 64> words_{};
};

}  // namespace tributary
