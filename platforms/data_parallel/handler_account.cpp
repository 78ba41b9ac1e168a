// SPDX-License-Identifier: Apache-2.0
#include "handler_account.h"

#include <cstdint>

#include <tributary/protocols/primitives/primitive_commands.h>
#include <tributary/protocols/primitives/primitive_handlers.h>
#include <tributary/trace/communication_events.h>

namespace tributary {
namespace {

namespace events = communication_events;
using primitives::message_type;
using purpose = communication_purpose;
using kind = communication_message;

/// What a message of handlers is, and for what.
struct meaning {
  kind type = kind::write;
  purpose for_what = purpose::computing;
};

/// Answers to `put` and `combine` are all acknowledgements, for whichever.
meaning meaning_of(message_type type) {
  switch (type) {
    case message_type::get:
      return {kind::read, purpose::get};
    case message_type::got:
      return {kind::write, purpose::get};
    case message_type::put:
      return {kind::write, purpose::send};
    case message_type::combine:
      return {kind::write, purpose::combining_send};
    case message_type::done:
      return {kind::acknowledgement, purpose::send};
    case message_type::handed:
    case message_type::piece:
      return {kind::write, purpose::broadcast};
    case message_type::barrier_join:
    case message_type::barrier_release:
      return {kind::write, purpose::barrier};
    case message_type::reduce_join:
    case message_type::reduce_release:
      break;
  }
  return {kind::write, purpose::reduce};
}

bool is_primitive(std::uint8_t type) {
  return type >= static_cast<std::uint8_t>(message_type::get) &&
         type <= static_cast<std::uint8_t>(message_type::reduce_release);
}

}  // namespace

void handler_account::on_event(const message& sent) {
  if (!is_primitive(sent.type) || sent.source == sent.destination) return;
  const meaning means = meaning_of(static_cast<message_type>(sent.type));
  trace_event event;
  event.kind = &events::sent;
  event.details = events::message.put(static_cast<std::uint64_t>(means.type)) |
                  events::purpose.put(static_cast<std::uint64_t>(means.for_what)) |
                  events::to.put(index(sent.destination)) |
                  events::bytes.put(means.type == kind::read ? 0 : sent.length) |
                  events::writes.put(events::none) | events::cold.put(events::none) |
                  events::request.put(events::none);
  account_.on_event(event);
}

void handler_account::on_event(const offered_request& offered) {
  if (addresses_.space_of(offered.request.address) != primitive_command::space) return;
  const bool reads = offered.request.function.kind == form::identity;
  const std::uint64_t offset = addresses_.offset_of(offered.request.address);
  const register_part part = !reads                                    ? register_part::send_header
                             : primitive_command::is_reduction(offset) ? register_part::receive_body
                                                                       : register_part::status;
  trace_event event;
  event.kind = &events::register_access;
  event.details = events::part.put(static_cast<std::uint64_t>(part)) |
                  events::purpose.put(offered.request.purpose) | events::bytes.put(word_bytes) |
                  events::writes.put(reads ? 0 : 1);
  account_.on_event(event);
}

}  // namespace tributary
