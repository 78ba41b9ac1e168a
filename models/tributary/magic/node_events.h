// SPDX-License-Identifier: Apache-2.0
// The events of a node's units, for traces.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/magic/dispatch.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Kinds and details. A processor's access has the identity of a reference, and so has the message
/// that it becomes; a message that a handler sends has an identity of its own, and that of the
/// handler's message as its parent. One that a handler puts off keeps the handler's identity.
namespace node_events {

inline constexpr event_detail type{"type", 0, 8};                  ///< of the message
inline constexpr event_detail type_name{"message", 0, 8};          ///< the type, for viewers
inline constexpr event_detail source{"source", 8, 12};             ///< node
inline constexpr event_detail destination{"destination", 20, 12};  ///< node
inline constexpr event_detail lane{"lane", 32, 2};                 ///< `message_lane`
inline constexpr event_detail bytes{"bytes", 34, 16};              ///< of payload
inline constexpr event_detail handler{"handler", 50, 11};          ///< `handler_id`
inline constexpr event_detail input{"input", 61, 3};               ///< `inbox_input`
/// Of an access, which runs no handler yet.
inline constexpr event_detail tag{"tag", 50, 8};

/// What kinds of all units have in common.
constexpr event_kind kind(const char* name, unsigned order, bool lasts) {
  event_kind kind;
  kind.name = name;
  kind.order = order;
  kind.lasts = lasts;
  return kind;
}
/// Of a message.
constexpr event_kind message_kind(const char* name, unsigned order, bool lasts) {
  event_kind about = kind(name, order, lasts);
  about.has_address = about.has_value = true;
  about.asked = &type_name;
  about.details = {&type, &source, &destination, &lane, &bytes};
  return about;
}
/// A processor's access begins or ends.
constexpr event_kind access_kind(const char* name, unsigned order, bool begins) {
  event_kind access = message_kind(name, order, false);
  access.is_step = true;
  access.changes = {stay_change{"access", begins}};
  access.details[5] = &tag;
  return access;
}
/// Of a handler and its message.
constexpr event_kind handler_kind(const char* name, unsigned order, bool lasts) {
  event_kind handled = message_kind(name, order, lasts);
  handled.details[5] = &handler;
  handled.details[6] = &input;
  handled.title = &handler;
  return handled;
}
/// Of a message on a link.
constexpr event_kind link_kind(const char* name, const char* link) {
  event_kind passing = message_kind(name, 0, true);
  passing.is_step = true;
  passing.link = link;
  return passing;
}
/// Of an access to memory.
constexpr event_kind memory_kind(const char* name, unsigned order) {
  event_kind access = kind(name, order, true);
  access.has_address = true;
  access.details = {&handler};
  access.title = &handler;
  return access;
}
/// A data buffer begins or ends to be in use; both can come in one cycle, in either order.
constexpr event_kind buffer_kind(const char* name, bool begins) {
  event_kind use = kind(name, 0, false);
  use.changes = {stay_change{"in_use", begins}};
  return use;
}
/// The same as a step on its message's way.
constexpr event_kind stepping(event_kind kind) {
  kind.is_step = true;
  return kind;
}
/// The same as a step within what lasts.
constexpr event_kind within(event_kind kind, const char* lasting) {
  kind.is_step = true;
  kind.within = lasting;
  return kind;
}
/// The same, which ends an access.
constexpr event_kind ending_access(event_kind kind) {
  kind.changes = {stay_change{"access", false}};
  return kind;
}

/// An uncached access was taken from the processor; the inbox sees it from `last` on.
inline constexpr event_kind processor_request = access_kind("processor_request", 0, true);
/// Its answer was given, and the processor has it in `last`.
inline constexpr event_kind processor_answer = access_kind("processor_answer", 1, false);
/// The caches asked for a line; the inbox sees it from `last` on.
inline constexpr event_kind line_request = access_kind("line_request", 0, true);
/// The reply was given, and its first word is there in `last`.
inline constexpr event_kind line_reply = access_kind("line_reply", 1, false);
/// The inbox selected the message; its handler may begin in `last`.
inline constexpr event_kind selected = handler_kind("selected", 0, true);
/// The same of a posted write, which ends with it.
inline constexpr event_kind write_selected = ending_access(selected);
/// A handler ran.
inline constexpr event_kind handled = stepping(handler_kind("handled", 0, true));
/// A handler put a message into the outgoing queue of its lane.
inline constexpr event_kind sent = within(handler_kind("sent", 1, false), "handled");
/// The head left for the network, or for the node itself; the link is busy.
inline constexpr event_kind departed = link_kind("departed", "message");
/// The head came; the link is busy.
inline constexpr event_kind arrived = link_kind("arrived", "message");
/// A data buffer was allocated.
inline constexpr event_kind buffer_taken = buffer_kind("buffer_taken", true);
/// Its last holder released it.
inline constexpr event_kind buffer_freed = buffer_kind("buffer_freed", false);
/// First word to last word of a read, at an offset.
inline constexpr event_kind memory_read = memory_kind("memory_read", 0);
/// The same of a write.
inline constexpr event_kind memory_written = memory_kind("memory_written", 1);

/// The details of a message.
constexpr std::uint64_t details_of(const message& message) {
  return type.put(message.type) | source.put(index(message.source)) |
         destination.put(index(message.destination)) |
         lane.put(static_cast<std::uint64_t>(message.over)) | bytes.put(message.length);
}
/// The same with the handler that it runs.
constexpr std::uint64_t details_of(const message& message, handler_id run, inbox_input from) {
  return details_of(message) | handler.put(static_cast<std::uint64_t>(run)) |
         input.put(static_cast<std::uint64_t>(from));
}
/// About a message, from `cycle` to `last`.
inline trace_event event_of(const event_kind& kind, cycle_t cycle, cycle_t last,
                            const message& message) {
  trace_event event;
  event.cycle = cycle;
  event.last = last;
  event.kind = &kind;
  event.identity = message.identity;
  event.address = message.address;
  event.details = details_of(message);
  return event;
}
/// The same with the handler that it runs.
inline trace_event event_of(const event_kind& kind, cycle_t cycle, cycle_t last,
                            const message& message, handler_id run, inbox_input from) {
  trace_event event = event_of(kind, cycle, last, message);
  event.details = details_of(message, run, from);
  return event;
}

/// The handler among an event's details.
inline handler_id handler_of(const trace_event& event) {
  return static_cast<handler_id>(handler.in(event.details));
}

}  // namespace node_events
}  // namespace tributary
