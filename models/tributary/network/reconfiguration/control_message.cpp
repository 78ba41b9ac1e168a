// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/control_message.h>

#include <array>

namespace tributary {

const char* name_of(control_kind kind) {
  constexpr std::array<const char*, control_kinds> names = {
      "propagation", "collection",   "distribution",   "completion",
      "opening",     "installation", "acknowledgement"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tributary
