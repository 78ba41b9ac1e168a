// SPDX-License-Identifier: Apache-2.0
// Which handler serves a message.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/controller/protocol.h>
#include <tributary/sim/ids.h>

namespace tributary {

class parameter_set;

/// Configuration of the jump table.
struct jump_table_config {
  std::uint32_t candidates = 4;  ///< of one key

  void bind(parameter_set& parameters);
};

/// What the table says of a message.
struct jump_table_entry {
  handler_id run = no_handler;
  speculation ahead = speculation::none;
};

/// The rules of all protocols of a node by message type, origin and locality of the address; one
/// key holds few candidates, which the rest of a rule filters (FLASH 2.2.2).
class jump_table {
 public:
  /// `rules` name handlers by their place among those of all protocols, and stand in the order in
  /// which candidates of one key are tried. Throws `configuration_error` for more candidates than
  /// a key holds, and for a rule that no message can meet.
  jump_table(const jump_table_config& config, const std::vector<dispatch_rule>& rules,
             const address_layout& addresses, node_id here);

  /// The first candidate that `header` passes; a handler that needs a buffer passes only with
  /// `buffer_available`.
  std::optional<jump_table_entry> find(const message& header, bool buffer_available) const;

  node_id here() const { return here_; }
  const address_layout& addresses() const { return addresses_; }

 private:
  static constexpr std::size_t origins = 2;  ///< processor, network: the others name a handler
  static constexpr std::size_t keys = std::size_t{256} * origins * 2;
  static std::size_t key_of(std::uint8_t type, message_origin origin, bool local) {
    return (static_cast<std::size_t>(type) * origins + static_cast<std::size_t>(origin)) * 2 +
           (local ? 1 : 0);
  }

  address_layout addresses_;
  node_id here_;
  std::vector<std::uint32_t> first_;  ///< of each key in candidates_, and their number
  std::vector<dispatch_rule> candidates_;
};

}  // namespace tributary
