// SPDX-License-Identifier: Apache-2.0
// Where the block transfer has its handlers and its words; for its own sources.
#pragma once

#include <cstdint>
#include <limits>

#include <tributary/protocols/block_transfer/block_transfer.h>

namespace tributary {

/// Handlers by their place among them.
enum class block_transfer_protocol::place : std::uint16_t {
  log_argument,
  log_address,
  setup,
  announce,
  envelope,
  envelope_reply,
  envelope_refused,
  collect,
  transfer,
  transfer_realigned,
  retry,
  receive,
  line_refused,
  page_received,
  flag_update,
  delegate,
  delegated,
  delegation_refused,
  complete,
  completed,
  forward,
  forward_refused,
  line_back,
  fetch,
  fetched,
  drop,
  dropped,
  page_complete,
  flag_owned,
  confirm_flag,
  flag_written,
  flag_home
};

/// Words of a node, by offset from the protocol's storage; the state records follow them, then the
/// receive records.
namespace transfer_storage {
inline constexpr std::uint64_t state_records = 0;    ///< in use, a bit each
inline constexpr std::uint64_t receive_records = 8;  ///< the same
inline constexpr std::uint64_t sequence = 16;   ///< record in which arguments are logged + 1, or 0
inline constexpr std::uint64_t process = 24;    ///< that runs, as told at context switches
inline constexpr std::uint64_t under_way = 32;  ///< transfers asked for here and not complete
inline constexpr std::uint64_t delegations = 40;  ///< asked for here and done at a remote home
inline constexpr std::uint64_t first_record = 128;
/// In `sequence`: there was no record.
inline constexpr word_t no_record = 0xffff;
}  // namespace transfer_storage

/// Bits of `aux` in a header.
inline constexpr unsigned aux_bits = std::numeric_limits<decltype(message::aux)>::digits;

/// In `aux` of requests to the owner of a source line and of the answers: the state record, and the
/// line's number in the portion.
struct source_line_request {
  static constexpr unsigned line_shift = 8;
  static constexpr std::uint64_t bits(std::uint64_t record, std::uint64_t line) {
    return record | line << line_shift;
  }
  static constexpr std::uint64_t record(std::uint64_t bits) {
    return bits & ((1U << line_shift) - 1);
  }
  static constexpr std::uint64_t line(std::uint64_t bits) { return bits >> line_shift; }
};
static_assert(block_transfer_config::most_records <= 1U << source_line_request::line_shift);
static_assert(transfer_portion::most_lines <= 1U << (aux_bits - source_line_request::line_shift));

/// The doubleword of such a request: where the line goes, an address of 40 bits, and the receive
/// record there.
struct forwarded_line {
  static constexpr std::uint64_t bits(std::uint64_t to, std::uint64_t receiver) {
    return to | receiver << address_layout::address_bits;
  }
  static constexpr std::uint64_t to(word_t bits) {
    return bits & ((std::uint64_t{1} << address_layout::address_bits) - 1);
  }
  static constexpr std::uint64_t receiver(word_t bits) {
    return bits >> address_layout::address_bits;
  }
};
static_assert(block_transfer_config::most_records <=
              1U << (std::numeric_limits<word_t>::digits - address_layout::address_bits));

/// In `aux` of `drop_dirty`: whom the owner refuses the line for, a node and its state record.
struct drop_request {
  static constexpr unsigned node_shift = 6;
  static constexpr std::uint32_t most_nodes = 1U << (aux_bits - node_shift);
  static constexpr std::uint64_t bits(node_id node, std::uint64_t record) {
    return record | std::uint64_t{index(node)} << node_shift;
  }
  static constexpr std::uint64_t record(std::uint64_t bits) {
    return bits & ((1U << node_shift) - 1);
  }
  static constexpr node_id node(std::uint64_t bits) {
    return node_id{static_cast<std::uint32_t>(bits >> node_shift)};
  }
};
static_assert(block_transfer_config::most_records <= 1U << drop_request::node_shift);

// A line that is written awaits its receive record, by the number + 1.
static_assert(block_transfer_config::most_records <= line_states::most_awaited);

/// In `aux` of `dropped`: from a node that owned the line, and whether it had it.
inline constexpr std::uint16_t owner_dropped = 2;
inline constexpr std::uint16_t line_was_there = 1;

}  // namespace tributary
