// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <tributary/sim/error.h>

#include "rtl_switches.h"
#include "ultracomputer.h"
#ifdef TRIBUTARY_WITH_SYSTEMC
#include "ultracomputer_platform.h"
#endif

namespace tributary {
namespace {

ultracomputer_config with_rtl(ultracomputer_config config, std::uint64_t seed) {
  use_built_rtl(config.network, seed);
  return config;
}

}  // namespace

#ifdef TRIBUTARY_WITH_SYSTEMC

std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed) {
  const ultracomputer_config complete = with_rtl(config, seed);
  if (engine == engine_kind::loop) return std::make_unique<ultracomputer>(complete, seed);
  try {
    return std::make_unique<ultracomputer_platform>(complete, seed);
  } catch (const sc_core::sc_report& problem) {
    throw configuration_error(problem.get_msg());
  }
}

#else

std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed) {
  require_engine(engine);
  return std::make_unique<ultracomputer>(with_rtl(config, seed), seed);
}

#endif

}  // namespace tributary
