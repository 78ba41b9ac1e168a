// SPDX-License-Identifier: Apache-2.0
// Which engine steps a machine.
#pragma once

#include <cstdint>
#include <memory>

#include "machine.h"

namespace tributary {

enum class engine_kind : std::uint8_t {
  loop,    ///< a plain loop over the cores
  systemc  ///< SystemC modules around the cores, joined by links; one machine at a time
};

/// Throws `configuration_error` for an engine that this build has not: `systemc` needs SystemC.
void require_engine(engine_kind engine);

/// A machine in its initial state. Throws what `ultracomputer` and `require_engine` do, for both
/// engines.
std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed);

}  // namespace tributary
