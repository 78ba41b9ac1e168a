// SPDX-License-Identifier: Apache-2.0
// What it costs a handler to own a line.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies (FLASH 4.4.2). The fast path is for a local line that memory has; the robust path
/// asks the line's home as the I/O unit would. Its 169 cycles at the requester are published as a
/// sum; how they are spread over its handlers is this model's.
struct pp_ownership_costs {
  std::uint64_t acquire = 68;
  std::uint64_t release = 48;
  std::uint64_t enter = 60;
  std::uint64_t ask = 50;
  std::uint64_t arrive = 29;
  std::uint64_t take = 30;
  std::uint64_t give_back = 40;
  void bind(parameter_set& parameters);
};

}  // namespace tributary
