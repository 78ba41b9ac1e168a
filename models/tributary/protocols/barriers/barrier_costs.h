// SPDX-License-Identifier: Apache-2.0
// What handlers of barriers cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies of the handlers. None is published; these are derived from the latencies of barriers
/// (FLASH Tables 6.5 to 6.7) for a machine whose other times are not known either.
struct barrier_costs {
  std::uint64_t processor_join = 43;
  std::uint64_t child_joined = 14;
  std::uint64_t send_join = 12;
  std::uint64_t released = 10;
  std::uint64_t release = 4;
  std::uint64_t send_release = 8;
  std::uint64_t end_at_root = 25;
  std::uint64_t read_status = 14;
  std::uint64_t configure = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
