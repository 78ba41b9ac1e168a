// SPDX-License-Identifier: Apache-2.0
// Reductions over a word of each element, whose result all get, and that check themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tributary/algorithms/flash_reduction.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/reductions/reduction_operation.h>

namespace tributary {

class parameter_set;

/// Ways of reducing that the program can be asked to take.
enum class reduction_algorithm : std::uint8_t {
  fetch_and_phi,  ///< into one shared word, then a dissemination barrier
  flash           ///< of a machine whose controllers keep it
};

/// Configuration of the program.
struct all_reduce_config {
  reduction_algorithm reduction = reduction_algorithm::fetch_and_phi;
  reduction_operation operation = reduction_operation::sum;
  /// Reductions of each element.
  std::uint64_t count = 10;
  /// Cycles that an element computes at most before each, drawn at random.
  std::uint64_t skew = 0;
  /// Of the trees of the controllers' reduction.
  std::uint32_t join_radix = 4;
  std::uint32_t release_radix = 4;

  void bind(parameter_set& parameters);
};

/// Each element gives a word and gets what the operation makes of all words, `count` times. The
/// spans `reduction` leave out the first one, for which elements wait until the last has started.
/// Throws `simulation_error` for a result that is another one than computed from all words at once,
/// and `configuration_error` for the reduction `flash` where `controllers` keep none, and for
/// doubles where fetch-and-phi operations reduce.
std::unique_ptr<program> make_all_reduce_program(
    const all_reduce_config& config, const std::optional<flash_reduction_place>& controllers = {});

}  // namespace tributary
