// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/omega_message_network.h>

#include <algorithm>

#include <tributary/memory/request_events.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// Two operands of a word each.
constexpr std::uint32_t packet_bytes = 2 * word_bytes;

omega_network_config plain_network_of(const message_network_config& config, std::uint32_t nodes) {
  omega_network_config network;
  network.processing_elements = nodes;
  network.switches.combining = false;
  network.switches.link_cycles = config.omega.link_cycles;
  network.switches.slots = config.omega.slots;
  return network;
}

}  // namespace

omega_message_network::omega_message_network(const message_network_config& config,
                                             std::uint32_t nodes)
    : message_network((config.validate(nodes), config), nodes),
      injection_free_(nodes),
      ejection_free_(nodes),
      sinks_(nodes, 1) {
  for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
    lanes_.push_back(
        {omega_network(plain_network_of(config, nodes)), std::vector<source>(nodes), 0, 0});
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    to_leave_.push_back(
        places_.add(config.lanes, config.router_buffers, config.router_buffer_bytes));
  }
  if (!config.combines()) return;
  operations_.emplace(combining_network{operation_network(config, nodes), 0, 0, 0, {}, 0});
  operations_->answers.resize(nodes);
  takers_.resize(nodes);
}

std::uint32_t omega_message_network::packets_of(std::uint32_t bytes) {
  return 1 + (bytes + packet_bytes - 1) / packet_bytes;
}

cycle_t omega_message_network::least_latency(std::uint32_t bytes) const {
  // The last packet leaves behind all others, crosses a stage a cycle, and is handed over.
  const cycle_t last = cycle_t{packets_of(bytes) - 1} * config_.omega.link_cycles;
  return 1 + last + lanes_.front().switches.stages() + 1;
}

bool omega_message_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  return injection_free_[index(node)] <= now && place_at(node, lane) <= now;
}

cycle_t omega_message_network::place_at(node_id node, std::uint8_t lane) const {
  return places_.fits_at(to_leave_[index(node)], lane, config_.longest());
}

void omega_message_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(trains_.size()));
    trains_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  trains_[number] = {};
  trains_[number].transfer = transfer;
  trains_[number].sent = now;
  lane_network& at = lanes_[transfer.lane];
  source& from = at.nodes[index(transfer.source)];
  from.trains.push(number);
  places_.take(to_leave_[index(transfer.source)], transfer.lane,
               config_.buffer_bytes(transfer.bytes), now);
  // An engine may ask for it before or after the network's own part of the cycle.
  if (at.trains++ == 0) at.busy_from = now + 1;
  const bool combines = operations_ && transfer.operation.is != operation_part::none;
  if (combines && operations_->to_leave++ == 0) operations_->busy_from = now + 1;
  ++under_way_;
  injection_free_[index(transfer.source)] = now + wire_cycles(transfer.bytes);
}

void omega_message_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  const auto pending = std::count_if(freed_.begin(), freed_.end(), [&](const freed_place& each) {
    return each.node == node && each.lane == lane;
  });
  source& to = lanes_[lane].nodes[index(node)];
  if (to.held <= static_cast<std::uint32_t>(pending) || (counts_bytes() && to.lengths.empty())) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  freed_.push_back({node, lane, now + 1, 0});
  if (!counts_bytes()) return;
  freed_.back().bytes = to.lengths.front();
  to.lengths.pop();
}

void omega_message_network::advance_to(cycle_t last) {
  while (now_ < last) {
    const bool is_quiet = std::all_of(lanes_.begin(), lanes_.end(), [this](const auto& each) {
      return each.trains == 0 && each.quiet_from <= now_ + 1;
    });
    if (is_quiet && (!operations_ || operations_->is_quiet(now_ + 1))) {
      now_ = last;
      return;
    }
    step();
  }
}

void omega_message_network::step() {
  ++now_;
  free_places();
  if (operations_) step_operations();
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    const lane_network& at = lanes_[lane];
    if ((at.trains != 0 && now_ >= at.busy_from) || now_ < at.quiet_from) step_lane(lane);
  }
}

