// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/ring/ring_network.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups: what, then the message, then its receiver.
constexpr std::uint64_t to_look = 0;
constexpr std::uint64_t at_gate = 1;
constexpr std::uint64_t to_leave = 2;
constexpr unsigned message_bit = 2;
constexpr unsigned receiver_bit = 40;

std::uint64_t wakeup_of(std::uint64_t what, std::uint32_t message, std::uint32_t receiver = 0) {
  return what | std::uint64_t{message} << message_bit | std::uint64_t{receiver} << receiver_bit;
}

/// It has broadcasts whatever is asked for.
message_network_config with_broadcast(message_network_config config) {
  config.broadcast = true;
  return config;
}

}  // namespace

ring_network::ring_network(const message_network_config& config, std::uint32_t nodes)
    : message_network(with_broadcast(config), nodes),
      injection_free_(nodes),
      waiting_(std::size_t{nodes} * config.lanes),
      links_(nodes),
      reserved_(std::size_t{nodes} * config.lanes),
      held_(std::size_t{nodes} * config.lanes) {
  config.validate(nodes);
  agenda_.enroll(*this);
}

bool ring_network::ready(node_id node, std::uint8_t lane, cycle_t now) const {
  return injection_free_[index(node)] <= now &&
         waiting_[place(node, lane)].size() < config_.router_buffers;
}

cycle_t ring_network::place_at(node_id node, std::uint8_t lane) const {
  return waiting_[place(node, lane)].size() < config_.router_buffers ? now() : never;
}

void ring_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  if (transfer.everyone && transfer.lane != ordered_lane) {
    fail(now, lane_of_node(transfer.source, transfer.lane) +
                  " sends to everyone; on a ring only lane 0 does");
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  ++under_way_;
  messages_[number] = {transfer, now, transfer.everyone ? nodes() : 1};
  injection_free_[index(transfer.source)] = now + wire_cycles(transfer.bytes);
  waiting_[place(transfer.source, transfer.lane)].push(number);
  look_at(now + entering);
}

void ring_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  std::uint32_t& held = held_[place(node, lane)];
  if (held == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held;
  --reserved_[place(node, lane)];
  const bool waits =
      std::any_of(waiting_.begin(), waiting_.end(), [](const auto& each) { return !each.empty(); });
  if (waits) look_at(now + 1);
}

void ring_network::wake(cycle_t now, std::uint64_t wakeup) {
  const std::uint64_t what = wakeup & ((1U << message_bit) - 1);
  const auto receiver = static_cast<std::uint32_t>(wakeup >> receiver_bit);
  const auto number = static_cast<std::uint32_t>(
      wakeup >> message_bit & ((std::uint64_t{1} << (receiver_bit - message_bit)) - 1));
  if (what == to_look) {
    if (look_at_ != now) return;
    look_at_ = never;
    look(now);
  } else if (what == at_gate) {
    pass_gate(number, now);
  } else {
    leave(number, node_id{receiver}, now);
  }
}

void ring_network::look_at(cycle_t when) {
  if (look_at_ <= when) return;
  look_at_ = when;
  agenda_.wake(*this, when, to_look, wake_rank::inside);
}

/// Who has waited longest comes first; one that has no places does not hold up others.
void ring_network::look(cycle_t now) {
  std::vector<std::tuple<cycle_t, std::size_t>> heads;
  bool entered = true;
  while (entered) {
    entered = false;
    heads.clear();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].empty()) continue;
      const cycle_t sent = messages_[waiting_[i].front()].sent;
      // What was sent in this cycle enters in the next.
      if (sent < now) heads.emplace_back(sent, i);
    }
    std::sort(heads.begin(), heads.end());
    for (const auto& [sent, i] : heads) {
      const std::uint32_t number = waiting_[i].front();
      if (!has_places(messages_[number].transfer)) continue;
      waiting_[i].pop();
      enter(number, now);
      entered = true;
    }
  }
}

bool ring_network::has_places(const network_transfer& transfer) const {
  const auto has = [&](std::uint32_t node) {
    return reserved_[place(node_id{node}, transfer.lane)] < config_.endpoint_buffers;
  };
  if (!transfer.everyone) return has(index(transfer.destination));
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (!has(node)) return false;
  }
  return true;
}

