// SPDX-License-Identifier: Apache-2.0
// A counter that all elements increment, and that checks itself.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the shared counter program.
struct shared_counter_config {
  /// Fetch-and-adds of each element.
  std::uint64_t increments = 100;

  void bind(parameter_set& parameters);
};

/// Each element adds 1 to one shared word `increments` times and then once to a second word, which
/// tells who was last; the last one reads the first. Throws `simulation_error` unless the words
/// that the fetch-and-adds return are each of 0 to N * increments - 1 once, and the counter ends
/// as N * increments.
std::unique_ptr<program> make_shared_counter_program(const shared_counter_config& config,
                                                     std::uint32_t elements);

}  // namespace tributary
