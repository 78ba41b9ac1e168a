// SPDX-License-Identifier: Apache-2.0
// The events of a node whose protocol runs on its processors, for traces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/controller/schedule.h>
#include <tributary/smp/protocol_thread.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Each processor is a track: what it is at, and on it the handlers that it runs.
namespace smp_events {

inline constexpr event_detail handler{"handler", 0, 11};  ///< `handler_id`
inline constexpr event_detail type{"type", 11, 8};        ///< of its message
inline constexpr event_detail source{"source", 19, 12};   ///< node

/// It was at something from `cycle` to `last`.
constexpr event_kind duty_kind(const char* name) {
  event_kind kind;
  kind.name = name;
  kind.lasts = true;
  return kind;
}
/// By `processor_duty`.
inline constexpr std::array<event_kind, processor_duties> duties{
    duty_kind("computing"),       duty_kind("waiting"),     duty_kind("resting"),
    duty_kind("interrupted"),     duty_kind("serving_own"), duty_kind("serving_drafted"),
    duty_kind("serving_resting"), duty_kind("resuming")};

/// Of `handled`.
constexpr event_kind handled_kind() {
  event_kind kind;
  kind.name = "handled";
  kind.order = 1;
  kind.lasts = true;
  kind.has_address = true;
  kind.is_step = true;
  kind.title = &handler;
  kind.details = {&handler, &type, &source};
  return kind;
}
/// A handler ran.
inline constexpr event_kind handled = handled_kind();

/// A duty of a processor that has ended.
inline trace_event duty_event(processor_duty duty, cycle_t from, cycle_t last) {
  trace_event event;
  event.cycle = from;
  event.last = last;
  event.kind = &duties[static_cast<std::size_t>(duty)];
  return event;
}

/// Of the handler that ended in `now`.
inline trace_event handler_event(const protocol_thread& thread, cycle_t now) {
  const message& header = thread.header();
  trace_event event;
  event.cycle = thread.began();
  event.last = now == thread.began() ? now : now - 1;
  event.kind = &handled;
  event.identity = header.identity;
  event.address = header.address;
  event.details = handler.put(static_cast<std::uint64_t>(thread.handler())) |
                  type.put(header.type) | source.put(index(header.source));
  return event;
}

/// Of the catalog of tracks.
inline std::vector<const event_kind*> all_kinds() {
  std::vector<const event_kind*> kinds{&handled};
  for (const event_kind& each : duties) kinds.push_back(&each);
  return kinds;
}

}  // namespace smp_events

}  // namespace tributary
