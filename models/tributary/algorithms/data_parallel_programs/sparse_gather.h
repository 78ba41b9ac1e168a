// SPDX-License-Identifier: Apache-2.0
// sparse_gather: rows from random nodes, as a mixture of experts routes its tokens.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct sparse_gather_config {
  std::uint32_t phases = 10;
  /// Of a node in a phase: each needs one row.
  std::uint32_t tokens = 64;
  /// Of each node.
  std::uint32_t rows = 64;
  /// Words of a row.
  std::uint32_t words = 32;
  /// Cycles of a processor in a phase.
  std::uint64_t compute_cycles = 0;
  /// Names the routing table, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// Each token needs a random row of a random node, its own included: rows of others come by a get
/// of a row. A barrier follows, and each node compares what came.
std::unique_ptr<kernel> make_sparse_gather(const sparse_gather_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
