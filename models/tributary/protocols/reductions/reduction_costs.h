// SPDX-License-Identifier: Apache-2.0
// What handlers of reductions cost more than those of barriers.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies on top of `barrier_costs`. FLASH has measured no reductions; published is a range
/// for the sum of two doubles by software (FLASH 7.2.1: 20 to 100 cycles).
struct reduction_costs {
  std::uint64_t operand = 8;
  std::uint64_t pass_value = 3;
  std::uint64_t combine_integers = 2;
  std::uint64_t add_doubles = 60;
  std::uint64_t compare_doubles = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
