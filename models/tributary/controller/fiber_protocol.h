// SPDX-License-Identifier: Apache-2.0
// A protocol whose handlers are functions in C++, for the fiber executor.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/handler_context.h>
#include <tributary/controller/protocol.h>

namespace tributary {

class protocol_set;

/// A piece of code that serves one message, and its name.
struct handler {
  std::string name;
  std::function<void(handler_context&)> body;
};

/// The rules and the bodies in one class. How long a body takes is what it spends, mostly from a
/// table of costs.
class fiber_protocol : public protocol {
 public:
  virtual std::vector<handler> handlers() = 0;
  std::vector<std::string> handler_names() final;

 protected:
  template <class Protocol>
  using named_body = std::pair<const char*, void (Protocol::*)(handler_context&)>;

  /// Members of a protocol as its handlers.
  template <class Protocol, std::size_t N>
  static std::vector<handler> handlers_from(Protocol& self,
                                            const named_body<Protocol> (&bodies)[N]) {
    std::vector<handler> all;
    for (const auto& [name, body] : bodies) {
      all.push_back(
          {name, [&self, run = body](handler_context& context) { (self.*run)(context); }});
    }
    return all;
  }
};

/// The handlers of a node by their numbers, under their full names. Throws `configuration_error`
/// for a protocol that has no bodies in C++, and for a handler without one.
std::vector<handler> handlers_of(protocol_set& protocols);

}  // namespace tributary
