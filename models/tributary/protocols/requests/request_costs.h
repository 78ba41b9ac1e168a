// SPDX-License-Identifier: Apache-2.0
// What the handlers of a remote request cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Of the three handlers by which a request is sent, served and ended.
struct request_costs {
  std::uint64_t request = 65;
  std::uint64_t serve = 65;
  std::uint64_t reply = 65;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