void omega_message_network::free_places() {
  const auto is_due = [this](const freed_place& each) { return each.from <= now_; };
  for (const freed_place& each : freed_) {
    if (!is_due(each)) continue;
    source& at = lanes_[each.lane].nodes[index(each.node)];
    --at.held;
    at.held_bytes -= each.bytes;
  }
  freed_.erase(std::remove_if(freed_.begin(), freed_.end(), is_due), freed_.end());
}

void omega_message_network::step_lane(std::uint8_t lane) {
  lane_network& at = lanes_[lane];
  no_events nobody;
  at.switches.depart(sinks_.data());
  leaving_.clear();
  // In turn, for those that ask for the places of a node in the same cycle.
  for (std::uint32_t i = 0; i < nodes(); ++i) {
    const auto node = static_cast<std::uint32_t>((now_ + i) % nodes());
    if (prepare_to_leave(at, node)) leaving_.push_back(node);
  }
  std::sort(leaving_.begin(), leaving_.end());
  at.switches.advance();
  for (source& each : at.nodes) each.link_rest -= each.link_rest == 0 ? 0 : 1;
  at.switches.move_requests(
      [&](std::size_t, const packet& arrived) { collect(at, arrived.sequence); }, nobody);
  for (const std::uint32_t node : leaving_) leave(at, lane, node);
  at.switches.move_replies([](std::size_t, const reply&) {}, nobody);
  at.switches.settle(nobody);
}

bool omega_message_network::prepare_to_leave(lane_network& at, std::uint32_t node) {
  source& from = at.nodes[node];
  if (from.trains.empty() || from.link_rest != 0) return false;
  train& next = trains_[from.trains.front()];
  if (operations_ && next.transfer.operation.is != operation_part::none) return false;
  // The node's link brings the packets one after the other.
  if (now_ <= next.sent + std::uint64_t{next.left} * config_.omega.link_cycles) return false;
  const unsigned output = (index(next.transfer.destination) >> at.switches.first_route_bit()) & 1U;
  if ((at.switches.request_ready()[node] >> output & 1U) == 0) return false;
  if (!next.has_place) {
    next.has_place = reserve_place(at.nodes[index(next.transfer.destination)], node,
                                   config_.buffer_bytes(next.transfer.bytes));
  }
  return next.has_place;
}

bool omega_message_network::may_reserve(source& to, std::uint32_t node, std::uint64_t bytes) const {
  const auto asker = std::find(to.askers.begin(), to.askers.end(), node);
  const std::ptrdiff_t before = asker - to.askers.begin();
  const bool has_place =
      before + std::ptrdiff_t{to.held} < std::ptrdiff_t{config_.endpoint_buffers};
  // Those that asked before may have messages of any length.
  const std::uint64_t left = static_cast<std::uint64_t>(before) * config_.longest();
  const bool has_bytes =
      !counts_bytes() || to.held_bytes + left + bytes <= config_.endpoint_buffer_bytes;
  if (has_place && has_bytes) return true;
  if (asker == to.askers.end()) to.askers.push_back(node);
  return false;
}

bool omega_message_network::reserve_place(source& to, std::uint32_t node, std::uint64_t bytes) {
  if (!may_reserve(to, node, bytes)) return false;
  const auto asker = std::find(to.askers.begin(), to.askers.end(), node);
  if (asker != to.askers.end()) to.askers.erase(asker);
  ++to.held;
  if (counts_bytes()) to.held_bytes += bytes;
  return true;
}

packet omega_message_network::next_packet(const train& from, std::uint32_t number) const {
  packet leaving;
  leaving.location = location_of(mm_id{index(from.transfer.destination)}, 0);
  leaving.a = from.left;
  leaving.sequence = number;
  leaving.pe = static_cast<std::uint16_t>(index(from.transfer.source));
  leaving.combinable = 0;
  return leaving;
}

