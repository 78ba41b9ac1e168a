// SPDX-License-Identifier: Apache-2.0
// The centralized barrier, and the program that crosses it again and again.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/memory/address_map.h>
#include <tributary/workload/program.h>

namespace tributary {

class parameter_set;

/// A centralized, sense-reversing barrier: arrivals count by fetch-and-add; the last one resets the
/// counter and releases the others through a word that all poll. Both words start as 0.
class centralized_barrier {
 public:
  /// Byte addresses of the two words, best in different memory modules: in one, arrivals queue
  /// behind polls (section 6 of the specification).
  centralized_barrier(std::uint64_t counter, std::uint64_t release)
      : counter_(counter), release_(release) {}

  /// Returns when all `context.size()` elements have arrived. `sense` is the element's own, false
  /// at first, and passed to each crossing.
  void cross(program_context& context, bool& sense) const;

 private:
  std::uint64_t counter_;
  std::uint64_t release_;
};

/// Configuration of the barrier program.
struct barrier_config {
  /// Crossings of each element.
  std::uint64_t supersteps = 10;
  /// Memory modules of the counter and of the release word.
  std::uint32_t counter_module = 0;
  std::uint32_t release_module = 1;

  void bind(parameter_set& parameters);
};

/// Empty supersteps that a barrier separates, FG 4.1's "intense" experiment: the interval of its
/// mark `superstep` is the latency of one. Throws `configuration_error` for modules that `map` has
/// not.
std::unique_ptr<program> make_barrier_program(const barrier_config& config, const address_map& map);

}  // namespace tributary
