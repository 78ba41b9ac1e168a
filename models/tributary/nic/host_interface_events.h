// SPDX-License-Identifier: Apache-2.0
// The events of a host interface, for traces: a track for each stage.
#pragma once

#include <vector>

#include <tributary/trace/event.h>

namespace tributary {

namespace host_interface_events {

inline constexpr event_detail handler{"handler", 0, 11};  ///< `handler_id`
inline constexpr event_detail type{"type", 11, 8};        ///< of its message
inline constexpr event_detail source{"source", 19, 12};   ///< node
inline constexpr event_detail destination{"destination", 0, 12};
inline constexpr event_detail bytes{"bytes", 12, 17};

/// Of what lasts from `cycle` to `last`.
constexpr event_kind stage_kind(const char* name) {
  event_kind kind;
  kind.name = name;
  kind.lasts = true;
  return kind;
}
constexpr event_kind handled_kind() {
  event_kind kind = stage_kind("handled");
  kind.has_address = true;
  kind.is_step = true;
  kind.title = &handler;
  kind.details = {&handler, &type, &source};
  return kind;
}
constexpr event_kind transmitted_kind() {
  event_kind kind = stage_kind("transmitted");
  kind.is_step = true;
  kind.details = {&destination, &bytes};
  return kind;
}
constexpr event_kind moved_kind(const char* name) {
  event_kind kind = stage_kind(name);
  kind.details = {&bytes};
  return kind;
}

/// A handler ran.
inline constexpr event_kind handled = handled_kind();
/// A packet went from a staging buffer to the link.
inline constexpr event_kind transmitted = transmitted_kind();
/// DMA moved bytes.
inline constexpr event_kind to_host = moved_kind("to_host");
inline constexpr event_kind from_host = moved_kind("from_host");

/// Of the catalog of tracks.
inline std::vector<const event_kind*> all_kinds() {
  return {&handled, &transmitted, &to_host, &from_host};
}

}  // namespace host_interface_events

}  // namespace tributary
