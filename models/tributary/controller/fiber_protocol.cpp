// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/fiber_protocol.h>

#include <utility>

#include <tributary/controller/protocol_set.h>
#include <tributary/sim/error.h>

namespace tributary {

std::vector<std::string> fiber_protocol::handler_names() {
  std::vector<std::string> names;
  for (const handler& each : handlers()) names.push_back(each.name);
  return names;
}

std::vector<handler> handlers_of(protocol_set& protocols) {
  std::vector<handler> all;
  for (std::size_t i = 0; i < protocols.size(); ++i) {
    auto* const written = dynamic_cast<fiber_protocol*>(&protocols.at(i));
    if (written == nullptr) {
      throw configuration_error("protocol '" + protocols.at(i).name() +
                                "' has no handlers in C++; derive it from fiber_protocol, or run "
                                "it by another executor");
    }
    for (handler& each : written->handlers()) {
      each.name = protocols.handler_names()[all.size()];
      if (!each.body) throw configuration_error("handler '" + each.name + "' has no body");
      all.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace tributary
