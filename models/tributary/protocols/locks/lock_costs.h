// SPDX-License-Identifier: Apache-2.0
// What handlers of locks cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies of the handlers. Their sizes are published (FLASH Table 6.1), their times are not,
/// but for 1 us of a request that finds the lock free and in the holder's caches (6.1.8).
struct lock_costs {
  std::uint64_t read_state = 14;
  std::uint64_t write_back = 13;
  std::uint64_t get_token = 10;
  std::uint64_t unlock = 26;
  std::uint64_t request = 8;
  std::uint64_t new_request = 21;
  std::uint64_t swap_tail = 6;
  std::uint64_t steal = 15;
  std::uint64_t grant = 19;
  std::uint64_t defer = 10;
  std::uint64_t check = 16;
  std::uint64_t initialize = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
