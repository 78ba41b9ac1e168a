// SPDX-License-Identifier: Apache-2.0
// Where the block transfer has its handlers and its words; for its own sources.
#pragma once

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
  completed
};

/// Words of a node, by offset from the protocol's storage; the state records follow them, then the
/// receive records.
namespace transfer_storage {
inline constexpr std::uint64_t state_records = 0;    ///< in use, a bit each
inline constexpr std::uint64_t receive_records = 8;  ///< the same
inline constexpr std::uint64_t sequence = 16;  ///< record in which arguments are logged + 1, or 0
inline constexpr std::uint64_t process = 24;   ///< that runs, as told at context switches
inline constexpr std::uint64_t hold_off = 32;  ///< transfers asked for here and not complete
inline constexpr std::uint64_t delegations = 40;  ///< asked for here and done at a remote home
inline constexpr std::uint64_t first_record = 128;
/// In `sequence`: there was no record.
inline constexpr word_t no_record = 0xffff;
}  // namespace transfer_storage

}  // namespace tributary
