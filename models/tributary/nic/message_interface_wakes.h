// SPDX-License-Identifier: Apache-2.0
// Wake-ups of a message interface.
#pragma once

#include <cstdint>

namespace tributary::message_interface_wakes {

inline constexpr std::uint64_t wake_access = 0;
inline constexpr std::uint64_t wake_step = 1;
inline constexpr std::uint64_t wake_dma = 2;
inline constexpr std::uint64_t wake_store = 3;

}  // namespace tributary::message_interface_wakes
