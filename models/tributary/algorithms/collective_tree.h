// SPDX-License-Identifier: Apache-2.0
// Trees by which a message goes to all ranks, or values come together: who sends to whom.
#pragma once

#include <cstdint>
#include <vector>

namespace tributary {

/// What the postal model knows of a machine: times of a message in any one unit (Bar-Noy and
/// Kipnis). The quotient of both, lambda, is 1 or more.
struct postal_times {
  std::uint64_t latency = 1;  ///< from the beginning of a send to when the receiver may send
  std::uint64_t gap = 1;      ///< between two sends of the same rank
};

/// A tree of ranks from 0, with rank 0 as the root. A rank is greater than its parent.
struct collective_tree {
  /// Of each rank the ranks it sends to, in the order in which it sends.
  std::vector<std::vector<std::uint32_t>> children;
  /// Messages in a row from the root to the farthest rank; 0 for one rank.
  std::uint32_t depth = 0;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(children.size()); }
  std::uint32_t root_degree() const { return static_cast<std::uint32_t>(children[0].size()); }
  /// Of each rank the one it receives from; the root is its own.
  std::vector<std::uint32_t> parents() const;
};

/// Most ranks of a tree.
inline constexpr std::uint32_t most_tree_ranks = 1U << 20U;

/// The tree that reaches all ranks first in the postal model: every rank that has the message sends
/// it to the next that lacks it, as soon as its gap lets it. Of two that could send at once the one
/// goes first that has sent before (Buntinas et al., CANPC 2000; derived: only then are four ranks
/// with lambda = 2 flat, as printed). Throws `configuration_error` for no ranks or too many, a gap
/// of 0, a latency below the gap or above 2^32.
collective_tree greedy_tree(std::uint32_t ranks, const postal_times& times);

/// Ranks double in each round: the greedy tree of lambda = 1. Throws for ranks as `greedy_tree`.
collective_tree binomial_tree(std::uint32_t ranks);

/// The root sends to everyone. Throws for ranks as `greedy_tree`.
collective_tree flat_tree(std::uint32_t ranks);

/// Each rank sends to the next `radix` that nobody sends to, level by level (Moorthy et al., CANPC
/// 2000: flags of a broadcast). Throws `configuration_error` for a radix of 0, and for ranks as
/// `greedy_tree`.
collective_tree radix_tree(std::uint32_t ranks, std::uint32_t radix);

/// When each rank has the message in the postal model, rank 0 at 0: the tree's sends begin one gap
/// after each other.
std::vector<std::uint64_t> postal_arrivals(const collective_tree& tree, const postal_times& times);

}  // namespace tributary
