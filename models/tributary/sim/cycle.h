// SPDX-License-Identifier: Apache-2.0
// Time, counted in edges of a clock.
#pragma once

#include <cstdint>
#include <limits>

namespace tributary {

/// A cycle of one clock: cycle n is its n-th rising edge, the first is 1, and 0 is before the
/// start.
using cycle_t = std::uint64_t;

/// The cycle that never comes: what an idle block answers when asked for its next wakeup.
inline constexpr cycle_t never = std::numeric_limits<cycle_t>::max();

}  // namespace tributary
