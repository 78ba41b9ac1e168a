// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/channel_network.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <tributary/network/switching/channel_deadlock.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

void refuse_channel_links(bool wanted, const char* key, const std::string& problem,
                          const std::string& allowed) {
  if (!wanted) return;
  throw configuration_error(
      {key, "", problem, allowed, "change it, or choose another network.kind"});
}

const message_network_config& checked_channel_links(const message_network_config& links,
                                                    const channel_network_config& config,
                                                    const network_graph* graph,
                                                    const routing_table& table) {
  require_table_of(graph, table);
  channel_network::validate(links, config, graph->hosts());
  const std::size_t given = config.link_cycles.size();
  if (given != 0 && given != graph->links()) {
    throw error("cycles were given for " + std::to_string(given) + " links of a network with " +
                std::to_string(graph->links()) + "; give one for each link, or none");
  }
  return links;
}

channel_needs needs_of(const message_network_config& links, const channel_network_config& config,
                       const routing_table& table, bool adaptive) {
  return {config.switches.channels, config.separate_lanes ? links.lanes : 1,
          table.virtual_channels(), adaptive, table.name()};
}

std::uint32_t most_ports_of(const network_graph& graph) {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    most = std::max(most, graph.ports(switch_id{s}));
  }
  return most;
}

template <class Visit>
void for_each_bit(const std::vector<std::uint64_t>& bits, Visit&& visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      visit(
          static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(__builtin_ctzll(rest))));
    }
  }
}

bool any_bit(const std::vector<std::uint64_t>& bits) {
  return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
}

}  // namespace

void channel_network_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  switches.bind(parameters);
  parameters.add("separate_lanes", separate_lanes,
                 "Whether each lane has virtual channels of its own.");
  parameters.add("source_messages", source_messages, u32{1, 1024}, "messages",
                 "Messages of a lane at the link of a host, one of which is being sent.");
  parameters.add("deadlock_check_cycles", deadlock_check_cycles, u32{0, 1U << 30U}, "cycles",
                 "How often the network looks for packets that wait for each other in a circle; 0: "
                 "never.");
}

// --- construction --------------------------------------------------------------------------------

channel_network::channel_network(const message_network_config& links,
                                 const channel_network_config& config,
                                 std::shared_ptr<const network_graph> graph,
                                 const routing_table& table)
    : channel_network(links, config, std::move(graph), table, nullptr) {}

channel_network::channel_network(const message_network_config& links,
                                 const channel_network_config& config,
                                 std::shared_ptr<const network_graph> graph,
                                 const adaptive_table& table)
    : channel_network(links, config, std::move(graph), table.escape(), &table) {}

channel_network::channel_network(const message_network_config& links,
                                 const channel_network_config& config,
                                 std::shared_ptr<const network_graph> graph,
                                 const routing_table& escape, const adaptive_table* adaptive)
    : message_network(checked_channel_links(links, config, graph.get(), escape), graph->hosts()),
      graph_(std::move(graph)),
      settings_(config),
      plan_(needs_of(links, config, escape, adaptive != nullptr)),
      scratch_(most_ports_of(*graph_), plan_.channels()),
      enabled_(graph_->switches(), 1),
      replaced_(graph_->switches()),
      held_hosts_(graph_->switches()),
      active_((graph_->switches() + 63) / 64),
      busy_sources_((graph_->hosts() + 63) / 64),
      sources_(graph_->hosts()),
      streams_(graph_->hosts()),
      early_(graph_->hosts()),
      held_(std::size_t{nodes()} * links.lanes) {
  settings_.switches.arbiter = links.arbiter;
  make_wires();
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    std::vector<bool> hosts;
    for (std::uint32_t port = 0; port < graph_->ports(switch_id{s}); ++port) {
      hosts.push_back(graph_->end({switch_id{s}, port}).use == port_use::host);
    }
    switches_.emplace_back(settings_.switches, plan_, hosts, lanes(), s);
    for (std::uint32_t port = 0; port < hosts.size(); ++port) {
      for (std::uint8_t lane = 0; hosts[port] && lane < lanes(); ++lane) {
        switches_.back().add_places(port, lane, config_.endpoint_buffers);
      }
    }
    routes_.push_back(adaptive == nullptr ? switch_routes(escape, switch_id{s})
                                          : switch_routes(*adaptive, switch_id{s}));
  }
  for (source& each : sources_) {
    each.lanes.resize(lanes());
    each.credits.assign(plan_.channels(), settings_.switches.buffer_flits);
    each.turn.assign(plan_.virtual_networks(), 0);
  }
}

