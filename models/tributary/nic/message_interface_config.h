// SPDX-License-Identifier: Apache-2.0
// Configuration of a message interface.
#pragma once

#include <cstdint>

#include <tributary/nic/receive_engine.h>

namespace tributary {

class parameter_set;

/// Which of the two designs (Klaiber 6.2, 6.3).
enum class interface_design : std::uint8_t {
  traditional,  ///< processors take every message from the receive buffer
  language      ///< reads, writes and acknowledgements are the interface's affair
};

/// Defaults are those of Klaiber 6.4 where he has any; he gives no times.
struct message_interface_config {
  interface_design design = interface_design::language;
  /// The network's hardware broadcast is used (`+bcast`).
  bool broadcast = false;
  /// Bodies go from and to memory without the processor, and the interface makes packets (`+dma`).
  bool dma = false;
  /// It keeps a header and a counter for messages that are alike, and with `header_template` a
  /// header without a node (6.3 has both as ways to inject messages faster).
  bool sticky_header = false;
  bool header_template = false;
  /// Greatest body of a message.
  std::uint32_t packet_bytes = 32;
  /// Of the receive buffer; 0: 4096 of a traditional interface, 512 of the other.
  std::uint32_t receive_bytes = 0;
  /// Messages of each channel that wait for the network.
  std::uint32_t send_messages = 4;
  std::uint32_t translations = 64;
  std::uint32_t page_bytes = 4096;
  std::uint32_t counters = 16;
  /// Cycles of an access to a register, and of a word that the interface moves.
  std::uint32_t register_cycles = 4;
  std::uint32_t memory_cycles = 2;
  /// Channels of the network that it uses, one for requests and one for replies. With one, replies
  /// wait for requests, and may do so for ever (6.3): an experiment, which needs `may_deadlock`.
  std::uint32_t channels = 2;
  bool may_deadlock = false;
  /// A message that cannot be served ends the simulation; if not, it is dropped and counted.
  bool strict = true;

  bool has_engines() const { return design == interface_design::language; }
  std::uint32_t buffer_bytes() const {
    if (receive_bytes != 0) return receive_bytes;
    return has_engines() ? 512 : 4096;
  }
  receive_engine_config engine() const {
    return {has_engines(), translations, page_bytes, counters, packet_bytes, channels == 1};
  }
  /// Of the receive buffer, that a packet may take: its body and three control words.
  std::uint32_t most_packet() const { return packet_bytes + 3 * std::uint32_t{word_bytes}; }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

}  // namespace tributary
