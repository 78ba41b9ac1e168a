// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/link_tracks.h>

#include <string>

namespace tributary {

link_tracks::link_tracks(const network_links& links, trace_catalog& catalog,
                         trace_recorder& recorder)
    : hosts_(links.nodes), recorder_(recorder) {
  const track_signal passes{"message", true};
  catalog.add({"", "host", hosts_, {{"out", {passes}}, {"in", {passes}}}});
  for (std::uint32_t r = 0; r < links.of_router.size(); ++r) {
    const std::uint32_t count = links.of_router[r];
    if (count == 0) continue;
    catalog.add({"switch." + std::to_string(r), "link", count, {{"", {passes}}}});
  }
  catalog.origins = hosts_;
  catalog.kinds = {&link_events::crosses};
}

void link_tracks::on_event(const link_event& event) {
  trace_event told;
  told.cycle = event.cycle;
  told.last = event.last - 1;
  told.kind = &link_events::crosses;
  // Both links of a host are neighbours among the tracks; those between switches follow as they do
  // among the links.
  std::uint32_t track = event.number;
  if (event.kind == link_kind::injection) track = 2 * event.number;
  if (event.kind == link_kind::ejection) track = 2 * (event.number - hosts_) + 1;
  told.track = track_id{track};
  const network_transfer& message = event.transfer;
  told.identity = message.operation.identity;
  const bool known = !message.everyone || event.kind == link_kind::ejection;
  told.details = link_events::receiver.put(known ? index(message.destination)
                                                 : link_events::receiver.absent()) |
                 link_events::bytes.put(message.bytes);
  recorder_.add(told);
}

}  // namespace tributary
