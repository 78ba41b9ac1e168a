// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/reconfiguration/reconfigured_network.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// Looks for packets that wait too long, within a time-out.
constexpr std::uint32_t looks = 8;

channel_network_config checked_for_changes(channel_network_config channels,
                                           const reconfiguration_config& how,
                                           const network_graph* graph) {
  if (graph == nullptr) throw error("a network was made without a graph; give it one");
  reconfiguration_config::validate_switches(channels.switches);
  how.validate(*graph);
  channels.switches.without_route = lost_route::discard;
  return channels;
}

adaptive_table table_at_first(const network_graph& graph) {
  const orientation ends = mdst_orientation(graph);
  const up_down_routes routes(ends);
  return adaptive_table(up_down_table(routes));
}

}  // namespace

reconfigured_network::reconfigured_network(const message_network_config& links,
                                           const channel_network_config& channels,
                                           const reconfiguration_config& how,
                                           std::shared_ptr<const network_graph> graph)
    : channel_network(links, checked_for_changes(channels, how, graph.get()), graph,
                      table_at_first(*graph)),
      how_(how),
      plane_(*graph, *this),
      lives_(graph->switches()),
      settled_(graph->switches()),
      known_(graph->switches()),
      measured_(how.window_cycles) {
  std::vector<bool> works(graph->switches(), true);
  for (const switch_id each : how_.off_at_first) works[index(each)] = false;
  begin_with(works);
}

void reconfigured_network::begin_with(const std::vector<bool>& works) {
  const learnt_topology topology = working_topology(graph(), works);
  ups_ = directions_by_level(graph(), topology);
  const surviving_routes routes(graph(), topology, ups_);
  for (std::uint32_t s = 0; s < works.size(); ++s) {
    const switch_id at{s};
    settled_[s] = works[s] ? 1 : 0;
    known_[s] = settled_[s];
    if (!works[s]) {
      disable(at);
      clear_routes(at);
      continue;
    }
    use_routes(at, routes.table_of(at, how_.mode == reconfiguration_mode::ordered));
    for (const neighbour_link& each : graph().neighbours(at)) {
      plane_.see({at, each.port}, works[index(each.to)]);
    }
  }
}

// --- nodes ---------------------------------------------------------------------------------------

bool reconfigured_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  return is_off(node) || channel_network::ready(node, lane, now);
}

cycle_t reconfigured_network::free_at(node_id node) const {
  return is_off(node) ? 0 : channel_network::free_at(node);
}

cycle_t reconfigured_network::place_at(node_id node, std::uint8_t lane) const {
  return is_off(node) ? 0 : channel_network::place_at(node, lane);
}

void reconfigured_network::send(const network_transfer& transfer, cycle_t now) {
  if (!is_off(transfer.source)) return channel_network::send(transfer, now);
  check_transfer(transfer, now);
  cause_ = discard_cause::unreachable;
  tell_discard(transfer);
  cause_ = discard_cause::failed;
}

// --- time ----------------------------------------------------------------------------------------

cycle_t reconfigured_network::next_wakeup() const {
  return std::min({channel_network::next_wakeup(), next_event(), steps_.next_wakeup(), watch_at_});
}

void reconfigured_network::advance_to(cycle_t last) {
  for (;;) {
    const cycle_t next = std::min({next_event(), steps_.next_wakeup(), watch_at_});
    if (next > last) break;
    channel_network::advance_to(next);
    act(next);
  }
  channel_network::advance_to(last);
}

void reconfigured_network::act(cycle_t now) {
  while (next_event() <= now) change(how_.events[next_event_++]);
  step what;
  while (steps_.pop_due(now, what)) take(what);
  if (watch_at_ <= now) watch();
}

// --- changes -------------------------------------------------------------------------------------

