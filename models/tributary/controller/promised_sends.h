// SPDX-License-Identifier: Apache-2.0
// What a handler may send without asking.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>

namespace tributary {

/// Messages for which a handler has room in the outgoing queues when it begins.
struct promised_sends {
  std::uint32_t requests = 0;
  std::uint32_t replies = 0;
};

/// By the message that starts the handler, as every controller keeps it (FLASH 2.3.6, 6.1.4: rules
/// D3, D4, D5, D8). What the publications leave open: the two lanes without a use are treated like
/// the request lane, and a timed handler is promised nothing.
constexpr promised_sends promised_to(message_origin origin, message_lane over) {
  switch (origin) {
    case message_origin::processor:
      return {1, 0};
    case message_origin::network:
      return over == message_lane::reply ? promised_sends{} : promised_sends{0, 2};
    case message_origin::deferred:
      return {1, 1};
    case message_origin::timed:
      break;
  }
  return {};
}

}  // namespace tributary
