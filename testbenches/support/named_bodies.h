// SPDX-License-Identifier: Apache-2.0
// Handlers of a protocol by the names under which it declares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/handler_request.h>

#include "state_packing.h"

namespace tributary::testing {

/// A member of `Handlers` and its name.
template <class Handlers>
struct named_body {
  const char* name;
  void (Handlers::*run)();
};

/// Those of `names`, in their order.
template <class Handlers, std::size_t N>
std::vector<void (Handlers::*)()> bodies_named(const std::vector<std::string>& names,
                                               const named_body<Handlers> (&all)[N]) {
  std::vector<void (Handlers::*)()> bodies;
  for (const std::string& name : names) {
    const named_body<Handlers>* each = all;
    while (each != all + N && name != each->name) ++each;
    if (each == all + N) {
      throw broken_rule("the explored machine does not know handler " + name);
    }
    bodies.push_back(each->run);
  }
  return bodies;
}

/// The number of one that is among `names`.
inline handler_id number_named(const std::vector<std::string>& names, const std::string& name) {
  std::uint16_t number = 0;
  while (names[number] != name) ++number;
  return handler_id{number};
}

}  // namespace tributary::testing