void reconfigured_network::change(const switch_event& event) {
  const std::uint32_t at = index(event.which);
  ++lives_[at];
  settled_[at] = 0;
  for (installation& each : installations_) each.complete[at] = 0;
  plane_.forget(event.which);
  if (event.on) {
    hold_hosts(event.which, true);
    enable(event.which);
  } else {
    disable(event.which);
    clear_routes(event.which);
    hold_hosts(event.which, false);
    for (std::uint32_t h = 0; h < nodes(); ++h) {
      network_endpoint* const host = endpoint(node_id{h});
      if (graph().switch_of(host_id{h}) != event.which || host == nullptr) continue;
      // What waits at the host can be sent now, to be lost.
      for (std::uint8_t lane = 0; lane < lanes(); ++lane) host->room(lane, now() + 1);
    }
  }
  schedule_detections(event);
}

void reconfigured_network::schedule_detections(const switch_event& event) {
  const cycle_t when = now() + how_.detection_cycles;
  step what;
  what.on = event.on;
  what.changed = now();
  // The switch itself sees its neighbours, before one of them begins.
  std::vector<switch_id> neighbours;
  for (const neighbour_link& each : graph().neighbours(event.which)) {
    const bool known = std::find(neighbours.begin(), neighbours.end(), each.to) != neighbours.end();
    if (!known && enabled(each.to)) neighbours.push_back(each.to);
  }
  what.at = index(event.which);
  what.life = lives_[what.at];
  for (const switch_id each : neighbours) {
    what.other = index(each);
    if (event.on) steps_.schedule(when, what);
  }
  what.other = index(event.which);
  what.begins = true;
  for (const switch_id each : neighbours) {
    what.at = index(each);
    what.life = lives_[what.at];
    steps_.schedule(when, what);
  }
}

void reconfigured_network::take(const step& what) {
  const switch_id at{what.at};
  if (!enabled(at) || what.life != lives_[what.at]) return;
  if (what.kind == step_kind::detected) return detect(what);
  if (what.kind == step_kind::arrival) {
    if (what.other_life == lives_[what.other]) plane_.receive({at, what.port}, what.message);
    return;
  }
  if (plane_.key(at) != what.message.key) return;
  if (what.kind == step_kind::planned) return order_next(at);
  use_table(at, what.message.key);
}

void reconfigured_network::detect(const step& what) {
  const switch_id at{what.at};
  std::vector<bool> works(graph().ports(at), true);
  for (const neighbour_link& each : graph().neighbours(at)) {
    const switch_port by{at, each.port};
    if (index(each.to) == what.other) plane_.see(by, what.on);
    works[each.port] = plane_.sees(by);
  }
  if (!what.begins) return;
  if (!what.on && how_.mode == reconfiguration_mode::ordered) {
    use_routes(at, routes_without(graph(), at, routes(at), works));
  }
  if (reconfiguring_) {
    measured_.begin_again();
  } else {
    measured_.begin(what.changed, now());
  }
  reconfiguring_ = true;
  allow_deadlocks(true);
  plane_.begin(at);
}

// --- control messages ----------------------------------------------------------------------------

std::uint32_t reconfigured_network::flits_of(const control_message& message) const {
  const std::uint64_t bytes =
      how_.control_bytes + std::uint64_t{message.records} * how_.record_bytes;
  return static_cast<std::uint32_t>(config_.clock.cycles_of(bytes, config_.rate()));
}

void reconfigured_network::send_message(switch_port by, const control_message& message) {
  const std::uint32_t flits = flits_of(message);
  measured_.count_control(message.kind, flits);
  const switch_port& to = graph().target(graph().channel_from(by));
  step what;
  what.kind = step_kind::arrival;
  what.at = index(to.at);
  what.life = lives_[what.at];
  what.port = to.port;
  what.other = index(by.at);
  what.other_life = lives_[what.other];
  what.message = message;
  steps_.schedule(send_control(by, flits, now()), what);
}

void reconfigured_network::joined(switch_id at) {
  if (how_.mode == reconfiguration_mode::ordered) {
    if (watch_at_ == never) watch_at_ = now() + std::max(1U, how_.time_out_cycles / looks);
    return;
  }
  cause_ = discard_cause::emptied;
  discard_contents(at);
  cause_ = discard_cause::failed;
  clear_routes(at);
  hold_hosts(at, true);
}

