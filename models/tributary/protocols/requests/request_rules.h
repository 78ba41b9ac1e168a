// SPDX-License-Identifier: Apache-2.0
// The rules of a protocol of requests: a load of an address space, a message there, one back.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/controller/protocol.h>

namespace tributary {

/// For handlers 0, request; 1, serve; and 2, reply.
template <class Type>
std::vector<dispatch_rule> request_rules(std::uint8_t space, Type request, Type reply) {
  const auto from_network = [](Type type, std::uint16_t run) {
    return dispatch_rule{static_cast<std::uint8_t>(type), message_origin::network, locality::any,
                         handler_id{run}};
  };
  dispatch_rule load{static_cast<std::uint8_t>(common_type::uncached_read),
                     message_origin::processor, locality::any, handler_id{0}};
  load.space = space;
  return {load, from_network(request, 1), from_network(reply, 2)};
}

}  // namespace tributary
