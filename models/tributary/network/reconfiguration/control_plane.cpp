// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/control_plane.h>

#include <algorithm>

namespace tributary {

control_plane::control_plane(const network_graph& graph, control_plane_client& client)
    : graph_(graph), client_(client), participants_(graph.switches()) {
  for (std::uint32_t s = 0; s < graph.switches(); ++s) forget(switch_id{s});
}

void control_plane::forget(switch_id at) {
  participant& here = participants_[index(at)];
  here = {};
  here.sees.assign(graph_.ports(at), 0);
  here.below.resize(graph_.ports(at));
}

// --- propagation ---------------------------------------------------------------------------------

void control_plane::begin(switch_id at) { join(at, {key(at).number + 1, index(at)}, no_port, 0); }

void control_plane::join(switch_id at, const reconfiguration_key& key, std::uint32_t parent,
                         std::uint32_t level) {
  participant& here = participants_[index(at)];
  here.key = key;
  here.parent = parent;
  here.level = level;
  here.unanswered = 0;
  here.completed = 0;
  here.known = {{{index(at), level}}, {}};
  for (auto& each : here.below) each.clear();
  client_.joined(at);
  control_message message;
  message.key = key;
  message.level = level;
  for (const neighbour_link& each : graph_.neighbours(at)) {
    if (here.sees[each.port] == 0) continue;
    // Of the two ends, the first tells of the link.
    if (each.channel % 2 == 0) here.known.links.push_back(each.channel / 2);
    if (each.port == parent) continue;
    ++here.unanswered;
    client_.send_message({at, each.port}, message);
  }
  if (here.unanswered == 0) {
    ++here.unanswered;
    answered(at);
  }
}

void control_plane::receive(switch_port by, const control_message& message) {
  const participant& here = participants_[index(by.at)];
  if (here.sees[by.port] == 0) return;
  if (message.kind == control_kind::propagation && message.key.beats(here.key)) {
    return join(by.at, message.key, by.port, message.level + 1);
  }
  if (message.key != here.key) return;
  switch (message.kind) {
    case control_kind::propagation:
      return answered(by.at);
    case control_kind::collection:
      return collect(by, message.below);
    case control_kind::distribution:
      distribute(by.at, message.records);
      return client_.told(by.at);
    case control_kind::completion:
      return complete(by.at);
    case control_kind::opening:
      return open(by.at);
    case control_kind::installation:
      return pass_order(by.at, message);
    case control_kind::acknowledgement:
      return pass_acknowledgement(by.at, message);
  }
}

// --- collection ----------------------------------------------------------------------------------

void control_plane::collect(switch_port by, const learnt_topology& below) {
  participant& here = participants_[index(by.at)];
  for (const tree_member& each : below.members) {
    here.below[by.port].push_back(each.at);
    here.known.members.push_back(each);
  }
  here.known.links.insert(here.known.links.end(), below.links.begin(), below.links.end());
  answered(by.at);
}

void control_plane::answered(switch_id at) {
  participant& here = participants_[index(at)];
  if (--here.unanswered != 0) return;
  if (here.parent == no_port) return client_.learnt(at, here.known);
  control_message message;
  message.kind = control_kind::collection;
  message.key = here.key;
  message.records = static_cast<std::uint32_t>(here.known.links.size());
  message.below = here.known;
  client_.send_message({at, here.parent}, message);
}

template <class Visit>
void control_plane::for_each_child(switch_id at, Visit&& visit) const {
  const participant& here = participants_[index(at)];
  for (std::uint32_t port = 0; port < here.below.size(); ++port) {
    if (!here.below[port].empty()) visit(port);
  }
}

// --- distribution --------------------------------------------------------------------------------

void control_plane::distribute(switch_id root, std::uint32_t links) {
  control_message message;
  message.kind = control_kind::distribution;
  message.key = key(root);
  message.records = links;
  for_each_child(root, [&](std::uint32_t port) { client_.send_message({root, port}, message); });
}

void control_plane::complete(switch_id at) {
  participant& here = participants_[index(at)];
  std::uint32_t expected = 1;
  for_each_child(at, [&](std::uint32_t) { ++expected; });
  if (++here.completed != expected) return;
  if (here.parent == no_port) return open(at);
  control_message message;
  message.kind = control_kind::completion;
  message.key = here.key;
  client_.send_message({at, here.parent}, message);
}

void control_plane::open(switch_id at) {
  control_message message;
  message.kind = control_kind::opening;
  message.key = key(at);
  for_each_child(at, [&](std::uint32_t port) { client_.send_message({at, port}, message); });
  client_.opened(at);
}

// --- escape tables, one after the other ----------------------------------------------------------

void control_plane::order(switch_id root, switch_id which, std::uint32_t links) {
  control_message message;
  message.kind = control_kind::installation;
  message.key = key(root);
  message.target = index(which);
  message.records = links;
  pass_order(root, message);
}

void control_plane::pass_order(switch_id at, const control_message& message) {
  if (message.target == index(at)) return client_.ordered(at);
  const participant& here = participants_[index(at)];
  for (std::uint32_t port = 0; port < here.below.size(); ++port) {
    const std::vector<std::uint32_t>& there = here.below[port];
    if (std::find(there.begin(), there.end(), message.target) == there.end()) continue;
    return client_.send_message({at, port}, message);
  }
}

void control_plane::acknowledge(switch_id at) {
  control_message message;
  message.kind = control_kind::acknowledgement;
  message.key = key(at);
  message.target = index(at);
  pass_acknowledgement(at, message);
}

void control_plane::pass_acknowledgement(switch_id at, const control_message& message) {
  const participant& here = participants_[index(at)];
  if (here.parent == no_port) return client_.acknowledged(at, switch_id{message.target});
  client_.send_message({at, here.parent}, message);
}

}  // namespace tributary
