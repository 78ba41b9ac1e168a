// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/collective_tree.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using ranks_of = std::vector<std::vector<std::uint32_t>>;

// T47 of the specification: the paper says that four ranks with lambda = 2 are flat.
TEST(collective_tree, four_ranks_of_lambda_two_are_flat) {
  const collective_tree tree = greedy_tree(4, {2, 1});
  EXPECT_EQ(tree.children, flat_tree(4).children);
  EXPECT_EQ(tree.root_degree(), 3U);
  EXPECT_EQ(tree.depth, 1U);
}

// T48, for every number of ranks.
TEST(collective_tree, greedy_of_lambda_one_is_binomial) {
  for (std::uint32_t ranks = 1; ranks <= 300; ++ranks) {
    EXPECT_EQ(greedy_tree(ranks, {1, 1}).children, binomial_tree(ranks).children) << ranks;
  }
}

TEST(collective_tree, binomial_tree_of_eight_ranks) {
  const ranks_of expected{{1, 2, 4}, {3, 5}, {6}, {7}, {}, {}, {}, {}};
  const collective_tree tree = binomial_tree(8);
  EXPECT_EQ(tree.children, expected);
  EXPECT_EQ(tree.depth, 3U);
}

// Degree and depth as derived in section 5.4 of the specification.
TEST(collective_tree, degree_and_depth_of_greedy_trees) {
  struct expected {
    std::uint32_t ranks, lambda, degree, depth;
  };
  const std::vector<expected> table{{8, 2, 4, 2},  {8, 3, 5, 2},  {8, 6, 7, 1},
                                    {16, 1, 4, 4}, {16, 2, 6, 3}, {16, 3, 7, 2},
                                    {16, 4, 8, 2}, {16, 5, 9, 2}, {16, 8, 11, 2}};
  for (const expected& row : table) {
    const collective_tree tree = greedy_tree(row.ranks, {row.lambda, 1});
    EXPECT_EQ(tree.root_degree(), row.degree) << row.ranks << " ranks, lambda " << row.lambda;
    EXPECT_EQ(tree.depth, row.depth) << row.ranks << " ranks, lambda " << row.lambda;
  }
}

// F(t) = F(t - 1) + F(t - lambda), F(t) = 1 before lambda: as many ranks can have the message.
TEST(collective_tree, greedy_reaches_as_many_ranks_as_any_tree_can) {
  constexpr std::uint32_t ranks = 200;
  for (std::uint64_t lambda = 1; lambda <= 12; ++lambda) {
    const auto arrivals = postal_arrivals(greedy_tree(ranks, {lambda, 1}), {lambda, 1});
    std::vector<std::uint64_t> reached;
    for (std::uint64_t t = 0; reached.empty() || reached.back() < ranks; ++t) {
      reached.push_back(t < lambda ? 1 : reached[t - 1] + reached[t - lambda]);
      const auto have = std::count_if(arrivals.begin(), arrivals.end(),
                                      [t](std::uint64_t at) { return at <= t; });
      EXPECT_EQ(static_cast<std::uint64_t>(have), std::min<std::uint64_t>(reached.back(), ranks))
          << "lambda " << lambda << ", time " << t;
    }
  }
}

TEST(collective_tree, only_the_quotient_of_the_times_counts) {
  EXPECT_EQ(greedy_tree(50, {786, 100}).children, greedy_tree(50, {7860, 1000}).children);
  EXPECT_EQ(greedy_tree(50, {600, 200}).children, greedy_tree(50, {3, 1}).children);
  EXPECT_NE(greedy_tree(50, {5, 2}).children, greedy_tree(50, {2, 1}).children);
  EXPECT_NE(greedy_tree(50, {5, 2}).children, greedy_tree(50, {3, 1}).children);
}

TEST(collective_tree, radix_tree_fills_levels) {
  const ranks_of expected{{1, 2, 3}, {4, 5, 6}, {7}, {}, {}, {}, {}, {}};
  const collective_tree tree = radix_tree(8, 3);
  EXPECT_EQ(tree.children, expected);
  EXPECT_EQ(tree.depth, 2U);
  EXPECT_EQ(radix_tree(8, 1).depth, 7U);
}

TEST(collective_tree, everyone_has_one_parent_with_a_smaller_rank) {
  for (const collective_tree& tree :
       {greedy_tree(97, {5, 1}), binomial_tree(97), flat_tree(97), radix_tree(97, 4)}) {
    const std::vector<std::uint32_t> parents = tree.parents();
    std::size_t children = 0;
    for (const auto& of_one : tree.children) children += of_one.size();
    EXPECT_EQ(children, 96U);
    EXPECT_EQ(parents[0], 0U);
    for (std::uint32_t rank = 1; rank < tree.ranks(); ++rank) EXPECT_LT(parents[rank], rank);
  }
}

TEST(collective_tree, one_rank_sends_nothing) {
  for (const collective_tree& tree :
       {greedy_tree(1, {2, 1}), binomial_tree(1), flat_tree(1), radix_tree(1, 2)}) {
    EXPECT_EQ(tree.children, ranks_of(1));
    EXPECT_EQ(tree.depth, 0U);
  }
}

TEST(collective_tree, refuses_by_name) {
  EXPECT_THROW(flat_tree(0), configuration_error);
  EXPECT_THROW(binomial_tree(most_tree_ranks + 1), configuration_error);
  EXPECT_THROW(radix_tree(4, 0), configuration_error);
  EXPECT_THROW(greedy_tree(4, {1, 0}), configuration_error);
  EXPECT_THROW(greedy_tree(4, {1, 2}), configuration_error);
  EXPECT_THROW(greedy_tree(4, {std::uint64_t{1} << 33U, 1}), configuration_error);
}

}  // namespace
}  // namespace tributary
