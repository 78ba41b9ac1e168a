// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/routed_network.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: a link that may have become free, or else a message whose head is at a router.
constexpr std::uint64_t of_link = std::uint64_t{1} << 32U;

void check_graph(const message_network_config& config, const network_graph* graph,
                 const routing_table& table) {
  require_table_of(graph, table);
  config.validate_for_graph(graph->hosts());
}

}  // namespace

routed_network::routed_network(const message_network_config& config, std::uint32_t nodes)
    : routed_network((config.validate(nodes), config), nodes,
                     topology(config.topology, nodes, config.columns, config.nodes_per_router),
                     nullptr, nullptr) {}

routed_network::routed_network(const message_network_config& config,
                               std::shared_ptr<const network_graph> graph, routing_table table)
    : routed_network((check_graph(config, graph.get(), table), config), graph->hosts(),
                     topology(*graph), make_routing(std::move(table)), graph) {}

routed_network::routed_network(const message_network_config& config, std::uint32_t nodes,
                               topology shape, std::unique_ptr<routing> ways,
                               std::shared_ptr<const network_graph> graph)
    : message_network(config, nodes),
      graph_(std::move(graph)),
      shape_(std::move(shape)),
      routing_(ways ? std::move(ways) : make_routing(config.routing, shape_)),
      held_(std::size_t{nodes} * config.lanes) {
  agenda_.enroll(*this);
  const auto add_link = [&](link_kind kind, node_id from, node_id to, std::uint32_t input,
                            std::uint32_t phase) {
    const bool to_node = kind == link_kind::ejection;
    links_.push_back(
        {kind, from, to, input, phase,
         places_.add(config.lanes, to_node ? config.endpoint_buffers : config.router_buffers,
                     to_node ? config.endpoint_buffer_bytes : config.router_buffer_bytes)});
  };
  inputs_.resize(shape_.routers());
  watched_.nodes = nodes;
  const auto new_input = [&](node_id router, switch_port port) {
    std::uint32_t& inputs = inputs_[index(router)];
    if (graph_ == nullptr) return inputs++;
    inputs = graph_->ports(port.at);
    return port.port;
  };
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const node_id router = shape_.router_of(node_id{n});
    const switch_port port = graph_ == nullptr ? switch_port{} : graph_->host_port(host_id{n});
    add_link(link_kind::injection, node_id{n}, router, new_input(router, port), 0);
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_link(link_kind::ejection, shape_.router_of(node_id{n}), node_id{n}, 0, 0);
  }
  for (std::uint32_t r = 0; r < shape_.routers(); ++r) {
    first_hop_.push_back(static_cast<std::uint32_t>(links_.size()));
    const std::vector<node_id>& to = shape_.neighbours(node_id{r});
    watched_.of_router.push_back(static_cast<std::uint32_t>(to.size()));
    for (std::uint32_t port = 0; port < to.size(); ++port) {
      const switch_port far = graph_ == nullptr
                                  ? switch_port{}
                                  : graph_->target(graph_->neighbours(switch_id{r})[port].channel);
      add_link(link_kind::hop, node_id{r}, to[port], new_input(to[port], far),
               routing_->phase_after(node_id{r}, port));
    }
  }
  if (graph_ != nullptr && config.broadcast) make_trees();
  if (config.endpoint_buffer_bytes != 0) held_bytes_.resize(held_.size());
  if (config.reorder_window == 0) return;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    draws_.emplace_back(config.reorder_seed, n, purpose::overtaking);
  }
}

cycle_t routed_network::least_latency(const message_network_config& config, std::uint64_t hops,
                                      std::uint32_t bytes) {
  return config.base_latency + hops * config.hop_latency +
         (hops + 1) * kept(config, config.wire_cycles(bytes));
}