void channel_network::validate(const message_network_config& links,
                               const channel_network_config& config, std::uint32_t hosts) {
  links.validate_for_graph(hosts);
  constexpr std::uint64_t most_flits = 65535;
  const std::uint64_t longest = links.wire_cycles(links.payload_bytes);
  refuse_channel_links(links.broadcast, "network.broadcast",
                       "switches with virtual channels make no copies", "false");
  refuse_channel_links(links.gap_bytes != 0, "network.gap_bytes",
                       "links with virtual channels do not rest behind a message", "0");
  refuse_channel_links(links.endpoint_buffer_bytes != 0, "network.endpoint_buffer_bytes",
                       "hosts count messages, not bytes", "0");
  refuse_channel_links(longest > most_flits, "network.payload_bytes",
                       "the longest message has " + std::to_string(longest) + " flits",
                       "up to " + std::to_string(most_flits));
  config.switches.validate(static_cast<std::uint32_t>(longest));
}

std::uint32_t channel_network::cycles_of_link(std::uint32_t link) const {
  return settings_.link_cycles.empty() ? settings_.switches.link_cycles
                                       : settings_.link_cycles[link];
}

void channel_network::make_wires() {
  const channel_switch_config& switches = settings_.switches;
  std::uint32_t longest = 2;
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    first_port_.push_back(wires_.size());
    for (std::uint32_t port = 0; port < graph_->ports(switch_id{s}); ++port) {
      const port_end& end = graph_->end({switch_id{s}, port});
      wire made;
      made.use = end.use;
      made.other = end.number;
      std::uint32_t cycles = switches.host_link_cycles;
      if (end.use == port_use::link) {
        const switch_port& target = graph_->target(graph_->channel_from({switch_id{s}, port}));
        made.other = index(target.at);
        made.port = static_cast<std::uint8_t>(target.port);
        cycles = cycles_of_link(end.number);
        made.credit_delay = switches.credit_delay(cycles);
      } else {
        // A host knows it a cycle later: what it sends in a cycle leaves in the next.
        made.credit_delay = switches.switch_allocation_cycles + cycles;
      }
      made.flit_delay = switches.flit_delay(cycles);
      longest = std::max({longest, made.flit_delay, made.credit_delay});
      wires_.push_back(made);
    }
  }
  std::size_t slots = 1;
  while (slots <= longest) slots *= 2;
  wheel_.resize(slots);
}

// --- nodes ---------------------------------------------------------------------------------------

bool channel_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  const lane_source& from = sources_[index(node)].lanes[lane];
  // A message that left in this cycle makes room in the next, whoever of node and network comes
  // first in a cycle.
  const std::size_t taken = from.packets.size() + (from.last_removed == now && now != 0 ? 1 : 0);
  return taken < settings_.source_messages && enabled(graph_->switch_of(host_id{index(node)}));
}

cycle_t channel_network::place_at(node_id node, std::uint8_t lane) const {
  const lane_source& from = sources_[index(node)].lanes[lane];
  if (!enabled(graph_->switch_of(host_id{index(node)}))) return never;
  return from.packets.size() < settings_.source_messages ? from.last_removed + 1 : never;
}

cycle_t channel_network::free_at(node_id node) const {
  cycle_t earliest = never;
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    earliest = std::min(earliest, place_at(node, lane));
  }
  return earliest;
}

std::uint32_t channel_network::new_packet() {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  packets_[number] = {};
  return number;
}

void channel_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  const std::uint32_t number = new_packet();
  packet& made = packets_[number];
  made.transfer = transfer;
  made.sent = now;
  made.flits = static_cast<std::uint16_t>(wire_cycles(transfer.bytes));
  made.sequence = stream_of(transfer).sent++;
  const std::uint32_t host = index(transfer.source);
  sources_[host].lanes[transfer.lane].packets.push_back(number);
  set_bit(busy_sources_, host);
}

void channel_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  std::uint32_t& held = held_[place_of(node, lane)];
  if (held == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held;
  // From the next cycle on, whether this one was simulated or not.
  put_credit(static_cast<std::uint32_t>(now + 1 - now_),
             {index(node), 0, lane, credit_kind::packet});
}

