// SPDX-License-Identifier: Apache-2.0
// Address spaces of the firmware of an interface, beyond its own memory, which is space 0.
#pragma once

#include <cstdint>

namespace tributary {

/// The host's memory. Loads, fills, stores and spills there are DMA.
inline constexpr std::uint32_t host_space = 1;

/// Registers by which firmware moves part of a staging buffer: the host's offset, bytes, and then
/// the buffer, which begins. What comes from the host is there after `settle`; one such transfer
/// may be open.
inline constexpr std::uint32_t dma_space = 2;

/// Offsets in `dma_space`.
namespace dma_registers {
inline constexpr std::uint64_t host_offset = 0;  ///< a multiple of 8
inline constexpr std::uint64_t bytes = 8;        ///< a multiple of 8
inline constexpr std::uint64_t go = 16;          ///< buffer | doubleword << 16 | to_host << 32
}  // namespace dma_registers

/// Of a post, in the message by which firmware gets it. The offset is that of the write behind the
/// first page of doorbells; word 0 of the payload is the value.
inline constexpr std::uint8_t doorbell_space = 3;
/// Offsets of posts in a queue's page of `doorbell_page` bytes.
inline constexpr std::uint64_t doorbell_page = 4096;
inline constexpr std::uint64_t send_doorbell = 0;        ///< a send was posted
inline constexpr std::uint64_t receive_doorbell = 2048;  ///< a receive was posted
inline constexpr std::uint64_t central_doorbell = 1024;  ///< the kernel posted it

}  // namespace tributary