void routed_network::make_trees() {
  trees_.resize(shape_.routers());
  for (std::uint32_t from = 0; from < shape_.routers(); ++from) {
    if (shape_.nodes_at(node_id{from}).empty()) continue;
    std::vector<std::uint32_t> entered_by(shape_.routers(), none);
    trees_[from].resize(links_.size());
    for (std::uint32_t to = 0; to < shape_.routers(); ++to) {
      if (!shape_.nodes_at(node_id{to}).empty()) add_way(node_id{from}, node_id{to}, entered_by);
    }
  }
}

void routed_network::add_way(node_id from, node_id to, std::vector<std::uint32_t>& entered_by) {
  std::uint32_t phase = 0;
  for (node_id here = from; here != to;) {
    const std::uint32_t over = first_hop_[index(here)] + routing_->port_towards(here, phase, to);
    here = links_[over].to;
    phase = links_[over].phase;
    trees_[index(from)][over] = true;
    std::uint32_t& other = entered_by[index(here)];
    if (other != over && other != none) {
      throw configuration_error(
          {"network.broadcast", "",
           "the ways from " + graph_->switch_name(switch_id{index(from)}) +
               " are no tree, so copies could wait for each other in a circle",
           "a graph without circles, as a star, or routes dimension by dimension",
           "leave it out, or choose another graph or routing"});
    }
    other = over;
  }
}

std::uint32_t routed_network::hops(node_id from, node_id to) const {
  std::uint32_t count = 0;
  std::uint32_t over = index(from);
  const node_id last = shape_.router_of(to);
  while (links_[over].to != last) {
    const link& in = links_[over];
    over = first_hop_[index(in.to)] + routing_->port_towards(in.to, in.phase, last);
    ++count;
  }
  return count;
}

bool routed_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  const link& out = links_[index(node)];
  return out.free_at <= now && fits(out, lane, config_.longest(), now);
}

void routed_network::occupy(link& edge, const flying_message& with, cycle_t now) {
  const cycle_t tail = now + with.wire;
  edge.free_at = tail + gap_;
  edge.busy_cycles += with.wire + gap_;
  const std::uint8_t lane = with.transfer.lane;
  if (!places_.take(edge.behind, lane, config_.buffer_bytes(with.transfer.bytes), now)) {
    fail(now, "no buffer for " + lane_of_node(edge.to, lane) + " was reserved");
  }
  if (!watched_.observers.empty()) {
    const auto number = static_cast<std::uint32_t>(&edge - links_.data());
    watched_.observers.notify({now, tail, edge.kind, edge.from, edge.to, number, with.transfer});
  }
}

void routed_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  const std::uint32_t number = new_message();
  ++under_way_;
  flying_message& message = messages_[number];
  message.transfer = transfer;
  if (transfer.everyone) {
    message.transfer.destination = transfer.source;
    message.in_all = new_copies(copies());
  }
  if (!draws_.empty()) {
    message.draw = draws_[index(transfer.source)].next_u64();
    message.until = 0;
    message.overtaken = 0;
  }
  message.sent = now;
  message.wire = wire_cycles(transfer.bytes);
  message.hops = 0;
  message.over = index(transfer.source);
  occupy(links_[message.over], message, now);
  agenda_.wake(*this, now + config_.base_latency / 2 + kept(message.wire), number,
               wake_rank::arrival);
}

std::uint32_t routed_network::new_message() {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  return number;
}

