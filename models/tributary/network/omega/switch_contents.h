// SPDX-License-Identifier: Apache-2.0
// What a combining switch holds, in a form in which any two implementations can be compared.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tributary/memory/packet.h>

namespace tributary {

/// The requests and responses in the queues and buffers of one switch, not those in the registers
/// behind its links. Of a type A port the second queue is empty.
struct switch_contents {
  /// A request as it would leave, and who combined with it.
  struct waiting_request {
    packet request;
    std::optional<request_id> second;
  };
  /// A partner in a wait buffer.
  struct held_partner {
    request_id first;
    request_id second;
  };

  std::array<std::array<std::vector<waiting_request>, 2>, 2> queues;  ///< by output; from the heads
  std::array<std::vector<held_partner>, 2> wait_buffers;              ///< by output, in any order
  std::array<std::vector<reply>, 2> reverse_queues;                   ///< by input, from the heads
};

/// For people, a line each that ends in a newline; equal for equal contents.
std::string to_string(switch_contents contents);

}  // namespace tributary
