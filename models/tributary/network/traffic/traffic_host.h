// SPDX-License-Identifier: Apache-2.0
// A host that costs nothing: messages of any length leave as packets, and are whole again where
// they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/lane_gate.h>
#include <tributary/network/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A message of traffic on its way, in one or more packets.
struct traffic_message {
  node_id from{};
  node_id to{};  ///< without a meaning in one for everyone
  bool everyone = false;
  std::uint64_t bytes = 0;
  cycle_t posted = 0;           ///< its host asked for it then
  std::uint32_t receivers = 0;  ///< to whom it has not come whole
  bool lost = false;            ///< the network discarded part of it

  TRIBUTARY_STATE(from, to, everyone, bytes, posted, receivers, lost);
};

/// The messages under way, by number.
class traffic_messages {
 public:
  std::uint32_t add(const traffic_message& message);
  const traffic_message& operator[](std::uint32_t number) const { return messages_[number]; }
  /// It has come whole to one of its receivers; after the last its number is used again.
  void received(std::uint32_t number);
  /// The network discarded a packet of it. Its number is not used again, since other packets of it
  /// may still arrive.
  void lose(std::uint32_t number);
  /// Messages that were lost.
  std::size_t lost() const { return lost_; }
  std::size_t under_way() const { return messages_.size() - unused_.size() - lost_; }

  TRIBUTARY_STATE(messages_, unused_, lost_);

 private:
  std::vector<traffic_message> messages_;
  std::vector<std::uint32_t> unused_;
  std::size_t lost_ = 0;
};

/// Who is told of what arrives. Both calls come in the cycle in which the last byte is there.
class traffic_receiver {
 public:
  virtual void packet_arrived(const traffic_message& message, node_id at, cycle_t now) = 0;
  /// All packets of the message are at that host.
  virtual void message_arrived(const traffic_message& message, node_id at, cycle_t now) = 0;

 protected:
  traffic_receiver() = default;
  traffic_receiver(const traffic_receiver&) = default;
  traffic_receiver& operator=(const traffic_receiver&) = default;
  ~traffic_receiver() = default;
};

/// Messages are cut into packets of the network's greatest payload and leave by lane 0 in the order
/// in which they were posted, as soon as the network takes them. It must keep their order.
class traffic_host final : private lane_gate_client {
 public:
  /// References must outlive it. Throws `configuration_error` if the network lets messages overtake
  /// each other, or has no payload.
  traffic_host(agenda& time, network_port& network, node_id here, traffic_messages& messages,
               traffic_receiver& receiver);

  network_endpoint& endpoint() { return gate_; }
  /// The number of the message of which a packet is part.
  static std::uint32_t message_of(const network_transfer& packet) {
    return static_cast<std::uint32_t>(packet.cargo);
  }
  /// A message of at least one byte. Throws `simulation_error` for none.
  void post(node_id to, std::uint64_t bytes, cycle_t now);
  /// The same to all others, over a network that broadcasts.
  void post_to_everyone(std::uint64_t bytes, cycle_t now);

  /// What changes in it, as bytes, and back; throws as `block::restore`.
  std::string save() const;
  void restore(const std::string& state);

 private:
  void post(traffic_message message, cycle_t now);

  // lane_gate_client
  void departed(const network_transfer&, cycle_t) override {}
  void arrived(const network_transfer&, cycle_t) override {}
  bool take(const network_transfer& packet, cycle_t now) override;

  network_port& network_;
  node_id here_;
  traffic_messages& messages_;
  traffic_receiver& receiver_;
  std::uint64_t sent_packets_ = 0;
  lane_gate gate_;
};

}  // namespace tributary