link_directions reconfigured_network::directions_for(const learnt_topology& topology) const {
  if (how_.orientation == reconfigured_orientation::kept) {
    return kept_directions(graph(), topology, ups_, known_);
  }
  return how_.orientation == reconfigured_orientation::mdst
             ? directions_from_lowest(graph(), topology)
             : directions_by_level(graph(), topology);
}

/// Neighbours of what changed come first, since ways of theirs are missing; then by level.
std::vector<std::uint32_t> reconfigured_network::order_of(const learnt_topology& topology) const {
  std::vector<bool> changed(known_.begin(), known_.end());
  for (const tree_member& each : topology.members) changed[each.at] = !changed[each.at];
  std::vector<std::tuple<bool, std::uint32_t, std::uint32_t>> keys;
  for (const tree_member& each : topology.members) {
    const auto& ways = graph().neighbours(switch_id{each.at});
    const bool near = std::any_of(ways.begin(), ways.end(), [&](const neighbour_link& way) {
      return changed[index(way.to)];
    });
    keys.emplace_back(!near, each.level, each.at);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order;
  for (const auto& each : keys) order.push_back(std::get<2>(each));
  return order;
}

void reconfigured_network::learnt(switch_id root, const learnt_topology& topology) {
  installation made;
  made.key = plane_.key(root);
  made.topology = topology;
  made.ups = directions_for(topology);
  made.order = order_of(topology);
  ups_ = made.ups;
  known_.assign(known_.size(), 0);
  for (const tree_member& each : topology.members) known_[each.at] = 1;
  made.missing = static_cast<std::uint32_t>(topology.members.size());
  made.minimal.resize(graph().switches());
  made.ordered.resize(graph().switches());
  made.complete.resize(graph().switches());
  installations_.push_back(std::move(made));
  plane_.distribute(root, static_cast<std::uint32_t>(topology.links.size()));
  told(root);
  if (how_.mode == reconfiguration_mode::ordered) compute(root, step_kind::planned);
}

void reconfigured_network::told(switch_id at) { compute(at, step_kind::computed); }

void reconfigured_network::compute(switch_id at, step_kind kind) {
  step what;
  what.kind = kind;
  what.at = index(at);
  what.life = lives_[what.at];
  what.message.key = plane_.key(at);
  steps_.schedule(now() + how_.compute_cycles, what);
}

// --- tables --------------------------------------------------------------------------------------

reconfigured_network::installation* reconfigured_network::find(const reconfiguration_key& key) {
  const auto found = std::find_if(installations_.begin(), installations_.end(),
                                  [&](const installation& each) { return each.key == key; });
  return found == installations_.end() ? nullptr : &*found;
}

const surviving_routes& reconfigured_network::routes_for(const installation& what) {
  if (routes_ == nullptr || routes_key_ != what.key) {
    routes_ = std::make_unique<const surviving_routes>(graph(), what.topology, what.ups);
    routes_key_ = what.key;
  }
  return *routes_;
}

void reconfigured_network::use_table(switch_id at, const reconfiguration_key& key) {
  installation* const what = find(key);
  if (what == nullptr) return;
  const surviving_routes& routes = routes_for(*what);
  if (how_.mode == reconfiguration_mode::fixed) {
    use_routes(at, routes.table_of(at, false));
    installed(at, *what);
    if (how_.opening == static_opening::all) return plane_.complete(at);
    return hold_hosts(at, false);
  }
  use_routes(at, with_new_minimal(routes, at, channel_network::routes(at)));
  what->minimal[index(at)] = 1;
  if (what->ordered[index(at)] != 0) install_escape(at, *what);
}

void reconfigured_network::ordered(switch_id at) {
  installation* const what = find(plane_.key(at));
  if (what == nullptr) return;
  what->ordered[index(at)] = 1;
  if (what->minimal[index(at)] != 0) install_escape(at, *what);
}

void reconfigured_network::install_escape(switch_id at, installation& what) {
  use_routes(at, routes_for(what).table_of(at, true));
  hold_hosts(at, false);
  installed(at, what);
  plane_.acknowledge(at);
}

void reconfigured_network::acknowledged(switch_id root, switch_id) { order_next(root); }

void reconfigured_network::order_next(switch_id root) {
  installation* const what = find(plane_.key(root));
  if (what == nullptr || what->next == what->order.size()) return;
  const std::uint32_t which = what->order[what->next++];
  const std::vector<std::uint32_t>& links = what->topology.links;
  const auto ends = std::count_if(links.begin(), links.end(), [&](std::uint32_t link) {
    const network_link& of = graph().link(link);
    return index(of.first.at) == which || index(of.second.at) == which;
  });
  plane_.order(root, switch_id{which}, static_cast<std::uint32_t>(ends));
}

/// One that began later is left only if all switches that know of it have gone off.
bool reconfigured_network::is_newest(const reconfiguration_key& key) const {
  for (std::uint32_t s = 0; s < lives_.size(); ++s) {
    if (enabled(switch_id{s}) && plane_.key(switch_id{s}).beats(key)) return false;
  }
  return true;
}

/// `what` is no longer valid behind it.
void reconfigured_network::installed(switch_id at, installation& what) {
  what.complete[index(at)] = 1;
  if (--what.missing != 0 || !is_newest(what.key)) return;
  for (const std::uint32_t each : what.order) settled_[each] = what.complete[each];
  const installation last = what;
  installations_.assign(1, last);
  measured_.finish(now());
  reconfiguring_ = false;
  watch_until_ = now() + 2 * cycle_t{how_.time_out_cycles};
  if (how_.mode == reconfiguration_mode::fixed) allow_deadlocks(false);
}

void reconfigured_network::watch() {
  const auto which =
      reconfiguring_ ? waiting_heads::victims::all : waiting_heads::victims::without_way;
  cause_ = discard_cause::timed_out;
  const bool stuck = waiting_.look(*this, how_.time_out_cycles, which);
  cause_ = discard_cause::failed;
  if (reconfiguring_ || stuck || now() < watch_until_) {
    watch_at_ = now() + std::max(1U, how_.time_out_cycles / looks);
    return;
  }
  watch_at_ = never;
  waiting_.clear();
  allow_deadlocks(false);
}

// --- what was measured ---------------------------------------------------------------------------

void reconfigured_network::note_delivery(const network_transfer&, cycle_t sent, cycle_t tail) {
  measured_.count_delivery(tail - sent, tail);
}

void reconfigured_network::note_discard(const network_transfer& message) {
  const switch_id to = graph().switch_of(host_id{index(message.destination)});
  discard_cause cause = cause_;
  if (!settled(to)) {
    cause = discard_cause::unreachable;
  } else if (cause == discard_cause::failed && reconfiguring_ &&
             how_.mode == reconfiguration_mode::fixed) {
    cause = discard_cause::closed;
  }
  measured_.count_discard(cause, now());
}

void reconfigured_network::reset_statistics() {
  channel_network::reset_statistics();
  measured_.reset(now());
}

void reconfigured_network::report(statistics_group& group, std::uint64_t cycles) const {
  channel_network::report(group, cycles);
  measured_.report(group.group("reconfiguration"));
}

// --- states --------------------------------------------------------------------------------------

std::string reconfigured_network::save() const {
  return save_state(channel_network::save(), plane_, steps_, next_event_, watch_at_, watch_until_,
                    lives_, settled_, reconfiguring_, ups_, known_, installations_, waiting_,
                    measured_);
}

void reconfigured_network::restore(const std::string& state) {
  const std::size_t switches = lives_.size();
  std::string channels;
  restore_state(state, channels, plane_, steps_, next_event_, watch_at_, watch_until_, lives_,
                settled_, reconfiguring_, ups_, known_, installations_, waiting_, measured_);
  require_state(lives_.size() == switches && settled_.size() == switches,
                "the network has another shape");
  channel_network::restore(channels);
  routes_ = nullptr;
}

}  // namespace tributary
