// SPDX-License-Identifier: Apache-2.0
// What the host and the firmware of multi-sends say to each other.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>

namespace tributary {

/// A frame is `multi_send_frame::control_bytes` of words, and behind them the packet.
///
/// Word 0 has its length, how many destinations it has, the first of them, and what the receiver is
/// told. Words from 1 on have the others, four each. With each destination go credits that the host
/// returns to it.
namespace multi_send_frame {

inline constexpr bit_field length{0, 16};  ///< bytes of the packet
inline constexpr bit_field count{16, 16};  ///< destinations, 1 to `most_destinations`
inline constexpr bit_field first{32, 16};  ///< a destination
inline constexpr bit_field tag{48, 16};    ///< of the sender's own

/// Of each 16 bits of a destination.
inline constexpr bit_field node{0, 12};
inline constexpr bit_field credits{12, 4};         ///< that the host returns to it
inline constexpr std::uint32_t most_credits = 15;  ///< that fit there

inline constexpr std::uint64_t control_bytes = 128;  ///< before the packet
inline constexpr std::uint32_t in_word = 4;          ///< destinations, from word 1 on
/// Destinations that a frame has room for.
inline constexpr std::uint32_t most_destinations = 1 + in_word * (control_bytes / 8 - 1);

}  // namespace multi_send_frame

/// A word of the receiver's queue. It is 0 until the packet is there, and the host clears it.
namespace multi_send_entry {

inline constexpr bit_field source{0, 12};        ///< the sending node
inline constexpr bit_field length{12, 16};       ///< bytes of the packet
inline constexpr bit_field tag{28, 16};          ///< of the sender's own
inline constexpr bit_field credits{44, 4};       ///< that came back with the packet
inline constexpr bit_field slot{48, 14};         ///< where the packet lies
inline constexpr bit_field only_credits{62, 1};  ///< it was sent for its credits, and has no slot
inline constexpr bit_field is_there{63, 1};      ///< the entry was written

}  // namespace multi_send_entry

}  // namespace tributary
