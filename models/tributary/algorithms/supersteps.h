// SPDX-License-Identifier: Apache-2.0
// Supersteps that a barrier separates: the program of FG 4.1.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// What an element does in a superstep before it crosses the barrier (FG 4.1).
enum class superstep_body : std::uint8_t {
  intense,  ///< nothing
  uniform,  ///< each element the same number of shared references
  mixed     ///< elements of odd rank fewer than those of even rank
};

/// Configuration of the supersteps.
struct supersteps_config {
  barrier_algorithm barrier = barrier_algorithm::centralized;
  /// Crossings of each element.
  std::uint64_t count = 10;
  superstep_body body = superstep_body::intense;
  /// Shared references of a superstep, and those of odd elements in the body `mixed`.
  std::uint64_t references = 30;
  std::uint64_t fewer_references = 15;
  /// Memory modules of the centralized barrier's counter and release word.
  std::uint32_t counter_module = 0;
  std::uint32_t release_module = 1;
  /// Whether the dissemination barrier goes on without waiting for the stores of its signals.
  bool posted_signals = false;
  /// Of the trees of the controllers' barrier.
  std::uint32_t join_radix = 4;
  std::uint32_t release_radix = 4;

  void bind(parameter_set& parameters);
  barrier_choice chosen_barrier() const { return {barrier, join_radix, release_radix}; }
};

/// Each element performs the body and crosses the barrier, `count` times. The interval of the mark
/// `superstep` is the latency of a superstep; the spans of that name leave out the first one, for
/// which elements wait until the last has started. Throws `configuration_error` for modules of
/// the centralized barrier that `map` does not have, for posted signals of a barrier that has
/// none, and for the barrier `flash` where controllers keep none.
std::unique_ptr<program> make_supersteps_program(const supersteps_config& config,
                                                 const address_map& map,
                                                 const kept_synchronization& kept = {});

}  // namespace tributary