void omega_message_network::leave(lane_network& at, std::uint8_t lane, std::uint32_t node) {
  source& from = at.nodes[node];
  const std::uint32_t number = from.trains.front();
  train& next = trains_[number];
  no_events nobody;
  at.switches.accept_request(node, next_packet(next, number), nobody);
  from.link_rest = config_.omega.link_cycles - 1;
  if (++next.left < packets_of(next.transfer.bytes)) return;
  from.trains.pop();
  places_.free(to_leave_[node], lane, config_.buffer_bytes(next.transfer.bytes), now_ + 1);
  if (endpoint(node_id{node}) != nullptr) endpoint(node_id{node})->room(lane, now_ + 1);
}

void omega_message_network::collect(lane_network& at, std::uint32_t number) {
  train& arrived = trains_[number];
  if (++arrived.collected < packets_of(arrived.transfer.bytes)) return;
  const network_transfer transfer = arrived.transfer;
  const cycle_t sent = arrived.sent;
  unused_.push_back(number);
  --at.trains;
  at.quiet_from = now_ + config_.omega.link_cycles;
  hand_over(transfer, sent, 0);
}

void omega_message_network::hand_over(const network_transfer& transfer, cycle_t sent,
                                      cycle_t tail) {
  cycle_t& link_free = ejection_free_[index(transfer.destination)];
  const cycle_t head = std::max(now_ + tail + 1, link_free);
  link_free = head + wire_cycles(transfer.bytes);
  const cycle_t latency = head - sent;
  count_delivery(transfer, latency, latency - least_latency(transfer.bytes));
  --under_way_;
  if (counts_bytes()) {
    lanes_[transfer.lane].nodes[index(transfer.destination)].lengths.push(
        config_.buffer_bytes(transfer.bytes));
  }
  deliver(transfer, head, now_);
}

// --- operations ----------------------------------------------------------------------------------

void omega_message_network::step_operations() {
  combining_network& at = *operations_;
  const bool leaves = at.to_leave != 0 && now_ >= at.busy_from;
  if (!leaves && at.waiting == 0 && !at.network.moves() && at.quiet_from <= now_) return;
  find_takers();
  at.network.depart(takers_);
  std::vector<operation_network::departure> requests;
  std::vector<operation_network::departure> answers;
  leave_as(operation_part::request, requests);
  leave_as(operation_part::answer, answers);
  hand_over_answers();
  std::vector<operation_network::arrival> arrivals;
  at.network.move(requests, answers, arrivals);
  for (const operation_network::arrival& each : arrivals) arrive(each);
  if (at.network.moves()) at.quiet_from = now_ + 1 + operation_cycles();
}

/// As one more asker behind all nodes.
void omega_message_network::find_takers() {
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    source& to = lanes_.front().nodes[node];
    const bool waits =
        operations_->network.heads_for(node) && !may_reserve(to, nodes(), config_.longest());
    takers_[node] = waits ? 0 : 1;
  }
}

std::optional<std::uint8_t> omega_message_network::lane_of_next(operation_part part,
                                                                std::uint32_t node) const {
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
    const source& from = lanes_[lane].nodes[node];
    if (from.trains.empty() || from.link_rest != 0) continue;
    const train& next = trains_[from.trains.front()];
    if (next.transfer.operation.is != part || now_ <= next.sent) continue;
    if (operations_->network.takes(next.transfer)) return lane;
  }
  return std::nullopt;
}

void omega_message_network::leave_as(operation_part part,
                                     std::vector<operation_network::departure>& into) {
  if (operations_->to_leave == 0) return;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (const auto lane = lane_of_next(part, node)) take_from(*lane, node, into);
  }
}

void omega_message_network::take_from(std::uint8_t lane, std::uint32_t node,
                                      std::vector<operation_network::departure>& into) {
  lane_network& at = lanes_[lane];
  source& from = at.nodes[node];
  const std::uint32_t number = from.trains.front();
  into.push_back({trains_[number].transfer, trains_[number].sent});
  unused_.push_back(number);
  from.trains.pop();
  // The lane's own step of this cycle counts it down.
  from.link_rest = static_cast<std::uint32_t>(operation_cycles());
  const std::uint64_t bytes = config_.buffer_bytes(trains_[number].transfer.bytes);
  places_.free(to_leave_[node], lane, bytes, now_ + 1);
  --at.trains;
  at.quiet_from = now_ + operation_cycles();
  --operations_->to_leave;
  if (endpoint(node_id{node}) != nullptr) endpoint(node_id{node})->room(lane, now_ + 1);
}

