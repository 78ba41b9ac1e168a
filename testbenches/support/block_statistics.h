// SPDX-License-Identifier: Apache-2.0
// What blocks report.
#pragma once

#include <string>

#include <tributary/sim/statistics.h>

namespace tributary::testing {

/// What a block reports, at the top of a tree.
template <class Block>
statistics_tree report_of(const Block& block) {
  statistics_tree tree;
  block.report(tree.root(), 0);
  return tree;
}

/// One statistic of a block, by its path within the block.
template <class Block>
double statistic(const Block& block, const std::string& path) {
  return report_of(block).find(path);
}

}  // namespace tributary::testing
