// SPDX-License-Identifier: Apache-2.0
// latency: primitives one by one, and how long they take.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct latency_config {
  /// Rounds that are measured, behind one that is not.
  std::uint32_t rounds = 10;
  /// Of an item.
  std::uint32_t bytes = word_bytes;

  void bind(parameter_set& parameters);
};

/// In each round a barrier; a get by node 1 of an item of node 0, and a barrier; a send by node 1
/// to node 0, and a barrier; a reduction of a word. Nothing else is under way meanwhile. Samples:
/// `barrier` at node 0; `get`, what a get adds to a barrier at node 1; `hand_off`, send and barrier
/// at node 0, which may use the item then. The interval `reduction` is that of a reduction, on each
/// node.
///
/// Throws `configuration_error` for one node, and items that are no whole words.
std::unique_ptr<kernel> make_latency(const latency_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
