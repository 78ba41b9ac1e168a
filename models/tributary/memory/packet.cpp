// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/packet.h>

#include <fmt/format.h>

namespace tributary {

std::string to_string(const request_id& id) {
  return fmt::format("request {} of element {}", id.sequence, id.pe);
}

std::string to_string(const packet& request) {
  return fmt::format("{}: {} module {} address {:#x} a {:#x} b {:#x}{}", to_string(request.id()),
                     name_of(request.kind), index(request.module()), request.address(), request.a,
                     request.b, request.combinable != 0 ? "" : ", not combinable");
}

std::string to_string(const reply& response) {
  return fmt::format("{}: value {:#x} status {}", to_string(response.id()), response.value,
                     unsigned{response.status});
}

}  // namespace tributary
