// SPDX-License-Identifier: Apache-2.0
// rowcast: the communication of gauss, of words that say where they come from.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/data_parallel_programs/kernel.h>

namespace tributary {
class parameter_set;
}

namespace tributary::data_parallel_programs {

/// Configuration of the generator.
struct rowcast_config {
  /// Broadcasts, and rows: each node owns as many, consecutive ones.
  std::uint32_t rows = 128;
  /// Words of a row.
  std::uint32_t words = 128;
  std::uint32_t reduce_bytes = 8;
  /// Whether each broadcast is a word shorter than the one before, down to one word.
  bool shrinking = false;
  /// Cycles of a processor behind each broadcast.
  std::uint64_t compute_cycles = 0;

  void bind(parameter_set& parameters);
};

/// A reduction, then a broadcast of a row by its owner, once for each row.
/// Source: section 6 of the specification; Klaiber 5.4.
///
/// Throws `configuration_error` if nodes would not have equally many rows.
std::unique_ptr<kernel> make_rowcast(const rowcast_config& config, std::uint32_t nodes);

}  // namespace tributary::data_parallel_programs