// --- time ----------------------------------------------------------------------------------------

cycle_t channel_network::next_wakeup() const {
  if (any_bit(active_) || any_bit(busy_sources_)) return now_ + 1;
  if (events_ == 0) return never;
  for (std::uint32_t delay = 1;; ++delay) {
    const due& then = wheel_[(now_ + delay) & (wheel_.size() - 1)];
    if (!then.flits.empty() || !then.credits.empty()) return now_ + delay;
  }
}

void channel_network::advance_to(cycle_t last) {
  while (now_ < last) {
    const cycle_t next = channel_network::next_wakeup();
    if (next > last) {
      now_ = last;
      return;
    }
    now_ = next;
    step();
  }
}

void channel_network::put_flit(std::uint32_t delay, const flit_event& event) {
  in_cycles(delay).flits.push_back(event);
  ++events_;
}

void channel_network::put_credit(std::uint32_t delay, const credit_event& event) {
  in_cycles(delay).credits.push_back(event);
  ++events_;
}

void channel_network::step() {
  take_due();
  for_each_bit(busy_sources_, [this](std::uint32_t host) { inject(host); });
  for_each_bit(active_, [this](std::uint32_t at) { step_switch(at); });
  const std::uint32_t check = settings_.deadlock_check_cycles;
  if (check != 0 && !deadlocks_allowed_ && now_ % check == 0) check_deadlock();
}

void channel_network::take_due() {
  due& now = wheel_[now_ & (wheel_.size() - 1)];
  events_ -= now.flits.size() + now.credits.size();
  for (const credit_event& each : now.credits) take_credit(each);
  now.credits.clear();
  // What comes to a switch that discards it gives credits, none of them in this cycle.
  for (const flit_event& each : now.flits) take_flit(each);
  now.flits.clear();
}

void channel_network::take_credit(const credit_event& event) {
  if (event.kind == credit_kind::flit) {
    switches_[event.at].add_credit(event.port, event.channel);
  } else if (event.kind == credit_kind::host) {
    ++sources_[event.at].credits[event.channel];
  } else {
    const switch_port& port = graph_->host_port(host_id{event.at});
    switches_[index(port.at)].add_places(port.port, event.channel, 1);
    if (!early_[event.at].empty()) drain_early(event.at);
  }
}

void channel_network::take_flit(const flit_event& event) {
  if (enabled_[event.at] == 0) return eat(event.at, event.port, event.flit);
  switches_[event.at].accept(event.port, event.flit, out_);
  set_bit(active_, event.at);
  if (!out_.credits.empty()) take_output(event.at);
}

void channel_network::step_switch(std::uint32_t at) {
  channel_switch& here = switches_[at];
  here.step(settings_.switches, plan_, routes_[at], at, scratch_, out_);
  take_output(at);
  if (!here.active()) active_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
}

void channel_network::take_output(std::uint32_t at) {
  for (const auto& each : out_.credits) give_credit(at, each.port, each.channel);
  for (const auto& each : out_.flits) pass_flit(at, each);
  for (const channel_flit& each : out_.discarded) {
    packets_[each.packet].lost = true;
    end_part(each.packet);
  }
  out_.clear();
}

void channel_network::give_credit(std::uint32_t at, std::uint32_t port, std::uint32_t channel) {
  const wire& from = wire_of(at, port);
  const bool is_link = from.use == port_use::link;
  put_credit(from.credit_delay, {from.other, from.port, static_cast<std::uint8_t>(channel),
                                 is_link ? credit_kind::flit : credit_kind::host});
}

void channel_network::pass_flit(std::uint32_t at,
                                const channel_switch_output::leaving_flit& leaving) {
  const wire& to = wire_of(at, leaving.port);
  const channel_flit& flit = leaving.flit;
  if (flit.head) {
    packet& of = packets_[flit.packet];
    ++of.crossed;
    of.least += settings_.switches.head_cycles() + to.flit_delay;
    if (to.use == port_use::host) of.head_at = now_ + to.flit_delay;
  }
  if (to.use == port_use::link) {
    put_flit(to.flit_delay, {to.other, to.port, flit});
    return;
  }
  ++delivered_flits_;
  if (flit.tail) tail_arrives(flit.packet, at, leaving.port);
}

