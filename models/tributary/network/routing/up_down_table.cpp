// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/up_down_table.h>

namespace tributary {

routing_table up_down_table(const up_down_routes& routes) {
  routing_rules rules;
  rules.name = "up*/down*";
  rules.phases = 2;
  rules.phase_after = [&](virtual_channel_id by) {
    return static_cast<std::uint32_t>(routes.after(by.channel));
  };
  rules.ways_on = [&](switch_id at, std::uint32_t phase, switch_id to,
                      std::vector<route_hop>& hops) {
    for (const neighbour_link& each : routes.graph().neighbours(at)) {
      if (!routes.is_on_shortest(each.channel, static_cast<up_down_phase>(phase), to)) continue;
      hops.push_back({static_cast<std::uint8_t>(each.port), 0});
    }
  };
  return routing_table(routes.graph(), rules);
}

}  // namespace tributary