void omega_message_network::arrive(const operation_network::arrival& arrived) {
  const std::size_t node = index(arrived.transfer.destination);
  if (arrived.transfer.operation.is == operation_part::request) {
    if (!reserve_place(lanes_[arrived.transfer.lane].nodes[node], nodes(),
                       config_.buffer_bytes(arrived.transfer.bytes))) {
      fail(now_, lane_of_node(node_id{static_cast<std::uint32_t>(node)}, arrived.transfer.lane) +
                     " has no place for an operation that came out of the switches");
    }
    hand_over(arrived.transfer, arrived.sent, config_.omega.link_cycles);
    return;
  }
  operations_->answers[node].push_back(arrived);
  ++operations_->waiting;
  hand_over_answers();
}

void omega_message_network::hand_over_answers() {
  if (operations_->waiting == 0) return;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    auto& answers = operations_->answers[node];
    while (!answers.empty() &&
           reserve_place(lanes_[answers.front().transfer.lane].nodes[node], nodes(),
                         config_.buffer_bytes(answers.front().transfer.bytes))) {
      const operation_network::arrival next = answers.front();
      answers.erase(answers.begin());
      --operations_->waiting;
      hand_over(next.transfer, next.sent, config_.omega.link_cycles);
    }
  }
}

void omega_message_network::reset_statistics() {
  by_lane_.assign(lanes(), {});
  for (lane_network& each : lanes_) each.switches.reset_statistics();
  if (operations_) operations_->network.reset_statistics();
}

void omega_message_network::report(statistics_group& group, std::uint64_t) const {
  report_lanes(group);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].switches.report(group.group("lane." + std::to_string(lane)));
  }
  if (operations_) operations_->network.report(group.group("operations"));
}

std::string omega_message_network::save() const {
  std::vector<std::string> lanes;
  for (const lane_network& each : lanes_) {
    lanes.push_back(
        save_state(each.switches, each.nodes, each.trains, each.busy_from, each.quiet_from));
  }
  return save_state(lanes, save_state(*this), operations_ ? save_operations() : "");
}

std::string omega_message_network::save_operations() const {
  const combining_network& at = *operations_;
  return save_state(at.network, at.to_leave, at.busy_from, at.quiet_from, at.answers, at.waiting);
}

void omega_message_network::restore_operations(const std::string& state) {
  require_state(state.empty() != operations_.has_value(), "operations combine in one of the two");
  if (!operations_) return;
  combining_network& at = *operations_;
  restore_state(state, at.network, at.to_leave, at.busy_from, at.quiet_from, at.answers,
                at.waiting);
  require_state(at.answers.size() == nodes() && at.network.fits(nodes()),
                "operations combine between another number of nodes");
}

void omega_message_network::restore(const std::string& state) {
  std::vector<std::string> lanes;
  std::string own;
  std::string operations;
  restore_state(state, lanes, own, operations);
  require_state(lanes.size() == lanes_.size(), "the network has another number of lanes");
  const std::size_t count = nodes();
  const std::size_t places = places_.size();
  restore_state(own, *this);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lane_network& each = lanes_[lane];
    restore_state(lanes[lane], each.switches, each.nodes, each.trains, each.busy_from,
                  each.quiet_from);
    require_state(each.nodes.size() == count, "the network has another number of nodes");
  }
  require_state(injection_free_.size() == count && ejection_free_.size() == count &&
                    by_lane_.size() == lanes_.size() && places_.size() == places &&
                    places_.consistent(),
                "the network has another shape");
  restore_operations(operations);
}

}  // namespace tributary