void channel_network::check_deadlock() {
  const channel_deadlock search({*graph_, settings_.switches, plan_, switches_, routes_});
  if (!search.found()) return;
  fail(now_, "deadlock: " + std::to_string(search.packets()) +
                 " packets cannot go on, since virtual channels wait for each other in a circle: " +
                 search.circle());
}

/// Flits and credits under way, by input port and channel of the network.
std::vector<std::uint32_t> channel_network::places_on_wires() const {
  std::vector<std::uint32_t> places(wires_.size() * plan_.channels());
  const auto add = [&](std::uint32_t at, std::uint32_t port, std::uint32_t channel) {
    ++places[(first_port_[at] + port) * plan_.channels() + channel];
  };
  for (const due& each : wheel_) {
    for (const flit_event& flit : each.flits) add(flit.at, flit.port, flit.flit.channel);
    for (const credit_event& credit : each.credits) {
      if (credit.kind == credit_kind::host) {
        const switch_port& port = graph_->host_port(host_id{credit.at});
        add(index(port.at), port.port, credit.channel);
      } else if (credit.kind == credit_kind::flit) {
        // It comes by the port by which flits leave for the buffer.
        const wire& to = wire_of(credit.at, credit.port);
        add(to.other, to.port, credit.channel);
      }
    }
  }
  return places;
}

std::uint32_t channel_network::free_places_behind(std::uint32_t at, std::uint32_t port,
                                                  std::uint32_t channel) const {
  const wire& from = wire_of(at, port);
  return from.use == port_use::host ? sources_[from.other].credits[channel]
                                    : switches_[from.other].credits(from.port, channel);
}

void channel_network::check_credits() const {
  const std::vector<std::uint32_t> under_way = places_on_wires();
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    for (std::uint32_t port = 0; port < graph_->ports(switch_id{s}); ++port) {
      if (wire_of(s, port).use == port_use::open) continue;
      for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) {
        const std::uint32_t all = under_way[(first_port_[s] + port) * plan_.channels() + channel] +
                                  switches_[s].flits_in(port, channel) +
                                  free_places_behind(s, port, channel);
        if (all == settings_.switches.buffer_flits) continue;
        fail(now_, "of " + std::to_string(settings_.switches.buffer_flits) +
                       " places behind virtual channel " + std::to_string(channel) + " of port " +
                       std::to_string(port) + " of switch " + graph_->switch_name(switch_id{s}) +
                       ", " + std::to_string(all) + " are accounted for");
      }
    }
  }
}

// --- hosts that send -----------------------------------------------------------------------------

void channel_network::inject(std::uint32_t host) {
  source& from = sources_[host];
  bool empty = true;
  for (std::uint32_t i = 0; i < lanes(); ++i) {
    const std::uint32_t which = (from.lane_turn + i) % lanes();
    lane_source& lane = from.lanes[which];
    if (lane.packets.empty()) continue;
    empty = false;
    const std::uint32_t number = lane.packets.front();
    if (packets_[number].sent >= now_) continue;
    if (!lane.has_channel && holds_hosts(graph_->switch_of(host_id{host}))) continue;
    if (!lane.has_channel && !take_channel(from, lane, number)) continue;
    if (from.credits[lane.channel] == 0) continue;
    from.lane_turn = (which + 1) % lanes();
    inject_flit(host, static_cast<std::uint8_t>(which));
    return;
  }
  if (empty) busy_sources_[host / 64] &= ~(std::uint64_t{1} << (host % 64));
}

bool channel_network::take_channel(source& from, lane_source& lane, std::uint32_t number) {
  const packet& of = packets_[number];
  const std::uint32_t network = plan_.network_of(of.transfer.lane);
  const channel_plan::mask_t free = plan_.of_network(network) & ~from.used;
  const bool whole = settings_.switches.switching == flit_switching::cut_through;
  const std::uint32_t needed = whole ? of.flits : 1;
  for (std::uint32_t i = 1; i <= plan_.channels(); ++i) {
    const std::uint32_t channel = (from.turn[network] + i) % plan_.channels();
    if ((free >> channel & 1U) == 0 || from.credits[channel] < needed) continue;
    from.turn[network] = static_cast<std::uint8_t>(channel);
    from.used |= 1U << channel;
    lane.channel = static_cast<std::uint8_t>(channel);
    lane.has_channel = true;
    return true;
  }
  return false;
}

