// SPDX-License-Identifier: Apache-2.0
// colcast: the communication of matrix, of words that say where they come from.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator.
struct colcast_config {
  /// Broadcasts, and columns: each node owns as many, consecutive ones.
  std::uint32_t columns = 128;
  /// Words of a column.
  std::uint32_t words = 128;
  /// Cycles of a processor behind each broadcast.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// Each column is broadcast once, by its owner and to its own place. Nothing else is said.
/// Source: section 6 of the specification; Klaiber 5.4, 6.5.3.
///
/// Throws `configuration_error` if nodes would not have equally many columns.
std::unique_ptr<kernel> make_colcast(const colcast_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
