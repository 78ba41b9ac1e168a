// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/routed_network.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: a link that may have become free, or else a message whose head is at a router.
constexpr std::uint64_t of_link = std::uint64_t{1} << 32U;

}  // namespace

routed_network::routed_network(const message_network_config& config, std::uint32_t nodes)
    : message_network(config, nodes),
      shape_(config.topology, nodes, config.columns, config.nodes_per_router),
      routing_(make_routing(config.routing, shape_)),
      inputs_(shape_.routers(), config.nodes_per_router),
      held_(std::size_t{nodes} * config.lanes) {
  agenda_.enroll(*this);
  std::size_t first_place = 0;
  const auto add_link = [&](link_kind kind, node_id from, node_id to, std::uint32_t input) {
    const std::uint32_t places =
        kind == link_kind::ejection ? config.endpoint_buffers : config.router_buffers;
    links_.push_back({kind, from, to, input, places, first_place});
    first_place += std::size_t{places} * config.lanes;
  };
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_link(link_kind::injection, node_id{n}, shape_.router_of(node_id{n}),
             n % config.nodes_per_router);
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    add_link(link_kind::ejection, shape_.router_of(node_id{n}), node_id{n}, 0);
  }
  for (std::uint32_t r = 0; r < shape_.routers(); ++r) {
    first_hop_.push_back(static_cast<std::uint32_t>(links_.size()));
    for (const node_id to : shape_.neighbours(node_id{r})) {
      add_link(link_kind::hop, node_id{r}, to, inputs_[index(to)]++);
    }
  }
  places_.resize(first_place);
}

cycle_t routed_network::least_latency(const message_network_config& config, std::uint64_t hops,
                                      std::uint32_t bytes) {
  return config.base_latency + hops * config.hop_latency +
         (hops + 1) * stored(config, config.wire_cycles(bytes));
}

cycle_t routed_network::earliest_place(const link& edge, std::uint8_t lane) const {
  const cycle_t* const first = places_.data() + edge.first_place + std::size_t{lane} * edge.places;
  return *std::min_element(first, first + edge.places);
}

/// Of many places one of the first is free, as those are taken first.
bool routed_network::has_place(const link& edge, std::uint8_t lane, cycle_t now) const {
  const cycle_t* const first = places_.data() + edge.first_place + std::size_t{lane} * edge.places;
  return std::any_of(first, first + edge.places, [now](cycle_t from) { return from <= now; });
}

void routed_network::take_place(const link& edge, std::uint8_t lane, cycle_t now) {
  cycle_t* const first = places(edge, lane);
  cycle_t* const last = first + edge.places;
  cycle_t* const free = std::find_if(first, last, [&](cycle_t from) { return from <= now; });
  if (free == last) {
    fail(now, "no buffer for " + lane_of_node(edge.to, lane) + " was reserved");
  }
  *free = never;
}

void routed_network::free_place(const link& edge, std::uint8_t lane, cycle_t at) {
  cycle_t* const first = places(edge, lane);
  *std::find(first, first + edge.places, never) = at;
}

bool routed_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  const link& out = links_[index(node)];
  return out.free_at <= now && has_place(out, lane, now);
}

void routed_network::occupy(link& edge, const flying_message& with, cycle_t now) {
  edge.free_at = now + with.wire;
  edge.busy_cycles += with.wire;
  take_place(edge, with.transfer.lane, now);
  if (!observers_.empty()) {
    observers_.notify({now, edge.free_at, edge.kind, edge.from, edge.to, with.transfer});
  }
}

void routed_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  ++under_way_;
  flying_message& message = messages_[number];
  message.transfer = transfer;
  message.sent = now;
  message.wire = wire_cycles(transfer.bytes);
  message.over = index(transfer.source);
  occupy(links_[message.over], message, now);
  agenda_.wake(*this, now + config_.base_latency / 2 + stored(message.wire), number,
               wake_rank::arrival);
}

void routed_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  if (held(node, lane) == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held(node, lane);
  const std::uint32_t number = ejection(node);
  free_place(links_[number], lane, now + 1);
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
  const node_id destination = head.transfer.destination;
  const node_id last = shape_.router_of(destination);
  const std::uint32_t out = in.to == last
                                ? ejection(destination)
                                : first_hop_[index(in.to)] + routing_->port_towards(in.to, last);
  links_[out].waiting.push_back(message);
  wake_link(out, std::max(now, links_[out].free_at));
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
    wake_when_a_place_is_free(number);
    return;
  }
  const std::uint32_t message = out.waiting[*next];
  out.waiting.erase(out.waiting.begin() + static_cast<std::ptrdiff_t>(*next));
  const std::uint8_t lane = messages_[message].transfer.lane;
  out.next_lane = (lane + 1U) % lanes();
  out.next_input[lane] = (messages_[message].input + 1) % inputs_[index(out.from)];
  cross(number, message, now);
  if (!out.waiting.empty()) wake_link(number, out.free_at);
}

