// SPDX-License-Identifier: Apache-2.0
// gauss: elimination in a matrix, with the greatest element of a column as its pivot.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the program.
struct gauss_config {
  /// Rows and columns of the matrix.
  std::uint32_t side = 128;
  /// Whether a broadcast leaves out what is zero already.
  bool shrinking = false;
  /// Cycles of a processor that the change of an element takes.
  std::uint64_t element_cycles = 0;
  /// Names the matrix, whatever the seed of a run.
  std::uint64_t system = 1;

  void bind(parameter_set& parameters);
};

/// Nodes own consecutive rows. In each step a reduction of a word finds the row with the greatest
/// element of the column; its owner broadcasts it, and all change their rows that were no pivot
/// yet. The row lands in one buffer: the next reduction is the barrier behind its use. Rows and
/// pivots are what one processor finds, bit by bit. Source: Klaiber 5.4, 5.5.3.
///
/// Throws `configuration_error` if nodes would not have equally many rows.
std::unique_ptr<kernel> make_gauss(const gauss_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
