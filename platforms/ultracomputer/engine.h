// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer in either engine.
#pragma once

#include <cstdint>
#include <memory>

#include <driver/engine_kind.h>

#include "machine.h"

namespace tributary {

/// A machine in its initial state. Throws what `ultracomputer` and `require_engine` do, for both
/// engines.
std::unique_ptr<machine> make_machine(engine_kind engine, const ultracomputer_config& config,
                                      std::uint64_t seed);

}  // namespace tributary