std::optional<std::size_t> routed_network::whose_turn(const link& out, cycle_t now) const {
  if (out.waiting.size() == 1) {
    const bool may_go = has_place(out, messages_[out.waiting.front()].transfer.lane, now);
    return may_go ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const std::uint32_t inputs = inputs_[index(out.from)];
  std::array<bool, most_network_lanes> free_lanes{};
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    free_lanes[lane] = has_place(out, lane, now);
  }
  std::optional<std::size_t> best;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < out.waiting.size(); ++i) {
    const flying_message& each = messages_[out.waiting[i]];
    const std::uint8_t lane = each.transfer.lane;
    if (!free_lanes[lane]) continue;
    const std::uint32_t lanes_before = (lane + lanes() - out.next_lane) % lanes();
    const std::uint32_t inputs_before = (each.input + inputs - out.next_input[lane]) % inputs;
    const std::uint32_t before = lanes_before * inputs + inputs_before;
    if (before < least) {  // of equals the first, which is the oldest
      least = before;
      best = i;
    }
  }
  return best;
}

void routed_network::wake_when_a_place_is_free(std::uint32_t number) {
  const link& out = links_[number];
  std::array<bool, most_network_lanes> waits{};
  for (const std::uint32_t message : out.waiting) waits[messages_[message].transfer.lane] = true;
  cycle_t earliest = never;
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    if (waits[lane]) earliest = std::min(earliest, earliest_place(out, lane));
  }
  if (earliest != never) wake_link(number, earliest);
}

void routed_network::cross(std::uint32_t number, std::uint32_t message, cycle_t now) {
  link& out = links_[number];
  const network_transfer transfer = messages_[message].transfer;
  const std::uint32_t came_by = messages_[message].over;
  messages_[message].over = number;
  occupy(out, messages_[message], now);
  // The place is empty once the tail has left; whoever is before it knows a cycle later.
  const link& in = links_[came_by];
  const cycle_t empty = out.free_at + 1;
  free_place(in, transfer.lane, empty);
  if (!in.waiting.empty()) wake_link(came_by, std::max(empty, in.free_at));
  if (out.kind == link_kind::hop) {
    agenda_.wake(*this, now + config_.hop_latency + stored(messages_[message].wire), message,
                 wake_rank::arrival);
  }
  if (in.kind == link_kind::injection && endpoint(in.from) != nullptr) {
    endpoint(in.from)->room(transfer.lane, empty);
  }
  if (out.kind == link_kind::ejection) leave(message, now);
}

void routed_network::leave(std::uint32_t message, cycle_t now) {
  const network_transfer transfer = messages_[message].transfer;
  const cycle_t head = now + config_.base_latency - config_.base_latency / 2;
  const cycle_t latency = head - messages_[message].sent;
  count_delivery(transfer, latency,
                 latency - least_latency(transfer.source, transfer.destination, transfer.bytes));
  hops_.add(shape_.hops(transfer.source, transfer.destination));
  unused_.push_back(message);
  --under_way_;
  ++held(transfer.destination, transfer.lane);
  deliver(transfer, head, now);
}

void routed_network::reset_statistics() {
  statistics_since_ = now();
  for (link& each : links_) {
    each.busy_cycles = each.free_at > now() ? each.free_at - now() : 0;
  }
  by_lane_.assign(lanes(), {});
  hops_.reset();
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

std::string routed_network::save() const { return save_state(agenda_.save(), save_state(*this)); }

void routed_network::restore(const std::string& state) {
  const std::size_t links = links_.size();
  const std::size_t places = places_.size();
  const std::size_t held = held_.size();
  const std::size_t by_lane = by_lane_.size();
  std::string wakeups;
  std::string own;
  restore_state(state, wakeups, own);
  restore_state(own, *this);
  require_state(links_.size() == links && places_.size() == places && held_.size() == held &&
                    by_lane_.size() == by_lane,
                "the network has another shape");
  for (const flying_message& each : messages_) {
    require_state(each.over < links_.size() && index(each.transfer.destination) < nodes() &&
                      each.transfer.lane < lanes(),
                  "a message is nowhere in the network");
  }
  for (const link& each : links_) {
    for (const std::uint32_t number : each.waiting) {
      require_state(number < messages_.size(), "a message that waits does not exist");
    }
  }
  agenda_.restore(wakeups);
}

}  // namespace tributary