void channel_network::inject_flit(std::uint32_t host, std::uint8_t which) {
  source& from = sources_[host];
  lane_source& lane = from.lanes[which];
  const std::uint32_t number = lane.packets.front();
  packet& of = packets_[number];
  const host_id receiver{index(of.transfer.destination)};
  const switch_port& port = graph_->host_port(host_id{host});
  const std::uint32_t link = settings_.switches.host_link_cycles;
  channel_flit flit;
  flit.packet = number;
  flit.head = lane.flits == 0;
  flit.tail = ++lane.flits == of.flits;
  if (flit.head) {
    // It left in the cycle before, in which its host could send it.
    of.entered = now_ - 1;
    of.least = link;
    flit.age = sent_++;
  }
  flit.destination = static_cast<std::uint16_t>(index(graph_->switch_of(receiver)));
  flit.flits = of.flits;
  flit.host_port = static_cast<std::uint8_t>(graph_->host_port(receiver).port);
  flit.lane = which;
  flit.channel = lane.channel;
  --from.credits[lane.channel];
  const flit_event event{index(port.at), static_cast<std::uint8_t>(port.port), flit};
  if (link == 1) {
    take_flit(event);
  } else {
    put_flit(link - 1, event);
  }
  if (!flit.tail) return;
  from.used &= ~(1U << lane.channel);
  lane.packets.erase(lane.packets.begin());
  lane.flits = 0;
  lane.has_channel = false;
  lane.last_removed = now_;
  network_endpoint* const node = endpoint(node_id{host});
  if (node != nullptr) node->room(which, now_ + 1);
}

// --- hosts that receive --------------------------------------------------------------------------

channel_network::stream& channel_network::stream_of(const network_transfer& transfer) {
  std::vector<stream>& of = streams_[index(transfer.destination)];
  if (of.empty()) of.resize(std::size_t{nodes()} * lanes());
  return of[stream_number(transfer)];
}

void channel_network::tail_arrives(std::uint32_t number, std::uint32_t at, std::uint32_t port) {
  packet& of = packets_[number];
  const std::uint8_t lane = of.transfer.lane;
  if (of.lost) {
    switches_[at].add_places(port, lane, 1);
    return end_part(number);
  }
  packet_latency_.add(now_ + wire_of(at, port).flit_delay - of.entered);
  switches_crossed_.add(of.crossed);
  const stream& in = stream_of(of.transfer);
  if (in.expected == of.sequence && early_[index(of.transfer.destination)].empty()) {
    ++stream_of(of.transfer).expected;
    hand_over(number);
    return;
  }
  // What waits for others needs no place in the host, or those others could not come.
  switches_[at].add_places(port, lane, 1);
  settle_order(of.transfer, of.sequence, number);
}

void channel_network::settle_order(const network_transfer& transfer, std::uint32_t sequence,
                                   std::uint32_t number) {
  const std::uint32_t node = index(transfer.destination);
  early_[node].push_back({stream_number(transfer), sequence, number, now_});
  drain_early(node);
}

bool channel_network::may_pass(const early_message& each, const stream& of,
                               std::uint32_t node) const {
  if (each.sequence - of.expected > config_.reorder_window) return false;
  if (each.packet == none) return each.sequence == of.expected;
  const switch_port& port = graph_->host_port(host_id{node});
  return switches_[index(port.at)].places(port.port, packets_[each.packet].transfer.lane) != 0;
}