void ring_network::enter(std::uint32_t number, cycle_t now) {
  const network_transfer& transfer = messages_[number].transfer;
  const std::uint64_t wire = wire_cycles(transfer.bytes);
  const std::uint32_t from = index(transfer.source);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (!transfer.everyone && node != index(transfer.destination)) continue;
    ++reserved_[place(node_id{node}, transfer.lane)];
  }
  if (endpoint(transfer.source) != nullptr) {
    endpoint(transfer.source)->room(transfer.lane, now + 1);
  }
  if (transfer.lane == ordered_lane) {
    const std::uint32_t links = after(from, 0);
    const cycle_t first = take_links(from, links, wire, now);
    const cycle_t there = first + std::uint64_t{links} * config_.hop_latency;
    if (there == now) {
      pass_gate(number, now);
    } else {
      agenda_.wake(*this, there, wakeup_of(at_gate, number), wake_rank::arrival);
    }
    return;
  }
  const std::uint32_t links = after(from, index(transfer.destination));
  const cycle_t first = take_links(from, links, wire, now);
  wake_to_leave(number, transfer.destination, first + std::uint64_t{links} * config_.hop_latency);
}

void ring_network::pass_gate(std::uint32_t number, cycle_t now) {
  const network_transfer& transfer = messages_[number].transfer;
  const std::uint64_t wire = wire_cycles(transfer.bytes);
  const std::uint32_t last = transfer.everyone ? nodes() - 1 : index(transfer.destination);
  const cycle_t first = take_links(0, last, wire, std::max(now, gate_free_));
  gate_free_ = first + wire;
  for (std::uint32_t node = transfer.everyone ? 0 : last; node <= last; ++node) {
    wake_to_leave(number, node_id{node}, first + std::uint64_t{node} * config_.hop_latency);
  }
}

cycle_t ring_network::take_links(std::uint32_t from, std::uint32_t count, std::uint64_t wire,
                                 cycle_t earliest) {
  cycle_t first = earliest;
  for (std::uint32_t i = 0; i < count; ++i) {
    const cycle_t comes = first + std::uint64_t{i} * config_.hop_latency;
    const cycle_t free = links_[(from + i) % nodes()];
    if (free > comes) first += free - comes;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    links_[(from + i) % nodes()] = first + std::uint64_t{i} * config_.hop_latency + wire;
    busy_ += wire;
  }
  return first;
}

/// The node is told a cycle before the head is there.
void ring_network::wake_to_leave(std::uint32_t number, node_id receiver, cycle_t head) {
  agenda_.wake(*this, head + config_.base_latency - 1, wakeup_of(to_leave, number, index(receiver)),
               wake_rank::inside);
}

void ring_network::leave(std::uint32_t number, node_id receiver, cycle_t now) {
  network_transfer transfer = messages_[number].transfer;
  transfer.destination = receiver;
  const cycle_t head = now + 1;
  const cycle_t latency = head - messages_[number].sent;
  const std::uint32_t from = index(transfer.source);
  const std::uint64_t links = transfer.lane == ordered_lane
                                  ? std::uint64_t{after(from, 0)} + index(receiver)
                                  : after(from, index(receiver));
  count_copy(transfer, latency, latency - least_latency(config_, links));
  if (--messages_[number].receivers == 0) {
    count_message(transfer);
    unused_.push_back(number);
    --under_way_;
  }
  ++held_[place(receiver, transfer.lane)];
  deliver(transfer, head, now);
}

void ring_network::reset_statistics() {
  statistics_since_ = now();
  busy_ = 0;
  by_lane_.assign(lanes(), {});
}

void ring_network::report(statistics_group& group, std::uint64_t /*cycles*/) const {
  report_lanes(group);
  const double elapsed = static_cast<double>(now() - statistics_since_) * nodes();
  group.add("utilisation", elapsed == 0 ? 0.0 : static_cast<double>(busy_) / elapsed, "1",
            "Part of the time that a link of the ring was taken for messages that entered: mean.");
}

std::string ring_network::save() const { return save_state(agenda_.save(), save_state(*this)); }

void ring_network::restore(const std::string& state) {
  std::string wakeups;
  std::string own;
  restore_state(state, wakeups, own);
  restore_state(own, *this);
  const std::size_t queues = std::size_t{nodes()} * lanes();
  require_state(injection_free_.size() == nodes() && links_.size() == nodes() &&
                    waiting_.size() == queues && reserved_.size() == queues &&
                    held_.size() == queues && by_lane_.size() == lanes(),
                "the ring has another size");
  for (const flying_message& each : messages_) {
    require_state(index(each.transfer.source) < nodes() &&
                      index(each.transfer.destination) < nodes() && each.transfer.lane < lanes(),
                  "a message is nowhere on the ring");
  }
  for (const auto& each : waiting_) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      require_state(each[i] < messages_.size(), "a message that waits does not exist");
    }
  }
  agenda_.restore(wakeups);
}

}  // namespace tributary
