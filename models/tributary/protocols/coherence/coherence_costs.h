// SPDX-License-Identifier: Apache-2.0
// What the handlers of coherence cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies. `acknowledged` is published (FLASH 5.4.3); the others are proposed and unverified.
struct coherence_costs {
  std::uint64_t read = 11;
  std::uint64_t write = 14;
  std::uint64_t invalidation = 12;
  std::uint64_t ask_home = 3;
  std::uint64_t ask_owner = 18;
  std::uint64_t retrieve = 12;
  std::uint64_t retrieved = 11;
  std::uint64_t reply = 2;
  std::uint64_t refuse = 7;
  std::uint64_t invalidate = 8;
  std::uint64_t acknowledged = 22;
  std::uint64_t local_write_back = 10;
  std::uint64_t write_back = 8;
  std::uint64_t local_replaced = 7;
  std::uint64_t replaced = 17;
  std::uint64_t list_element = 14;
  std::uint64_t owner_moved = 8;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