void channel_network::drain_early(std::uint32_t node) {
  std::vector<early_message>& all = early_[node];
  const switch_port& port = graph_->host_port(host_id{node});
  for (std::size_t i = 0; i < all.size();) {
    early_message& each = all[i];
    stream& of = streams_[node][each.stream];
    if (!may_pass(each, of, node)) {
      ++i;
      continue;
    }
    if (each.packet != none) {
      const std::uint32_t number = std::exchange(each.packet, none);
      held_for_order_.add(now_ - each.since);
      switches_[index(port.at)].take_place(port.port, packets_[number].transfer.lane);
      hand_over(number);
    }
    if (each.sequence == of.expected) {
      ++of.expected;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
  }
}

void channel_network::hand_over(std::uint32_t number) {
  const packet of = packets_[number];
  const network_transfer& transfer = of.transfer;
  free_packet(number);
  const std::uint32_t node = index(transfer.destination);
  const switch_port& port = graph_->host_port(host_id{node});
  const cycle_t delay = wire_of(index(port.at), port.port).flit_delay;
  const cycle_t latency = of.head_at - of.sent;
  count_delivery(transfer, latency, latency - of.least);
  note_delivery(transfer, of.sent, now_ + delay);
  ++held_[place_of(transfer.destination, transfer.lane)];
  network_endpoint* const to = endpoint(transfer.destination);
  if (to == nullptr) return deliver(transfer, now_, now_);
  // The tail is there `delay` cycles from now, and the head before it, but not before it is told.
  const cycle_t behind_tail = now_ + delay + 1;
  const cycle_t head = behind_tail > now_ + 1 + of.flits ? behind_tail - of.flits : now_ + 1;
  to->arrive(transfer, head, behind_tail);
}

// --- changes -------------------------------------------------------------------------------------

void channel_network::use_routes(switch_id at, switch_routes routes) {
  if (!routes.fits(graph_->ports(at), graph_->switches(), plan_.classes(), plan_.adaptive())) {
    throw configuration_error(
        {"network.routing", "",
         "a table for switch " + graph_->switch_name(at) + " is of another switch or routing",
         std::to_string(graph_->ports(at)) + " ports, " + std::to_string(graph_->switches()) +
             " switches, " + std::to_string(plan_.classes()) + " virtual channels" +
             (plan_.adaptive() ? ", with minimal ports" : ""),
         "compute it for this switch, with the routing of the beginning"});
  }
  if (replaced_[index(at)] == 0) first_routes_[index(at)] = std::move(routes_[index(at)]);
  routes_[index(at)] = std::move(routes);
  replaced_[index(at)] = 1;
}

void channel_network::clear_routes(switch_id at) {
  switch_route_rules rules;
  rules.ports = graph_->ports(at);
  rules.switches = graph_->switches();
  rules.classes = plan_.classes();
  rules.ways_on = [](std::uint32_t, switch_id, std::vector<route_hop>&) {};
  if (plan_.adaptive()) rules.minimal_ports = [](switch_id, std::vector<std::uint8_t>&) {};
  use_routes(at, switch_routes(rules));
}

void channel_network::eat(std::uint32_t at, std::uint32_t port, const channel_flit& flit) {
  give_credit(at, port, flit.channel);
  if (!flit.tail) return;
  packets_[flit.packet].lost = true;
  end_part(flit.packet);
}

void channel_network::end_part(std::uint32_t number) {
  packet& of = packets_[number];
  if (--of.parts != 0) return;
  const network_transfer transfer = of.transfer;
  const std::uint32_t sequence = of.sequence;
  free_packet(number);
  settle_order(transfer, sequence, none);
  tell_discard(transfer);
}

void channel_network::tell_discard(const network_transfer& message) {
  ++discards_;
  note_discard(message);
  if (notice_) notice_(message, now_);
}

void channel_network::disable(switch_id which) {
  const std::uint32_t at = index(which);
  if (enabled_[at] == 0) return;
  enabled_[at] = 0;
  end_beyond(at);
  drop_sources(at);
  drop_contents(at);
}

void channel_network::discard_contents(switch_id at) {
  // A packet that passes the switch twice ends beyond it as well: not in it.
  const std::uint8_t was = std::exchange(enabled_[index(at)], std::uint8_t{0});
  end_beyond(index(at));
  enabled_[index(at)] = was;
  drop_contents(index(at));
}

void channel_network::discard_waiting(switch_port at, std::uint32_t channel) {
  switches_[index(at.at)].discard_waiting(at.port, channel, out_);
  take_output(index(at.at));
}

/// Packets that have left a switch in part end there.
void channel_network::end_beyond(std::uint32_t at) {
  channel_switch& here = switches_[at];
  for (std::uint32_t port = 0; port < graph_->ports(switch_id{at}); ++port) {
    for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) {
      if (here.use_of(port, channel) != channel_switch::input_use::active) continue;
      if (here.flits_in(port, channel) != 0 && here.flit_in(port, channel, 0).head) {
        // It has a channel, and nothing of it has left.
        const route_hop out = here.output_of(port, channel);
        if (wire_of(at, out.port).use == port_use::host) {
          here.add_places(out.port, here.flit_in(port, channel, 0).lane, 1);
        }
        continue;
      }
      const route_hop out = here.output_of(port, channel);
      end_downstream(at, out.port, out.virtual_channel, here.packet_at(port, channel));
    }
  }
}

