// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/waiting_heads.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace tributary {

std::vector<waiting_heads::head> waiting_heads::waiting_in(const channel_network& network) {
  std::vector<head> found;
  for (std::uint32_t s = 0; s < network.graph().switches(); ++s) {
    const channel_switch& here = network.at(switch_id{s});
    if (!here.active()) continue;
    for (std::uint32_t port = 0; port < network.graph().ports(switch_id{s}); ++port) {
      for (std::uint32_t channel = 0; channel < network.plan().channels(); ++channel) {
        if (here.use_of(port, channel) != channel_switch::input_use::waiting) continue;
        const channel_flit& first = here.flit_in(port, channel, 0);
        // A host makes room in its own time.
        if (first.destination == s) continue;
        found.push_back({s, port, channel, first.packet, network.now()});
      }
    }
  }
  return found;
}

void waiting_heads::take_times(std::vector<head>& found) const {
  const auto place = [](const head& each) { return std::tie(each.at, each.port, each.channel); };
  std::size_t next = 0;
  for (head& each : found) {
    while (next < heads_.size() && place(heads_[next]) < place(each)) ++next;
    if (next == heads_.size()) return;
    if (place(heads_[next]) == place(each) && heads_[next].packet == each.packet) {
      each.since = heads_[next].since;
    }
  }
}

/// Adaptive channels alone may wait for each other in a circle.
bool waiting_heads::has_way(const channel_network& network, const head& each) {
  const switch_id at{each.at};
  const channel_switch& here = network.at(at);
  const channel_plan& plan = network.plan();
  const std::uint32_t lane = here.flit_in(each.port, each.channel, 0).lane;
  const auto ways = here.ways_of_head(network.channels().switches, plan, network.routes(at),
                                      each.at, each.port, each.channel);
  return std::any_of(ways.begin(), ways.end(), [&](const auto& way) {
    return (way.second & ~plan.adaptive_of(plan.network_of(lane))) != 0;
  });
}

bool waiting_heads::look(channel_network& network, cycle_t time_out, victims which) {
  std::vector<head> found = waiting_in(network);
  take_times(found);
  heads_.clear();
  bool any = false;
  for (const head& each : found) {
    const bool stuck = each.since != network.now() && !has_way(network, each);
    if ((which == victims::all || stuck) && network.now() - each.since >= time_out) {
      network.discard_waiting({switch_id{each.at}, each.port}, each.channel);
      continue;
    }
    any = any || stuck;
    heads_.push_back(each);
  }
  return any;
}

}  // namespace tributary
