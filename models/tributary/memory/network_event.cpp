// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/network_event.h>

#include <array>

namespace tributary {

std::string_view name_of(event_kind kind) {
  constexpr std::array<std::string_view, 9> names{"accepted",   "inserted",       "combined",
                                                  "departed",   "served",         "replied",
                                                  "decombined", "reply_departed", "delivered"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tributary