void channel_network::drop_contents(std::uint32_t at) {
  std::vector<channel_flit> flits;
  switches_[at].clear(flits, out_);
  take_output(at);
  for (const channel_flit& each : flits) {
    if (!each.tail) continue;
    packets_[each.packet].lost = true;
    end_part(each.packet);
  }
}

/// What of a packet has left by an output channel gets an end, or nothing has left it.
void channel_network::end_downstream(std::uint32_t at, std::uint32_t port, std::uint32_t channel,
                                     std::uint32_t number) {
  packet& of = packets_[number];
  of.lost = true;
  const wire& to = wire_of(at, port);
  if (to.use == port_use::host) {
    switches_[at].add_places(port, of.transfer.lane, 1);
    return;
  }
  // First, since what is on its way may come to a switch that is on again by then, or behind the
  // end of another packet.
  if (cut_on_wire({switch_id{to.other}, to.port}, channel, number)) {
    ++of.parts;
    return;
  }
  if (enabled_[to.other] == 0) return;
  channel_switch& next = switches_[to.other];
  if (next.use_of(to.port, channel) == channel_switch::input_use::discarding) {
    return next.end_discarding(to.port, channel);
  }
  bool is_there = next.use_of(to.port, channel) == channel_switch::input_use::active &&
                  next.packet_at(to.port, channel) == number;
  for (std::uint32_t i = 0; i < next.flits_in(to.port, channel); ++i) {
    is_there = is_there || next.flit_in(to.port, channel, i).packet == number;
  }
  // Otherwise the next switch has lost what it had of the packet.
  if (!is_there) return;
  const route_hop out = next.output_of(to.port, channel);
  if (next.truncate(to.port, channel, number)) {
    ++of.parts;
    return;
  }
  end_downstream(to.other, out.port, out.virtual_channel, number);
}

/// Makes the last flit of a packet on its way to a port the tail; false if there is none. A packet
/// that misroutes may come by several channels of a port.
bool channel_network::cut_on_wire(switch_port to, std::uint32_t channel, std::uint32_t number) {
  for (auto delay = static_cast<std::uint32_t>(wheel_.size()); delay-- != 0;) {
    for (flit_event& each : in_cycles(delay).flits) {
      if (each.at != index(to.at) || each.port != to.port) continue;
      if (each.flit.channel != channel || each.flit.packet != number) continue;
      each.flit.tail = true;
      return true;
    }
  }
  return false;
}

void channel_network::drop_sources(std::uint32_t at) {
  for (std::uint32_t host = 0; host < nodes(); ++host) {
    if (index(graph_->switch_of(host_id{host})) != at) continue;
    source& from = sources_[host];
    for (lane_source& lane : from.lanes) {
      for (const std::uint32_t number : lane.packets) {
        packets_[number].lost = true;
        const bool begun = lane.flits != 0 && number == lane.packets.front();
        if (begun && cut_on_wire(graph_->host_port(host_id{host}), lane.channel, number)) continue;
        end_part(number);
      }
      lane.packets.clear();
      lane.flits = 0;
      lane.has_channel = false;
    }
    from.used = 0;
  }
}

void channel_network::enable(switch_id at) {
  if (enabled(at)) return;
  enabled_[index(at)] = 1;
  for (std::uint32_t host = 0; host < nodes(); ++host) {
    if (graph_->switch_of(host_id{host}) != at || endpoint(node_id{host}) == nullptr) continue;
    for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
      endpoint(node_id{host})->room(lane, now_ + 1);
    }
  }
}

cycle_t channel_network::send_control(switch_port by, std::uint32_t flits, cycle_t now) {
  const std::uint32_t at = index(by.at);
  const std::uint32_t waits = switches_[at].hold(by.port, flits);
  set_bit(active_, at);
  return now + waits + flits + wire_of(at, by.port).flit_delay;
}

// --- what was measured ---------------------------------------------------------------------------

std::vector<network_transfer> channel_network::waiting() const {
  std::vector<network_transfer> all;
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    for (std::uint32_t port = 0; port < graph_->ports(switch_id{s}); ++port) {
      for (std::uint32_t channel = 0; channel < plan_.channels(); ++channel) {
        if (switches_[s].use_of(port, channel) != channel_switch::input_use::waiting) continue;
        const std::uint32_t number = switches_[s].flit_in(port, channel, 0).packet;
        all.push_back(packets_[number].transfer);
      }
    }
  }
  return all;
}

