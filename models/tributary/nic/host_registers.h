// SPDX-License-Identifier: Apache-2.0
// Registers of a host interface, as drivers see them: offsets in its window.
#pragma once

#include <cstdint>

#include <tributary/controller/firmware_spaces.h>

namespace tributary {

/// Registers are of 4 bytes; two share a doubleword, the one at the lower offset in its low half.
/// An access of 4 bytes is a `store_bytes` with the four enables of its half.
namespace host_registers {

// The kernel's page.
inline constexpr std::uint64_t capabilities = 0x000;   ///< read: queues, packet bytes / 8
inline constexpr std::uint64_t control = 0x004;        ///< bit 0: enabled; write 0 to stop sending
inline constexpr std::uint64_t status = 0x008;         ///< read
inline constexpr std::uint64_t central_queue = 0x010;  ///< write: queue << 20 | value
inline constexpr std::uint64_t queue_state = 0x018;    ///< write: queue << 1 | active
/// Of each queue a page: writes at `send_doorbell` and `receive_doorbell` are posts.
inline constexpr std::uint64_t doorbells = 0x1000;
/// The interface's own memory, for the kernel.
inline constexpr std::uint64_t memory = std::uint64_t{1} << 24;
/// Bytes of the window.
inline constexpr std::uint64_t window = std::uint64_t{1} << 25;

/// Of `central_queue`.
inline constexpr unsigned central_shift = 20;

/// Bits of `status`.
inline constexpr std::uint64_t receiving = 1;     ///< a packet waits for the firmware
inline constexpr std::uint64_t transmitting = 2;  ///< the transmitter is busy
inline constexpr std::uint64_t refused_post = 4;  ///< a doorbell of a queue that is not active

}  // namespace host_registers

}  // namespace tributary
