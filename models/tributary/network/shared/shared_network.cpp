// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/shared/shared_network.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups.
constexpr std::uint64_t to_look = 0;
constexpr std::uint64_t to_leave = 1;

void refuse(bool wanted, const char* key) {
  if (!wanted) return;
  throw configuration_error({key, "", "a shared medium does not have it", "0",
                             "leave it out, or choose another network.kind"});
}

}  // namespace

void shared_medium_config::bind(parameter_set& parameters) {
  parameters.add("slot_bytes", slot_bytes, tributary::interval<std::uint32_t>{0, 4096}, "bytes",
                 "Bytes of time that a collision, or a slot in which no one tries, takes: 64 of "
                 "Ethernet (IEEE 802.3); 0: who has waited longest sends, without collisions.");
  parameters.add("seed", seed, tributary::interval<std::uint64_t>{0, 0xFFFFFFFF}, "",
                 "Of what nodes draw when several want to send.");
}

void shared_network::validate(const message_network_config& config,
                              const shared_medium_config& medium, std::uint32_t nodes) {
  check_ranges(medium);
  config.validate_for_graph(nodes);
  refuse(config.router_latency != 0, "network.router_latency");
  refuse(config.router_buffer_bytes != 0, "network.router_buffer_bytes");
  refuse(config.endpoint_buffer_bytes != 0, "network.endpoint_buffer_bytes");
  refuse(config.reorder_window != 0, "network.reorder_window");
  if (nodes >= 2 && nodes <= largest_network) return;
  throw configuration_error({"network.kind", "",
                             fmt::format("a shared medium cannot have {} nodes", nodes),
                             fmt::format("2 to {}", largest_network), "choose another graph"});
}

shared_network::shared_network(const message_network_config& config,
                               const shared_medium_config& medium, std::uint32_t nodes)
    : message_network(config, nodes),
      medium_((validate(config, medium, nodes), medium)),
      draws_(medium.seed, 0U, purpose::contention),
      node_free_(nodes),
      waiting_(std::size_t{nodes} * config.lanes),
      reserved_(std::size_t{nodes} * config.lanes),
      held_(std::size_t{nodes} * config.lanes) {
  agenda_.enroll(*this);
}

bool shared_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  return node_free_[index(node)] <= now &&
         waiting_[place(node, lane)].size() < config_.router_buffers;
}

cycle_t shared_network::place_at(node_id node, std::uint8_t lane) const {
  return waiting_[place(node, lane)].size() < config_.router_buffers ? now() : never;
}

void shared_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  node_free_[index(transfer.source)] = now + 1;
  waiting_[place(transfer.source, transfer.lane)].push({transfer, now});
  ++under_way_;
  look_at(std::max(now + entering, medium_free_));
}

void shared_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  std::uint32_t& held = held_[place(node, lane)];
  if (held == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held;
  --reserved_[place(node, lane)];
  look_at(std::max(now + 1, medium_free_));
}

void shared_network::wake(cycle_t now, std::uint64_t what) {
  if (what == to_leave) {
    leave(now);
  } else if (look_at_ == now) {
    look_at_ = never;
    look(now);
  }
}

void shared_network::look_at(cycle_t when) {
  if (look_at_ <= when) return;
  look_at_ = when;
  agenda_.wake(*this, when, to_look, wake_rank::inside);
}

void shared_network::look(cycle_t now) {
  const std::vector<offer> all = offers(now);
  if (all.empty()) return;
  std::uint64_t lost_slots = 0;
  const std::size_t from = agreed(all, lost_slots);
  collisions_.add(lost_slots);
  const std::uint64_t slot = config_.clock.cycles_of(medium_.slot_bytes, config_.rate());
  enter(from, now + lost_slots * slot, now);
  look_at(medium_free_);
}

/// What was sent in this cycle is offered in the next.
std::vector<shared_network::offer> shared_network::offers(cycle_t now) const {
  std::vector<offer> all;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    offer oldest{now, 0};
    for (std::uint8_t lane = 0; lane < lanes(); ++lane) {
      const auto& queue = waiting_[place(node_id{node}, lane)];
      if (queue.empty() || queue.front().sent >= oldest.sent) continue;
      if (!has_places(queue.front().transfer)) continue;
      oldest = {queue.front().sent, place(node_id{node}, lane)};
    }
    if (oldest.sent < now) all.push_back(oldest);
  }
  return all;
}