std::uint32_t routed_network::new_copies(std::uint32_t count) {
  if (unused_copies_.empty()) {
    unused_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const std::uint32_t group = unused_copies_.back();
  unused_copies_.pop_back();
  copies_[group] = {count, 0};
  return group;
}

bool routed_network::leave_group(std::uint32_t group) {
  if (--copies_[group].left != 0) return false;
  unused_copies_.push_back(group);
  return true;
}

void routed_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  if (held(node, lane) == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held(node, lane);
  std::uint64_t bytes = 0;
  if (!held_bytes_.empty()) {
    fifo<std::uint64_t>& lengths = held_bytes_[place_of(node, lane)];
    bytes = lengths.front();
    lengths.pop();
  }
  const std::uint32_t number = ejection(node);
  places_.free(links_[number].behind, lane, bytes, now + 1);
  if (!links_[number].waiting.empty()) wake_link(number, now + 1);
}

void routed_network::wake(cycle_t now, std::uint64_t wakeup) {
  const auto number = static_cast<std::uint32_t>(wakeup);
  if ((wakeup & of_link) != 0) {
    look_at_link(number, now);
  } else {
    head_at_router(number, now);
  }
}

void routed_network::wake_link(std::uint32_t number, cycle_t at) {
  link& edge = links_[number];
  if (edge.wake_at <= at) return;
  edge.wake_at = at;
  agenda_.wake(*this, at, of_link | number, wake_rank::inside);
}

void routed_network::head_at_router(std::uint32_t message, cycle_t now) {
  flying_message& head = messages_[message];
  const link& in = links_[head.over];
  head.input = in.input;
  if (head.transfer.everyone) {
    spread(message, now);
    return;
  }
  const node_id destination = head.transfer.destination;
  const node_id last = shape_.router_of(destination);
  const std::uint32_t out =
      in.to == last ? ejection(destination)
                    : first_hop_[index(in.to)] + routing_->port_towards(in.to, in.phase, last);
  wait_for(out, message, now);
}

void routed_network::wait_for(std::uint32_t out, std::uint32_t message, cycle_t now) {
  link& edge = links_[out];
  flying_message& waits = messages_[message];
  if (edge.kind == link_kind::ejection && !draws_.empty()) draw_overtaking(waits, now);
  if (edge.newest_at != now) {
    edge.newest_at = now;
    edge.newest = 0;
  }
  // Whichever of two neighbours ran first in a cycle must not matter.
  const auto place =
      std::find_if(edge.waiting.end() - edge.newest, edge.waiting.end(),
                   [&](std::uint32_t each) { return messages_[each].input > waits.input; });
  edge.waiting.insert(place, message);
  ++edge.newest;
  wake_link(out, std::max(now, edge.free_at));
}

/// Each copy of a message for everyone has a number of its own, whatever came before it elsewhere.
void routed_network::draw_overtaking(flying_message& message, cycle_t now) const {
  const network_transfer& what = message.transfer;
  random_stream draw(message.draw, index(what.destination), purpose::overtaking);
  message.lets_pass = static_cast<std::uint32_t>(draw.below(config_.reorder_window + 1U));
  // Others may not come: as long as so many round trips at most.
  message.until = now + 2 * least_latency(message) * message.lets_pass;
}

void routed_network::spread(std::uint32_t message, cycle_t now) {
  const std::vector<std::uint32_t> out = branches(messages_[message]);
  messages_[message].at_router = new_copies(static_cast<std::uint32_t>(out.size()));
  for (const std::uint32_t number : out) {
    // The last copy is the message itself.
    std::uint32_t copy = message;
    if (number != out.back()) {
      copy = new_message();
      messages_[copy] = messages_[message];
    }
    const link& edge = links_[number];
    if (edge.kind == link_kind::ejection) messages_[copy].transfer.destination = edge.to;
    wait_for(number, copy, now);
  }
}

std::vector<std::uint32_t> routed_network::branches(const flying_message& message) const {
  const node_id here = links_[message.over].to;
  const node_id source = message.transfer.source;
  std::vector<std::uint32_t> out;
  for (std::uint32_t port = 0; port < shape_.neighbours(here).size(); ++port) {
    const std::uint32_t number = first_hop_[index(here)] + port;
    const node_id from = shape_.router_of(source);
    // Where there is no graph, each router has nodes.
    const bool is_needed = graph_ == nullptr ? is_branch(shape_, *routing_, from, here, port)
                                             : trees_[index(from)][number];
    if (is_needed) out.push_back(number);
  }
  for (const node_id each : shape_.nodes_at(here)) {
    if (config_.broadcast_self || each != source) out.push_back(ejection(each));
  }
  return out;
}

void routed_network::look_at_link(std::uint32_t number, cycle_t now) {
  link& out = links_[number];
  if (out.wake_at > now) return;  // asked for again, later or earlier, since
  out.wake_at = never;
  if (out.waiting.empty()) return;
  if (out.free_at > now) {
    wake_link(number, out.free_at);
    return;
  }
  const std::optional<std::size_t> next = whose_turn(out, now);
  if (!next) {
    wake_when_one_may_cross(number, now);
    return;
  }
  const std::uint32_t message = out.waiting[*next];
  if (!draws_.empty() && out.kind == link_kind::ejection) count_overtaken(out, *next);
  out.waiting.erase(out.waiting.begin() + static_cast<std::ptrdiff_t>(*next));
  const std::uint8_t lane = messages_[message].transfer.lane;
  out.next_lane = (lane + 1U) % lanes();
  out.next_input[lane] = (messages_[message].input + 1) % inputs_[index(out.from)];
  cross(number, message, now);
  if (!out.waiting.empty()) wake_link(number, out.free_at);
}

std::optional<std::size_t> routed_network::whose_turn(const link& out, cycle_t now) const {
  const auto has_room = [&](std::size_t i) {
    const std::uint32_t message = out.waiting[i];
    return fits(out, messages_[message].transfer.lane, buffer_bytes(message), now);
  };
  if (out.waiting.size() == 1) {
    const bool may_go = !keeps_back(out, 0, now) && has_room(0);
    return may_go ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (config_.arbiter == arbiter_kind::oldest_first) return oldest(out, now);
  const std::uint32_t inputs = inputs_[index(out.from)];
  std::array<std::optional<std::size_t>, most_network_lanes> next;
  std::array<std::uint32_t, most_network_lanes> least{};
  least.fill(std::numeric_limits<std::uint32_t>::max());
  for (std::size_t i = 0; i < out.waiting.size(); ++i) {
    const flying_message& each = messages_[out.waiting[i]];
    const std::uint8_t lane = each.transfer.lane;
    const std::uint32_t before = (each.input + inputs - out.next_input[lane]) % inputs;
    // Of equals the first, which is the oldest.
    if (before >= least[lane] || keeps_back(out, i, now)) continue;
    least[lane] = before;
    next[lane] = i;
  }
  for (std::uint32_t i = 0; i < lanes(); ++i) {
    const std::optional<std::size_t> best = next[(out.next_lane + i) % lanes()];
    if (best && has_room(*best)) return best;
  }
  return std::nullopt;
}

std::optional<std::size_t> routed_network::oldest(const link& out, cycle_t now) const {
  std::array<bool, most_network_lanes> stands{};
  for (std::size_t i = 0; i < out.waiting.size(); ++i) {
    const std::uint32_t message = out.waiting[i];
    const std::uint8_t lane = messages_[message].transfer.lane;
    if (stands[lane] || keeps_back(out, i, now)) continue;
    if (fits(out, lane, buffer_bytes(message), now)) return i;
    stands[lane] = true;
  }
  return std::nullopt;
}

bool routed_network::keeps_back(const link& out, std::size_t i, cycle_t now) const {
  if (draws_.empty() || out.kind != link_kind::ejection) return false;
  const flying_message& next = messages_[out.waiting[i]];
  if (next.overtaken < next.lets_pass && next.until > now) return true;
  std::uint32_t older = 0;
  for (std::size_t k = 0; k < i; ++k) {
    const flying_message& each = messages_[out.waiting[k]];
    if (!same_stream(each, next)) continue;
    if (++older > config_.reorder_window || each.overtaken >= config_.reorder_window) return true;
  }
  return false;
}

void routed_network::count_overtaken(const link& out, std::size_t by) {
  const flying_message& first = messages_[out.waiting[by]];
  for (std::size_t i = 0; i < by; ++i) {
    flying_message& each = messages_[out.waiting[i]];
    if (!same_stream(each, first)) continue;
    ++each.overtaken;
    ++overtakings_;
  }
}

void routed_network::wake_when_one_may_cross(std::uint32_t number, cycle_t now) {
  const link& out = links_[number];
  std::array<bool, most_network_lanes> waits{};
  cycle_t earliest = never;
  for (const std::uint32_t message : out.waiting) {
    const flying_message& each = messages_[message];
    waits[each.transfer.lane] = true;
    if (each.until > now) earliest = std::min(earliest, each.until);
  }
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    if (waits[lane]) earliest = std::min(earliest, places_.next_empty(out.behind, lane, now));
  }
  if (earliest != never) wake_link(number, earliest);
}

void routed_network::cross(std::uint32_t number, std::uint32_t message, cycle_t now) {
  link& out = links_[number];
  const std::uint32_t came_by = messages_[message].over;
  messages_[message].over = number;
  occupy(out, messages_[message], now);
  const std::uint64_t wire = messages_[message].wire;
  // The place is empty once the tail has left; whoever is before it knows a cycle later.
  leave_place(message, came_by, now + wire + 1);
  if (out.kind == link_kind::hop) {
    ++messages_[message].hops;
    agenda_.wake(*this, now + config_.hop_latency + kept(wire), message, wake_rank::arrival);
  }
  if (out.kind == link_kind::ejection) leave(message, now);
}

void routed_network::leave_place(std::uint32_t message, std::uint32_t came_by, cycle_t empty) {
  const std::uint32_t group = messages_[message].at_router;
  if (group != none) {
    messages_[message].at_router = none;
    cycle_t& until = copies_[group].until;
    until = std::max(until, empty);
    empty = until;
    if (!leave_group(group)) return;
  }
  const link& in = links_[came_by];
  const std::uint8_t lane = messages_[message].transfer.lane;
  places_.free(in.behind, lane, buffer_bytes(message), empty);
  if (!in.waiting.empty()) wake_link(came_by, std::max(empty, in.free_at));
  if (in.kind == link_kind::injection && endpoint(in.from) != nullptr) {
    endpoint(in.from)->room(lane, empty);
  }
}

void routed_network::leave(std::uint32_t message, cycle_t now) {
  const network_transfer transfer = messages_[message].transfer;
  const cycle_t head = now + config_.base_latency - config_.base_latency / 2;
  const cycle_t latency = head - messages_[message].sent;
  count_copy(transfer, latency, latency - least_latency(messages_[message]));
  hops_.add(messages_[message].hops);
  unused_.push_back(message);
  const std::uint32_t group = messages_[message].in_all;
  messages_[message].in_all = none;
  if (group != none) ++copies_delivered_;
  if (group == none || leave_group(group)) {
    count_message(transfer);
    if (group != none) ++broadcasts_;
    --under_way_;
  }
  ++held(transfer.destination, transfer.lane);
  if (!held_bytes_.empty()) {
    held_bytes_[place_of(transfer.destination, transfer.lane)].push(
        config_.buffer_bytes(transfer.bytes));
  }
  deliver(transfer, head, now);
}

std::vector<network_transfer> routed_network::waiting() const {
  std::vector<network_transfer> all;
  for (const link& each : links_) {
    for (const std::uint32_t message : each.waiting) all.push_back(messages_[message].transfer);
  }
  return all;
}

void routed_network::reset_statistics() {
  statistics_since_ = now();
  for (link& each : links_) {
    each.busy_cycles = each.free_at > now() ? each.free_at - now() : 0;
  }
  by_lane_.assign(lanes(), {});
  reset_all(hops_, broadcasts_, copies_delivered_, overtakings_);
}

double routed_network::utilisation(const link& edge) const {
  const cycle_t elapsed = now() - statistics_since_;
  if (elapsed == 0) return 0.0;
  const std::uint64_t to_come = edge.free_at > now() ? edge.free_at - now() : 0;
  return static_cast<double>(edge.busy_cycles - std::min(to_come, edge.busy_cycles)) /
         static_cast<double>(elapsed);
}

void routed_network::report(statistics_group& group, std::uint64_t) const {
  report_lanes(group);
  group.add("hops", hops_, "links", "Links between routers that a message crossed.");
  if (config_.broadcast) {
    group.add("broadcasts", broadcasts_, "messages",
              "Messages for everyone of which each node had its copy.");
    group.add("copies", copies_delivered_, "messages", "Copies of messages for everyone.");
  }
  if (config_.reorder_window != 0) {
    group.add("overtakings", overtakings_, "events",
              "Times that a message overtook one of the same source, destination and lane.");
  }
  const auto add_links = [&](const std::string& name, std::size_t first, std::size_t last,
                             const std::string& links) {
    if (first == last) return;
    std::vector<double> parts;
    for (std::size_t i = first; i < last; ++i) parts.push_back(utilisation(links_[i]));
    const auto [least, greatest] = std::minmax_element(parts.begin(), parts.end());
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    statistics_group& here = group.group("utilisation." + name);
    const std::string part = "Part of the time that " + links + " was busy: ";
    here.add("min", *least, "1", part + "the least used.");
    here.add("mean", sum / static_cast<double>(last - first), "1", part + "mean.");
    here.add("max", *greatest, "1", part + "the most used.");
  };
  const std::size_t count = nodes();
  add_links("injection", 0, count, "a link from a node to its router");
  add_links("ejection", count, 2 * count, "a link from a router to its node");
  add_links("hop", 2 * count, links_.size(), "a link between routers");
}

network_graph routed_network::graph() const {
  return graph_ != nullptr ? *graph_ : graph_of(shape_, config_.nodes_per_router);
}

network_use routed_network::use() const {
  const network_graph all = graph();
  network_use found;
  found.cycles = now() - statistics_since_;
  found.channels.resize(all.channels());
  for (std::uint32_t n = 0; n < nodes(); ++n) {
    found.from_hosts.push_back(utilisation(links_[n]));
    found.to_hosts.push_back(utilisation(links_[ejection(node_id{n})]));
  }
  for (std::uint32_t r = 0; r < all.switches(); ++r) {
    std::uint32_t hop = first_hop_[r];
    for (const neighbour_link& each : all.neighbours(switch_id{r})) {
      found.channels[each.channel] = utilisation(links_[hop++]);
    }
  }
  return found;
}

std::string routed_network::save() const { return save_state(agenda_.save(), save_state(*this)); }

void routed_network::restore(const std::string& state) {
  const std::size_t links = links_.size();
  const std::size_t places = places_.size();
  const std::size_t held = held_.size();
  const std::size_t held_bytes = held_bytes_.size();
  const std::size_t draws = draws_.size();
  const std::size_t by_lane = by_lane_.size();
  std::string wakeups;
  std::string own;
  restore_state(state, wakeups, own);
  restore_state(own, *this);
  require_state(links_.size() == links && places_.size() == places && places_.consistent() &&
                    held_.size() == held && held_bytes_.size() == held_bytes &&
                    draws_.size() == draws && by_lane_.size() == by_lane,
                "the network has another shape");
  const auto is_group = [this](std::uint32_t group) {
    return group == none || (group < copies_.size() && copies_[group].left != 0);
  };
  for (std::size_t i = 0; i < held_bytes_.size(); ++i) {
    require_state(held_bytes_[i].size() == held_[i], "a node holds messages of no length");
  }
  for (const flying_message& each : messages_) {
    require_state(each.over < links_.size() && index(each.transfer.destination) < nodes() &&
                      index(each.transfer.source) < nodes() && each.transfer.lane < lanes() &&
                      is_group(each.at_router) && is_group(each.in_all),
                  "a message is nowhere in the network");
  }
  for (link& each : links_) {
    each.newest_at = never;
    for (const std::uint32_t number : each.waiting) {
      require_state(number < messages_.size(), "a message that waits does not exist");
    }
  }
  agenda_.restore(wakeups);
}

}  // namespace tributary
