// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <tributary/base/error.h>

#include "ultracomputer.h"
#ifdef TRIBUTARY_WITH_SYSTEMC
#include "ultracomputer_platform.h"
#endif

namespace tributary {

#ifdef TRIBUTARY_WITH_SYSTEMC

void require_engine(engine_kind) {}

std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed) {
  if (engine == engine_kind::loop) return std::make_unique<ultracomputer>(config, seed);
  try {
    return std::make_unique<ultracomputer_platform>(config, seed);
  } catch (const sc_core::sc_report& problem) {
    throw configuration_error(problem.get_msg());
  }
}

#else

void require_engine(engine_kind engine) {
  if (engine == engine_kind::loop) return;
  throw configuration_error({"run.engine", "", "this program was built without SystemC", "loop",
                             "install SystemC (Debian: libsystemc-dev) and build again"});
}

std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed) {
  require_engine(engine);
  return std::make_unique<ultracomputer>(config, seed);
}

#endif

}  // namespace tributary
