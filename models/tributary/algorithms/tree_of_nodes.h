// SPDX-License-Identifier: Apache-2.0
// The tree on which nodes reduce, broadcast and meet.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tributary {

/// A k-ary tree with node 0 as its root and the children of i at k i + 1 and behind
/// (Klaiber 4.2.2).
class tree_of_nodes {
 public:
  tree_of_nodes(std::uint32_t nodes, std::uint32_t arity) : nodes_(nodes), arity_(arity) {}

  std::uint32_t parent(std::uint32_t node) const { return (node - 1) / arity_; }
  /// Which of its parent's children it is.
  std::uint32_t place(std::uint32_t node) const { return (node - 1) % arity_; }
  std::uint32_t first_child(std::uint32_t node) const { return node * arity_ + 1; }
  std::uint32_t children(std::uint32_t node) const {
    const std::uint64_t first = std::uint64_t{node} * arity_ + 1;
    return first >= nodes_
               ? 0
               : static_cast<std::uint32_t>(std::min<std::uint64_t>(arity_, nodes_ - first));
  }

 private:
  std::uint32_t nodes_;
  std::uint32_t arity_;
};

}  // namespace tributary
