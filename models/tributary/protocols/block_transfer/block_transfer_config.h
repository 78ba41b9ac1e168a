// SPDX-License-Identifier: Apache-2.0
// Parameters of the block transfer, and what its handlers cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// How a line of the source comes from another node that has it dirty (FLASH 5.3.1, Figure 5.13).
enum class remote_lines : std::uint8_t {
  forward,  ///< the owner sends it to the destination, and home
  collect   ///< the owner sends it home, which sends it on: pipelined collect and send
};

/// How the block transfer is built.
struct block_transfer_config {
  /// Of each kind: a word marks those in use.
  static constexpr std::uint32_t most_records = 64;

  std::uint32_t chunk = 4;  ///< lines an invocation at most; 0: the base handler, one line
  std::uint32_t page_bytes = 4096;
  std::uint32_t state_records = 16;
  std::uint32_t receive_records = 16;
  remote_lines dirty_elsewhere = remote_lines::forward;
  /// Bytes of every node, from its first on, that transfers may touch; all if 0. The machine's to
  /// say, so it is no parameter.
  std::uint64_t user_bytes = 0;

  void bind(parameter_set& parameters);
  void validate() const;
};

/// Occupancy of the block transfer's handlers, in cycles of the protocol processor. The defaults
/// are those of the fully coherent implementation.
struct block_transfer_costs {
  // Transfer handlers: base + line x lines (+ last in a page's last invocation).
  /// Of the transfer handlers.
  struct transfer_costs {
    std::uint64_t base = 72;
    std::uint64_t line = 28;
    std::uint64_t last = 12;
    std::uint64_t unchunked = 65;
    std::uint64_t stalled = 20;
    std::uint64_t dirty = 15;
    std::uint64_t unchunked_dirty = 34;
    std::uint64_t forward = 10;
    void bind(parameter_set& parameters);
  };
  /// Of the handlers for lines that are not aligned alike.
  struct realigned_costs {
    std::uint64_t base = 55;
    std::uint64_t line = 22;
    std::uint64_t collect = 16;
    std::uint64_t collect_dirty = 44;
    void bind(parameter_set& parameters);
  };

  std::uint64_t argument = 29;
  std::uint64_t context_switch = 10;
  std::uint64_t setup = 233;
  std::uint64_t refusal = 60;
  std::uint64_t announce = 20;
  std::uint64_t envelope = 16;
  std::uint64_t envelope_reply = 11;
  transfer_costs transfer;
  realigned_costs realigned;
  /// Of lines of the source that caches have.
  struct source_costs {
    std::uint64_t retry_dirty = 32;
    std::uint64_t forward = 62;
    std::uint64_t fetch = 38;
    std::uint64_t fetched = 64;
    std::uint64_t line_back = 24;
    void bind(parameter_set& parameters);
  };
  /// Of lines of the destination that caches have.
  struct destination_costs {
    std::uint64_t shared = 43;
    std::uint64_t dirty = 64;
    std::uint64_t owned = 46;
    std::uint64_t one_sharer = 51;
    std::uint64_t two_sharers = 95;
    std::uint64_t further_sharer = 15;
    std::uint64_t drop = 8;
    std::uint64_t invalidated = 22;
    std::uint64_t disowned = 26;
    void bind(parameter_set& parameters);
  };
  source_costs source;
  destination_costs destination;
  std::uint64_t retry = 64;
  std::uint64_t receive = 30;
  std::uint64_t receive_cleanup = 16;
  std::uint64_t nak = 20;
  std::uint64_t acknowledged = 10;
  std::uint64_t flag_update = 43;
  std::uint64_t delegate = 40;
  std::uint64_t delegated = 70;
  std::uint64_t completion = 20;
  std::uint64_t confirm = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
