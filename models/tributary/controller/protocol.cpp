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

}  // namespace tributary
