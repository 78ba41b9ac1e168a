// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/traffic_host.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/network/message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/identity.h>

namespace tributary {
namespace {

// What a packet carries: the number of its message, and whether it is the last of it.
constexpr std::uint64_t last_packet = std::uint64_t{1} << 32U;

}  // namespace

std::uint32_t traffic_messages::add(const traffic_message& message) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  messages_[number] = message;
  return number;
}

void traffic_messages::received(std::uint32_t number) {
  if (--messages_[number].receivers == 0) unused_.push_back(number);
}

void traffic_messages::lose(std::uint32_t number) {
  if (std::exchange(messages_[number].lost, true)) return;
  ++lost_;
}

traffic_host::traffic_host(agenda& time, network_port& network, node_id here,
                           traffic_messages& messages, traffic_receiver& receiver)
    : network_(network),
      here_(here),
      messages_(messages),
      receiver_(receiver),
      gate_(time, network, *this) {
  require_order(network.reorder_window(), "hosts of traffic");
  if (network.payload_bytes() == 0) {
    throw configuration_error({"network.payload_bytes", "", "packets of traffic have a payload",
                               "1 or more", "raise it"});
  }
}

void traffic_host::post(node_id to, std::uint64_t bytes, cycle_t now) {
  post({here_, to, false, bytes, now, 1}, now);
}

void traffic_host::post_to_everyone(std::uint64_t bytes, cycle_t now) {
  post({here_, here_, true, bytes, now, network_.copies()}, now);
}

void traffic_host::post(traffic_message message, cycle_t now) {
  if (message.bytes == 0) {
    throw simulation_error("traffic, cycle " + std::to_string(now) + ": host " +
                           std::to_string(index(here_)) +
                           " posts a message without bytes; give it one at least");
  }
  const std::uint32_t number = messages_.add(message);
  network_transfer packet;
  packet.source = here_;
  packet.destination = message.to;
  packet.everyone = message.everyone;
  for (std::uint64_t left = message.bytes; left != 0; left -= packet.bytes) {
    packet.bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(left, network_.payload_bytes()));
    packet.cargo = number | (left == packet.bytes ? last_packet : 0);
    // For traces: numbers of messages are used again.
    packet.operation.identity = trace_identity::message(index(here_), sent_packets_++);
    gate_.send(packet, now);
  }
}

std::string traffic_host::save() const { return save_state(gate_.save(), sent_packets_); }

void traffic_host::restore(const std::string& state) {
  std::string gate;
  restore_state(state, gate, sent_packets_);
  gate_.restore(gate);
}

bool traffic_host::take(const network_transfer& packet, cycle_t now) {
  const std::uint32_t number = message_of(packet);
  // A copy: whoever is told may post, and a number may be used again.
  const traffic_message message = messages_[number];
  receiver_.packet_arrived(message, here_, now);
  if (message.lost) return true;
  if ((packet.cargo & last_packet) != 0) {
    messages_.received(number);
    receiver_.message_arrived(message, here_, now);
  }
  return true;
}

}  // namespace tributary
