// SPDX-License-Identifier: Apache-2.0
// What a host interface wakes itself for.
#pragma once

#include <cstdint>

namespace tributary::host_interface_wakes {

inline constexpr std::uint64_t wake_access = 0;
inline constexpr std::uint64_t wake_look = 1;

}  // namespace tributary::host_interface_wakes
