// SPDX-License-Identifier: Apache-2.0
// What a mutated RTL, compiled as a shared object, is to the program that runs it beside the core.
#pragma once

#include <memory>

#include <tributary/network/omega/switch_implementation.h>
#include <tributary/rtl/switch_parameters.h>

namespace tributary::testing {

struct mutant_model {
  switch_parameters parameters;  ///< that it was verilated with
  /// A switch. `selected` chooses among the mutations of a netlist, 0 for none; RTL with a seeded
  /// fault has one fault and takes 0 only, anything else throws `std::invalid_argument`. Registers
  /// begin with random contents drawn from `seed`.
  std::unique_ptr<switch_implementation> (*make)(unsigned route_bit, int seed, unsigned selected);
};

/// The type and the name of the one function that the shared object offers.
using mutant_model_function = const mutant_model* (*)();
inline constexpr const char* mutant_model_name = "tributary_mutant_model";

}  // namespace tributary::testing
