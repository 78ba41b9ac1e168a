// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/line_port.h>

namespace tributary {

const char* name_of(line_want want) {
  constexpr const char* names[line_want_count] = {"shared", "exclusive", "upgrade"};
  return names[static_cast<std::size_t>(want)];
}

const char* name_of(line_state state) {
  constexpr const char* names[line_state_count] = {"invalid", "shared", "exclusive", "modified",
                                                   "owned"};
  return names[static_cast<std::size_t>(state)];
}

const char* name_of(intervention asked) {
  constexpr const char* names[intervention_count] = {"get", "get_exclusive", "invalidate"};
  return names[static_cast<std::size_t>(asked)];
}

}  // namespace tributary
