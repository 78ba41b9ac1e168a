// SPDX-License-Identifier: Apache-2.0
#include "engine_kind.h"

#include <tributary/sim/error.h>

namespace tributary {

#ifdef TRIBUTARY_WITH_SYSTEMC

void require_engine(engine_kind) {}

#else

void require_engine(engine_kind engine) {
  if (engine == engine_kind::loop) return;
  throw configuration_error({"run.engine", "", "this program was built without SystemC", "loop",
                             "install SystemC (Debian: libsystemc-dev) and build again"});
}

#endif

}  // namespace tributary
