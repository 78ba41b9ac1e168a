// SPDX-License-Identifier: Apache-2.0
// What processes, the kernel and the firmware of virtual interfaces say to each other.
#pragma once

#include <cstdint>

#include <tributary/sim/bit_field.h>

namespace tributary {

/// A descriptor: two doublewords. Addresses are within the region of memory that its handle names;
/// of one that the kernel translated they are of the host's memory.
namespace descriptor_form {
inline constexpr bit_field address{0, 48};  ///< of word 0: a multiple of 8
inline constexpr bit_field length{0, 32};   ///< of word 1: bytes, a multiple of 8
inline constexpr bit_field handle{32, 16};  ///< of word 1
inline constexpr std::uint64_t bytes = 16;  ///< of a descriptor
/// Slots for descriptors in either half of a queue's page, and places in each queue.
inline constexpr std::uint32_t slots = 64;
/// Where they begin in a half, behind its doorbell.
inline constexpr std::uint64_t first = 16;
}  // namespace descriptor_form

/// How a descriptor ended; the low bits of its status word. 0 is none: it has not ended.
enum class descriptor_status : std::uint8_t {
  none,
  done,
  bad_form,        ///< address or length is no multiple of 8, or the length 0 or too long
  foreign_memory,  ///< no region of the process has all of it
  not_connected,   ///< the queue has no other end
  too_short        ///< of a receive: the message was longer
};

/// A status word.
namespace status_form {
inline constexpr bit_field status{0, 8};     ///< `descriptor_status`
inline constexpr bit_field length{8, 32};    ///< bytes of the message
inline constexpr bit_field slot{40, 8};      ///< of the descriptor in its queue
inline constexpr bit_field is_there{63, 1};  ///< it was written
}  // namespace status_form

/// An entry of a completion queue.
namespace completion_form {
inline constexpr bit_field queue{0, 16};       ///< whose descriptor has ended
inline constexpr bit_field is_receive{16, 1};  ///< or a send
inline constexpr bit_field is_there{63, 1};    ///< it was written
}  // namespace completion_form

/// What the kernel writes for a queue, by offsets in its record.
namespace queue_record {
inline constexpr std::uint64_t owner = 0;         ///< open << 63 | process
inline constexpr std::uint64_t peer = 8;          ///< connected << 63 | node << 16 | queue there
inline constexpr std::uint64_t statuses = 16;     ///< host's offset: of sends, then of receives
inline constexpr std::uint64_t descriptors = 24;  ///< the same, of descriptors that are fetched
inline constexpr std::uint64_t posted = 32;       ///< receives
inline constexpr std::uint64_t taken = 40;        ///< of these
inline constexpr std::uint64_t sent = 48;         ///< sends that have ended
inline constexpr std::uint64_t receiving = 56;    ///< status of the message that is coming
inline constexpr std::uint64_t bytes = 64;        ///< of a record
inline constexpr std::uint64_t flag = std::uint64_t{1} << 63;  ///< open, or connected
}  // namespace queue_record

/// What it writes for a region, by offsets in its record.
namespace region_record {
inline constexpr bit_field process{0, 16};       ///< of word 0
inline constexpr bit_field pages{16, 32};        ///< of word 0
inline constexpr bit_field valid{63, 1};         ///< of word 0
inline constexpr std::uint64_t first_entry = 8;  ///< of its pages in the table
inline constexpr std::uint64_t bytes = 16;       ///< of a record
}  // namespace region_record

}  // namespace tributary
