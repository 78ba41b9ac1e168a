// SPDX-License-Identifier: Apache-2.0
// The links of a network as tracks of a trace.
#pragma once

#include <cstdint>

#include <tributary/network/switching/link_event.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Kinds and details. An event's identity is the sender and the number of its message.
namespace link_events {

inline constexpr event_detail receiver{"receiver", 0, 16};  ///< absent: everyone
inline constexpr event_detail bytes{"bytes", 16, 20};       ///< of payload

/// A message crosses a link, from its head to its tail and the rest behind it.
constexpr event_kind crossing_kind() {
  event_kind kind;
  kind.name = "crosses";
  kind.lasts = true;
  kind.is_step = true;
  kind.link = "message";
  kind.details = {&receiver, &bytes};
  return kind;
}
inline constexpr event_kind crosses = crossing_kind();

}  // namespace link_events

/// Tracks "host.N.out" and "host.N.in" for the links of hosts, and "switch.N.link.I" for those to
/// the neighbours of a switch, in the order of its ports.
class link_tracks final : public observer<link_event> {
 public:
  /// Adds the tracks to the catalog. References must outlive it.
  link_tracks(const network_links& links, trace_catalog& catalog, trace_recorder& recorder);

  track_id out_of(node_id host) const { return track_id{2 * index(host)}; }
  void on_event(const link_event& event) override;

 private:
  std::uint32_t hosts_;
  trace_recorder& recorder_;
};

}  // namespace tributary
