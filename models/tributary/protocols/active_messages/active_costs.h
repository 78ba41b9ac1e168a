// SPDX-License-Identifier: Apache-2.0
// What handlers of active messages cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies of the handlers. None is published.
struct active_message_costs {
  std::uint64_t command = 8;
  std::uint64_t send = 16;
  std::uint64_t receive = 12;
  std::uint64_t argument = 2;
  std::uint64_t post = 30;
  std::uint64_t acknowledged = 6;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
