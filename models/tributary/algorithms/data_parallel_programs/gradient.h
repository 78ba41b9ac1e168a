// SPDX-License-Identifier: Apache-2.0
// gradient: the sum of all nodes' vectors, in parts and then as a whole on every node.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// How the sums of the parts come to all nodes.
enum class gradient_gather : std::uint8_t {
  broadcasts,  ///< one of each node
  sends        ///< from each node to each other
};

/// Configuration of the program.
struct gradient_config {
  std::uint32_t rounds = 4;
  /// Numbers of a vector.
  std::uint32_t words = 4096;
  gradient_gather gather = gradient_gather::broadcasts;
  /// Cycles of a processor that an addition takes.
  std::uint64_t element_cycles = 0;
  /// Names the vectors, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// In each round every node sends to each other one the part of its vector that the other adds up,
/// in the order of the nodes, behind a barrier; then the sums go to all. A barrier ends the round.
/// Sums are what one processor computes, bit by bit.
///
/// Throws `configuration_error` if parts would not be equally long.
std::unique_ptr<kernel> make_gradient(const gradient_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
