// SPDX-License-Identifier: Apache-2.0
// The handlers of a protocol that are members of a template over the context, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/controller/handler_context.h>
#include <tributary/controller/protocol.h>

namespace tributary {

/// A member of `Handlers` and the messages that it serves; one that is put off serves none.
template <class Handlers>
struct handler_entry {
  const char* name;
  void (Handlers::*body)();
  std::uint8_t type;
  message_origin origin;
  locality where;
  speculation ahead;
};

/// One for a request of the own processor.
template <class Handlers>
constexpr handler_entry<Handlers> for_processor(const char* name, void (Handlers::*body)(),
                                                common_type type, locality where,
                                                speculation ahead = speculation::none) {
  const auto number = static_cast<std::uint8_t>(type);
  return {name, body, number, message_origin::processor, where, ahead};
}
/// One for a message of another node; types are an enumeration of the protocol.
template <class Handlers, class Type>
constexpr handler_entry<Handlers> for_network(const char* name, void (Handlers::*body)(), Type type,
                                              locality where,
                                              speculation ahead = speculation::none) {
  const auto number = static_cast<std::uint8_t>(type);
  return {name, body, number, message_origin::network, where, ahead};
}
/// One that others put off, or set a time for.
template <class Handlers>
constexpr handler_entry<Handlers> put_off(const char* name, void (Handlers::*body)()) {
  return {name, body, 0, message_origin::deferred, locality::any, speculation::none};
}

/// The rules of a table. Requests of the processor are those of one address space.
template <class Handlers, std::size_t N>
std::vector<dispatch_rule> rules_of(const handler_entry<Handlers> (&table)[N], std::uint8_t space) {
  std::vector<dispatch_rule> rules;
  for (std::size_t i = 0; i < N; ++i) {
    if (table[i].origin == message_origin::deferred) continue;
    dispatch_rule rule;
    rule.type = table[i].type;
    rule.origin = table[i].origin;
    rule.where = table[i].where;
    rule.run = handler_id{static_cast<std::uint16_t>(i)};
    rule.ahead = table[i].ahead;
    if (rule.origin == message_origin::processor) rule.space = space;
    rules.push_back(rule);
  }
  return rules;
}

/// The bodies of a table: each makes its `Handlers` of the context and of `settings`, which must
/// outlive them.
template <class Handlers, std::size_t N, class Settings>
std::vector<handler> bodies_of(const handler_entry<Handlers> (&table)[N],
                               const Settings& settings) {
  std::vector<handler> bodies;
  for (const handler_entry<Handlers>& each : table) {
    bodies.push_back({each.name, [&settings, body = each.body](handler_context& context) {
                        Handlers handlers(context, settings);
                        (handlers.*body)();
                      }});
  }
  return bodies;
}

/// The number of a handler on a node where `first` is that of the table's first one.
template <class Handlers, std::size_t N>
handler_id number_of(const handler_entry<Handlers> (&table)[N], void (Handlers::*body)(),
                     handler_id first) {
  auto number = static_cast<std::uint16_t>(first);
  for (const handler_entry<Handlers>* each = table; each->body != body; ++each) ++number;
  return handler_id{number};
}

}  // namespace tributary