channel_switch_counts channel_network::counts() const {
  channel_switch_counts all;
  for (const channel_switch& each : switches_) all += each.counts();
  return all;
}

double channel_network::utilisation(std::uint32_t channel) const {
  const cycle_t elapsed = now_ - statistics_since_;
  if (elapsed == 0) return 0;
  const switch_port& from = graph_->source(channel);
  std::uint64_t flits = 0;
  for (std::uint32_t v = 0; v < plan_.channels(); ++v) {
    flits += switches_[index(from.at)].flits_by(from.port, v);
  }
  return static_cast<double>(flits) / static_cast<double>(elapsed);
}

void channel_network::reset_statistics() {
  statistics_since_ = now_;
  for (channel_switch& each : switches_) each.reset_statistics();
  by_lane_.assign(lanes(), {});
  reset_all(packet_latency_, switches_crossed_, held_for_order_, delivered_flits_, discards_);
}

void channel_network::report(statistics_group& group, std::uint64_t) const {
  report_lanes(group);
  group.add("switches", switches_crossed_, "switches", "That a message crossed.");
  group.add("packet_latency", packet_latency_, "cycles",
            "From a head's first link to the last flit at the receiver.");
  group.add("held_for_order", held_for_order_, "cycles",
            "Messages that came before an earlier one, and how long they waited at the receiver.");
  group.add("discards", discards_, "messages", "Messages that were discarded.");
  const channel_switch_counts all = counts();
  group.add("head_waits", all.waited, "cycles", "Cycles that heads asked in vain for a channel.");
  group.add("heads", all.heads, "heads", "Heads that were given a channel.");
  group.add("stalls", all.stalled, "cycles", "Cycles that channels with flits had no credit.");
  if (plan_.adaptive()) {
    group.add("adaptive_hops", all.adaptive, "hops", "Links taken by adaptive channels.");
    group.add("escape_hops", all.escapes, "hops", "Links taken by escape channels.");
    group.add("misroutes", all.misroutes, "hops", "Of these, those that brought no nearer.");
  }
  report_utilisation(group);
}

void channel_network::report_utilisation(statistics_group& group) const {
  if (graph_->channels() == 0) return;
  std::vector<double> parts;
  for (std::uint32_t c = 0; c < graph_->channels(); ++c) parts.push_back(utilisation(c));
  const auto [least, greatest] = std::minmax_element(parts.begin(), parts.end());
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  const std::string part = "Part of the time that a link between switches was busy: ";
  statistics_group& links = group.group("utilisation.hop");
  links.add("min", *least, "1", part + "the least used.");
  links.add("mean", sum / static_cast<double>(parts.size()), "1", part + "mean.");
  links.add("max", *greatest, "1", part + "the most used.");
  for (std::uint32_t v = 0; v < plan_.channels(); ++v) {
    std::uint64_t flits = 0;
    for (std::uint32_t c = 0; c < graph_->channels(); ++c) {
      const switch_port& from = graph_->source(c);
      flits += switches_[index(from.at)].flits_by(from.port, v);
    }
    group.group("channel." + std::to_string(v))
        .add("flits", flits, "flits", "By this virtual channel of links between switches.");
  }
}

// --- states --------------------------------------------------------------------------------------

std::string channel_network::save() const {
  std::vector<switch_routes> routes;
  for (std::size_t s = 0; s < routes_.size(); ++s) {
    if (replaced_[s] != 0) routes.push_back(routes_[s]);
  }
  return save_state(save_state(*this), routes);
}

void channel_network::restore(const std::string& state) {
  const std::size_t wheel = wheel_.size();
  const std::size_t held = held_.size();
  const std::size_t switches = switches_.size();
  std::string own;
  std::vector<switch_routes> routes;
  restore_state(state, own, routes);
  for (auto& [at, first] : first_routes_) routes_[at] = std::move(first);
  first_routes_.clear();
  restore_state(own, *this);
  require_state(wheel_.size() == wheel && held_.size() == held && switches_.size() == switches,
                "the network has another shape");
  std::size_t next = 0;
  for (std::size_t s = 0; s < routes_.size(); ++s) {
    if (replaced_[s] == 0) continue;
    require_state(next < routes.size(), "the table of a switch is missing");
    replaced_[s] = 0;
    use_routes(switch_id{static_cast<std::uint32_t>(s)}, routes[next++]);
  }
}

}  // namespace tributary
