// SPDX-License-Identifier: Apache-2.0
// matrix: the product of two matrices, a column of the first one after the other.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct matrix_config {
  /// Rows and columns of each matrix.
  std::uint32_t side = 128;
  /// Cycles of a processor that a multiplication and addition takes.
  std::uint64_t element_cycles = 0;
  /// Names the matrices, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// Nodes own consecutive columns of all three matrices. Column i of the first one is broadcast by
/// its owner, and all add to their columns of the product what it gives. A column lands at the
/// place of that column, so that no barrier is needed. The product is what one processor computes,
/// bit by bit. Source: Klaiber 5.4, 6.5.3.
///
/// Throws `configuration_error` if nodes would not have equally many columns.
std::unique_ptr<kernel> make_matrix(const matrix_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
