// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tributary {

/// Which engine steps a machine.
enum class engine_kind : std::uint8_t {
  loop,    ///< a plain loop over the cores
  systemc  ///< SystemC modules around the cores, joined by links; one machine at a time
};

/// Throws `configuration_error` if the build lacks the engine: `systemc` needs SystemC.
void require_engine(engine_kind engine);

}  // namespace tributary
