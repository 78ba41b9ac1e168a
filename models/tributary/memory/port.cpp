// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/port.h>

namespace tributary {

const char* name_of(access_kind kind) {
  switch (kind) {
    case access_kind::word:
      return "word";
    case access_kind::load_linked:
      return "load_linked";
    case access_kind::store_conditional:
      return "store_conditional";
    case access_kind::prefetch:
      return "prefetch";
    case access_kind::prefetch_exclusive:
      return "prefetch_exclusive";
    case access_kind::operation:
      break;
  }
  return "operation";
}

}  // namespace tributary
