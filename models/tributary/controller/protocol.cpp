// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/protocol.h>

namespace tributary {

const char* name_of(facility value) {
  switch (value) {
    case facility::realignment:
      return "realignment";
  }
  return "unknown";
}

bool filters_less(const dispatch_rule& wide, const dispatch_rule& narrow) {
  const auto covers = [](const auto& x, const auto& y) { return !x || x == y; };
  return covers(wide.space, narrow.space) && covers(wide.flavor, narrow.flavor) &&
         covers(wide.process, narrow.process) && (!wide.needs_buffer || narrow.needs_buffer);
}

}  // namespace tributary
