// SPDX-License-Identifier: Apache-2.0
// What handlers of data-parallel primitives cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies of the handlers, none of which is published: each is that of a handler of MAGIC that
/// does the like (`uncached_costs`, `barrier_costs`, `reduction_costs`).
struct primitive_costs {
  std::uint64_t command = 8;
  std::uint64_t request = 3;
  std::uint64_t serve = 11;
  std::uint64_t reply = 8;
  std::uint64_t word = 2;
  std::uint64_t line_word = 0;
  std::uint64_t meet = 43;
  std::uint64_t joined = 14;
  std::uint64_t released = 10;
  std::uint64_t forward = 8;
  std::uint64_t pass_value = 3;
  std::uint64_t combine_integers = 2;
  std::uint64_t add_doubles = 60;
  std::uint64_t compare_doubles = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
