// SPDX-License-Identifier: Apache-2.0
// Wake-ups of a message interface. Those below are lanes that may depart, and come first.
#pragma once

#include <cstdint>

#include <tributary/nic/interface_message.h>

namespace tributary::message_interface_wakes {

inline constexpr std::uint64_t wake_access = interface_channels;
inline constexpr std::uint64_t wake_arrival = interface_channels + 1;
inline constexpr std::uint64_t wake_step = interface_channels + 2;
inline constexpr std::uint64_t wake_dma = interface_channels + 3;
inline constexpr std::uint64_t wake_store = interface_channels + 4;

}  // namespace tributary::message_interface_wakes
