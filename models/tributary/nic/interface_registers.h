// SPDX-License-Identifier: Apache-2.0
// The registers of a message interface, as a processor writes and reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/nic/interface_message.h>
#include <tributary/sim/bit_field.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

/// Byte offsets of the registers, of 8 bytes each. Klaiber names what they do (6.2, 6.3); offsets
/// and layouts are ours.
namespace interface_registers {

inline constexpr std::uint64_t status = 0x00;  ///< r
// A message is written in this order; what it does not need is left out. It leaves with the last
// word of its body, or with its control words if it has none.
inline constexpr std::uint64_t send_header = 0x08;     ///< w: `header_fields`
inline constexpr std::uint64_t send_address = 0x10;    ///< w: where it writes or reads
inline constexpr std::uint64_t send_counter = 0x18;    ///< w: `counter_fields`; with engines
inline constexpr std::uint64_t send_answer_to = 0x20;  ///< w: of a read: where the data go
inline constexpr std::uint64_t send_data = 0x28;       ///< w: the next word of the body
// Of a message like the one before, whose header and counter the interface keeps: it begins with
// its address, and its counter is the one that is kept.
inline constexpr std::uint64_t kept_header = 0x30;     ///< w: `header_fields`
inline constexpr std::uint64_t send_like = 0x38;       ///< w: as `send_address`, or `target_fields`
inline constexpr std::uint64_t receive_header = 0x40;  ///< r: the next control word
inline constexpr std::uint64_t receive_data = 0x48;    ///< r: the next word of the body
// A body from or to memory, with DMA: the second one begins it.
inline constexpr std::uint64_t dma_address = 0x50;
inline constexpr std::uint64_t dma_send = 0x58;  ///< w: bytes, of the message that was begun
/// w: bytes, all of the oldest message's body; without engines
inline constexpr std::uint64_t dma_receive = 0x60;
inline constexpr std::uint64_t interrupt_enable = 0x68;  ///< rw: a bit a line
inline constexpr std::uint64_t interrupt_cause = 0x70;   ///< r; a 1 written clears the bit
// Translations, of 64 entries: software writes the page, then where it is.
inline constexpr std::uint64_t fault = 0x78;              ///< r: `fault_fields`
inline constexpr std::uint64_t translation_page = 0x80;   ///< w: virtual page
inline constexpr std::uint64_t translation_fill = 0x88;   ///< w: `fill_fields`
inline constexpr std::uint64_t translation_retry = 0x90;  ///< w: a bit a source: looks again
/// w: a bit a source: the message that waits, or what DMA still has to send, is dropped, as what
/// asks for what is not there
inline constexpr std::uint64_t translation_refuse = 0x98;
inline constexpr std::uint64_t counter_command = 0xa0;  ///< w: `counter_fields`, at this node
/// r: a bit a remote counter that interrupted at 0; a 1 written clears the bit
inline constexpr std::uint64_t zeroed = 0xa8;
inline constexpr std::uint64_t kept_counter = 0xb0;      ///< w: `counter_fields`; with engines
inline constexpr std::uint64_t send_strides = 0xb8;      ///< w: `stride_fields`; strided messages
inline constexpr std::uint64_t local_counters = 0x100;   ///< rw: 8 bytes each
inline constexpr std::uint64_t remote_counters = 0x180;  ///< rw
inline constexpr std::uint64_t bytes = 0x200;            ///< of all registers

// Of `status`.
namespace status_fields {
inline constexpr bit_field request_room{0, 8};  ///< messages that can be written, by channel
inline constexpr bit_field reply_room{8, 8};
inline constexpr bit_field receive_words{16, 32};  ///< in the receive buffer
inline constexpr bit_field faults{48, 3};          ///< a bit for each `fault_source` that waits
inline constexpr bit_field full{51, 1};            ///< the buffer has no room for another packet
inline constexpr bit_field zeroed{52, 1};          ///< `zeroed` is not 0
inline constexpr bit_field dma_sends{53, 1};       ///< DMA is at work on a message that is sent
inline constexpr bit_field dma_stores{54, 1};      ///< and on one that was received
}  // namespace status_fields

// Of `send_header`, and of what `receive_header` gives first: there `node` is the source.
namespace header_fields {
inline constexpr bit_field node{0, 16};
inline constexpr bit_field type{16, 3};
inline constexpr bit_field reply{19, 1};
inline constexpr bit_field everyone{20, 1};
inline constexpr bit_field acknowledge{21, 1};
inline constexpr bit_field look_at_once{22, 1};
inline constexpr bit_field has_local{23, 1};
inline constexpr bit_field local{24, 4};
inline constexpr bit_field size{28, 17};
inline constexpr bit_field purpose{45, 4};
inline constexpr bit_field tag{49, 8};
/// Of `kept_header`: it is a template, and `send_like` says to which node.
inline constexpr bit_field is_template{57, 1};
/// Of a read or write: `send_strides` follows the other control words.
inline constexpr bit_field strided{58, 1};
}  // namespace header_fields

/// Of `send_strides`, the last control word of a strided message, written or read.
namespace stride_fields {
inline constexpr bit_field count{0, 16};    ///< items
inline constexpr bit_field stride{16, 16};  ///< words from one to the next, as two's complement
inline constexpr bit_field answer_stride{32, 16};  ///< of a read: the same where the data go
/// Greatest distance of two items, in words, in either direction.
inline constexpr std::int32_t most_words = 0x7fff;
}  // namespace stride_fields

/// Of `send_like`, where the header is a template.
namespace target_fields {
inline constexpr bit_field address{0, 48};
inline constexpr bit_field node{48, 16};
}  // namespace target_fields

namespace counter_fields {
inline constexpr bit_field initial{0, 16};
inline constexpr bit_field number{16, 4};
inline constexpr bit_field counts{20, 1};
inline constexpr bit_field interrupts{21, 1};
}  // namespace counter_fields

/// Who waits for a translation: a channel, or DMA.
enum class fault_source : std::uint8_t { request, reply, dma };
inline constexpr std::size_t fault_sources = 3;

namespace fault_fields {
inline constexpr bit_field page{0, 58};
inline constexpr bit_field source{58, 2};  ///< `fault_source`
inline constexpr bit_field is_there{63, 1};
}  // namespace fault_fields

namespace fill_fields {
inline constexpr bit_field page{0, 40};  ///< of the node's memory
inline constexpr bit_field entry{40, 8};
inline constexpr bit_field valid{63, 1};
}  // namespace fill_fields

/// Whether there is a register at that offset which can be read, or written, in either design.
bool is_readable(std::uint64_t offset);
bool is_writable(std::uint64_t offset);
/// What an access at that offset is counted as; `control` where there is no register.
register_part part_of(std::uint64_t offset);

/// Lines of interrupts; the lowest is served first.
enum class interrupt_line : std::uint8_t {
  translation,
  buffer_full,
  synchronization,
  counter_zero
};
inline constexpr std::uint32_t interrupt_lines_used = 4;

/// The control words of a message, and back.
word_t header_word(const interface_header& header, node_id node);
interface_header header_from(word_t word);
word_t stride_word(const interface_header& header);
/// Sets the header's count and strides.
void set_strides(interface_header& header, word_t word);
word_t counter_word(const tributary::counter_command& command);
tributary::counter_command counter_from(word_t word);

}  // namespace interface_registers

}  // namespace tributary
