// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/channel_deadlock.h>

#include <algorithm>

namespace tributary {

channel_deadlock::channel_deadlock(const channel_switches_view& view) : view_(view) {
  const std::uint32_t channels = view_.plan.channels();
  for (std::uint32_t at = 0; at < view_.graph.switches(); ++at) {
    first_.push_back(static_cast<std::uint32_t>(stuck_.size()));
    for (std::uint32_t port = 0; port < view_.graph.ports(switch_id{at}); ++port) {
      for (std::uint32_t channel = 0; channel < channels; ++channel) {
        stuck_.push_back(view_.switches[at].flits_in(port, channel) != 0 ? 1 : 0);
      }
    }
  }
  while (remove_moving()) continue;
  packets_ = static_cast<std::size_t>(std::count(stuck_.begin(), stuck_.end(), 1));
}

/// Takes out those that go on, or wait for one that does.
bool channel_deadlock::remove_moving() {
  bool changed = false;
  for (std::uint32_t at = 0; at < view_.graph.switches(); ++at) {
    for (std::uint32_t port = 0; port < view_.graph.ports(switch_id{at}); ++port) {
      for (std::uint32_t channel = 0; channel < view_.plan.channels(); ++channel) {
        std::uint8_t& stuck = stuck_[number_of(at, port, channel)];
        if (stuck == 0 || is_stuck(at, port, channel, nullptr)) continue;
        stuck = 0;
        changed = true;
      }
    }
  }
  return changed;
}

std::uint32_t channel_deadlock::behind(const wanted_channel& wanted) const {
  const std::uint32_t channel = view_.graph.channel_from({switch_id{wanted.at}, wanted.port});
  const switch_port& end = view_.graph.target(channel);
  return number_of(index(end.at), end.port, wanted.channel);
}

bool channel_deadlock::is_stuck(std::uint32_t at, std::uint32_t port, std::uint32_t channel,
                                reason* why) const {
  const channel_switch& here = view_.switches[at];
  if (here.use_of(port, channel) == channel_switch::input_use::waiting) {
    return waits(at, port, channel, why);
  }
  if (here.use_of(port, channel) != channel_switch::input_use::active) return false;
  const route_hop out = here.output_of(port, channel);
  if (view_.graph.end({switch_id{at}, out.port}).use != port_use::link) return false;
  return is_full_for({at, out.port, out.virtual_channel}, 1, why);
}

/// Whether there is no room for so many flits before another of the stuck goes on.
bool channel_deadlock::is_full_for(const wanted_channel& wanted, std::uint32_t flits,
                                   reason* why) const {
  const std::uint32_t credits = view_.switches[wanted.at].credits(wanted.port, wanted.channel);
  if (credits >= flits) return false;
  const switch_port& end =
      view_.graph.target(view_.graph.channel_from({switch_id{wanted.at}, wanted.port}));
  // Flits and credits on the link will still come.
  const std::uint32_t there = view_.switches[index(end.at)].flits_in(end.port, wanted.channel);
  if (there + credits < view_.config.buffer_flits) return false;
  const std::uint32_t blocker = behind(wanted);
  if (why != nullptr) *why = {wanted, blocker};
  return stuck_[blocker] != 0;
}

bool channel_deadlock::waits(std::uint32_t at, std::uint32_t port, std::uint32_t channel,
                             reason* why) const {
  const channel_switch& here = view_.switches[at];
  const switch_routes& routes = view_.routes[at];
  const channel_flit& head = here.flit_in(port, channel, 0);
  const bool whole = view_.config.switching == flit_switching::cut_through;
  const std::uint32_t needed = whole ? head.flits : routes.adaptive() ? 1 : 0;
  const auto ways = here.ways_of_head(view_.config, view_.plan, routes, at, port, channel);
  for (const auto& [out, mask] : ways) {
    const bool to_link = view_.graph.end({switch_id{at}, out}).use == port_use::link;
    for (std::uint32_t v = 0; v < view_.plan.channels(); ++v) {
      if ((mask >> v & 1U) == 0) continue;
      const wanted_channel wanted{at, out, v};
      if (here.is_held(out, v)) {
        const route_hop by = here.holder(out, v);
        const std::uint32_t holder = number_of(at, by.port, by.virtual_channel);
        if (stuck_[holder] == 0) return false;
        if (why != nullptr) *why = {wanted, holder};
        continue;
      }
      // Hosts may still make room.
      if (!to_link || !is_full_for(wanted, needed, why)) return false;
    }
  }
  return !ways.empty();
}

std::string channel_deadlock::circle() const {
  std::vector<reason> way;
  std::vector<std::uint32_t> visited;
  std::uint32_t number =
      static_cast<std::uint32_t>(std::find(stuck_.begin(), stuck_.end(), 1) - stuck_.begin());
  while (std::find(visited.begin(), visited.end(), number) == visited.end()) {
    visited.push_back(number);
    const auto behind_it = std::upper_bound(first_.begin(), first_.end(), number);
    const auto at = static_cast<std::uint32_t>(behind_it - first_.begin() - 1);
    const std::uint32_t within = number - first_[at];
    reason why;
    is_stuck(at, within / view_.plan.channels(), within % view_.plan.channels(), &why);
    way.push_back(why);
    number = why.blocker;
  }
  const auto begin = std::find(visited.begin(), visited.end(), number) - visited.begin();
  std::string text;
  for (auto i = static_cast<std::size_t>(begin); i < way.size(); ++i) {
    const wanted_channel& each = way[i].wanted;
    const std::uint32_t channel = view_.graph.channel_from({switch_id{each.at}, each.port});
    text += (text.empty() ? "" : ", ") + view_.graph.channel_text(channel) + " (virtual channel " +
            std::to_string(each.channel) + ")";
  }
  return text;
}

}  // namespace tributary