std::size_t shared_network::agreed(const std::vector<offer>& all, std::uint64_t& lost_slots) {
  if (medium_.slot_bytes == 0 || all.size() == 1) {
    return std::min_element(all.begin(), all.end(),
                            [](const offer& a, const offer& b) { return a.sent < b.sent; })
        ->place;
  }
  while (true) {
    std::size_t tries = 0;
    std::size_t last = 0;
    for (const offer& each : all) {
      if (draws_.below(all.size()) != 0) continue;
      ++tries;
      last = each.place;
    }
    if (tries == 1) return last;
    ++lost_slots;
  }
}

bool shared_network::receives(const network_transfer& transfer, std::uint32_t node) const {
  if (!transfer.everyone) return node == index(transfer.destination);
  return config_.broadcast_self || node != index(transfer.source);
}

bool shared_network::has_places(const network_transfer& transfer) const {
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (receives(transfer, node) &&
        reserved_[place(node_id{node}, transfer.lane)] >= config_.endpoint_buffers) {
      return false;
    }
  }
  return true;
}

void shared_network::enter(std::size_t from, cycle_t begin, cycle_t now) {
  const offered_message entering_now = waiting_[from].front();
  waiting_[from].pop();
  const network_transfer& transfer = entering_now.transfer;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (receives(transfer, node)) ++reserved_[place(node_id{node}, transfer.lane)];
  }
  const std::uint64_t wire = wire_cycles(transfer.bytes);
  busy_ += wire;
  medium_free_ = begin + wire + config_.gap_cycles();
  flying_.push(entering_now);
  // Nodes are told a cycle before the head is there.
  agenda_.wake(*this, begin + config_.base_latency - 1, to_leave, wake_rank::inside);
  if (endpoint(transfer.source) != nullptr) {
    endpoint(transfer.source)->room(transfer.lane, now + 1);
  }
}

void shared_network::leave(cycle_t now) {
  const offered_message came = flying_.front();
  flying_.pop();
  --under_way_;
  const cycle_t latency = now + 1 - came.sent;
  count_message(came.transfer);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (!receives(came.transfer, node)) continue;
    network_transfer copy = came.transfer;
    copy.destination = node_id{node};
    count_copy(copy, latency, latency - entering - config_.base_latency);
    ++held_[place(node_id{node}, copy.lane)];
    deliver(copy, now + 1, now);
  }
}

std::vector<network_transfer> shared_network::waiting() const {
  std::vector<network_transfer> all;
  for (const auto& queue : waiting_) {
    for (std::size_t i = 0; i < queue.size(); ++i) all.push_back(queue[i].transfer);
  }
  return all;
}

void shared_network::reset_statistics() {
  statistics_since_ = now();
  busy_ = 0;
  collisions_.reset();
  by_lane_.assign(lanes(), {});
}

void shared_network::report(statistics_group& group, std::uint64_t /*cycles*/) const {
  report_lanes(group);
  const auto elapsed = static_cast<double>(now() - statistics_since_);
  group.add("utilisation", elapsed == 0 ? 0.0 : static_cast<double>(busy_) / elapsed, "1",
            "Part of the time that the medium was taken for messages that entered.");
  group.add("lost_slots", collisions_, "slots",
            "Slots in which several nodes that wanted to send tried, or none.");
}

std::string shared_network::save() const { return save_state(agenda_.save(), save_state(*this)); }

void shared_network::restore(const std::string& state) {
  std::string wakeups;
  std::string own;
  restore_state(state, wakeups, own);
  restore_state(own, *this);
  require_fitting_state();
  agenda_.restore(wakeups);
}

void shared_network::require_fitting_state() const {
  const std::size_t queues = std::size_t{nodes()} * lanes();
  require_state(node_free_.size() == nodes() && waiting_.size() == queues &&
                    reserved_.size() == queues && held_.size() == queues &&
                    by_lane_.size() == lanes(),
                "the medium has another size");
  const auto fits = [this](const offered_message& each) {
    return index(each.transfer.source) < nodes() &&
           (each.transfer.everyone || index(each.transfer.destination) < nodes()) &&
           each.transfer.lane < lanes();
  };
  for (std::size_t i = 0; i < flying_.size(); ++i) {
    require_state(fits(flying_[i]), "a message is nowhere on the medium");
  }
  for (const auto& queue : waiting_) {
    for (std::size_t i = 0; i < queue.size(); ++i) {
      require_state(fits(queue[i]), "a message that waits has no node");
    }
  }
}

}  // namespace tributary
