// SPDX-License-Identifier: Apache-2.0
// The records that the block transfer keeps in the memory of a node.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/controller/handler_context.h>
#include <tributary/controller/record.h>
#include <tributary/protocols/block_transfer/command.h>

namespace tributary {

/// What a transfer is doing; `word_t` because that is how a record holds it.
enum class transfer_phase : word_t {
  free,
  assembling,    ///< arguments are being logged
  announced,     ///< an envelope is on its way
  collecting,    ///< source lines are brought to memory
  transferring,  ///< lines are being sent
  retrying,      ///< lines that were refused are being sent again
  awaiting,      ///< all lines sent, the acknowledgement is awaited
  delegating,    ///< a remote home does it
  completing     ///< the flag is being incremented
};

/// Fields of a state record. The first bytes belong to the queue of deferred handlers.
namespace transfer_field {
inline constexpr record_field phase{"phase", deferred_record_bytes, 64};  ///< a transfer_phase
inline constexpr record_field length{"length", 48, 64};                   ///< bytes
inline constexpr record_field lines_done{"lines_done", 56, 64};           ///< of earlier portions
inline constexpr record_field lines{"lines", 64, 64};  ///< of the portion, see transfer_portion
inline constexpr record_field next_line{"next_line", 72, 64};  ///< to send, collect or send again
inline constexpr record_field marks{"marks", 80, 64};  ///< bit i: line i is to be handled once more
inline constexpr record_field source{"source", 88, 64};  ///< of the portion: its first byte
inline constexpr record_field source_next{"source_next", 96, 64};  ///< first byte of the next page
inline constexpr record_field source_split{"source_split", 104, 64};          ///< lines before that
inline constexpr record_field destination{"destination", 112, 64};            ///< as of the source
inline constexpr record_field destination_next{"destination_next", 120, 64};  ///< as of the source
inline constexpr record_field destination_split{"destination_split", 128,
                                                64};            ///< as of the source
inline constexpr record_field receiver{"receiver", 136, 64};    ///< record at the destination
inline constexpr record_field initiator{"initiator", 144, 64};  ///< node + 1 of a remote one, or 0;
                                                                ///< its record << 16
inline constexpr record_field process{"process", 152, 32};      ///< that asked
inline constexpr record_field changes{"changes", 156, 32};  ///< of translations before the sequence
inline constexpr record_field written{"written", 160, 32};  ///< addresses that were logged
inline constexpr record_field named{"named", 164, 32};      ///< virtual ones that were logged
inline constexpr record_field broken{"broken", 168, 64};  ///< what the sequence will be told, or 0
/// As logged: source, destination, flag, pages.
constexpr record_field address(std::uint64_t i) {
  return {"address", static_cast<std::uint32_t>(176 + 8 * i), 64};
}
/// Addresses that a request may have.
inline constexpr std::uint64_t most_addresses = 1 + 2 * block_transfer_command::most_pages;
static_assert(are_apart(std::array{phase,        length,      lines_done,       lines,
                                   next_line,    marks,       source,           source_next,
                                   source_split, destination, destination_next, destination_split,
                                   receiver,     initiator,   process,          changes,
                                   written,      named,       broken,           address(0)},
                        deferred_record_bytes));
}  // namespace transfer_field

/// Bytes of a state record, whole lines.
inline constexpr std::uint64_t transfer_record_bytes = 512;
static_assert(transfer_field::address(transfer_field::most_addresses).byte <=
              transfer_record_bytes);

/// Fields of a receive record. The first bytes belong to the queue of deferred handlers.
namespace receive_field {
inline constexpr record_field lines_left{"lines_left", 40, 64};    ///< that have not arrived
inline constexpr record_field sender{"sender", 48, 32};            ///< its state record
inline constexpr record_field sender_node{"sender_node", 52, 32};  ///< where that is
inline constexpr record_field last_line{"last_line", 56, 64};      ///< that has arrived
static_assert(are_apart(std::array{lines_left, sender, sender_node, last_line},
                        deferred_record_bytes));
}  // namespace receive_field
/// Bytes of a receive record.
inline constexpr std::uint64_t receive_record_bytes = 64;
static_assert(receive_field::sender_node.word_offset() + 8 <= receive_record_bytes);

/// A state record as a handler sees it.
class transfer_record : public record<handler_context> {
 public:
  transfer_record(handler_context& context, std::uint64_t address, std::uint16_t number)
      : record(context, address), number_(number) {}

  std::uint16_t number() const { return number_; }

  transfer_phase phase() const { return static_cast<transfer_phase>(get(transfer_field::phase)); }
  void set_phase(transfer_phase phase) { set(transfer_field::phase, static_cast<word_t>(phase)); }
  /// The i-th address that was logged.
  word_t logged(std::uint64_t i) const { return get(transfer_field::address(i)); }
  void set_logged(std::uint64_t i, word_t address) { set(transfer_field::address(i), address); }

 private:
  std::uint16_t number_;
};

}  // namespace tributary
