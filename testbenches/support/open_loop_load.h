// SPDX-License-Identifier: Apache-2.0
// Hosts that send packets of one length at a given load, whatever the network takes, and what is
// measured of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

/// Links that carry a byte, here a flit, a cycle; the header is a flit.
inline message_network_config flit_links(std::uint32_t flits) {
  message_network_config links;
  links.clock.period = 1000;
  links.bandwidth = 1000;
  links.header_bytes = 1;
  links.payload_bytes = flits - 1;
  links.lanes = 2;
  links.endpoint_buffers = 1024;
  return links;
}

/// To whom a host sends its next packet.
using destination_choice = std::function<std::uint32_t(std::uint32_t from, random_stream& draws)>;

/// Any host, the sender included, each with equal chance.
inline destination_choice uniform_among(std::uint32_t hosts) {
  return [hosts](std::uint32_t, random_stream& draws) {
    return static_cast<std::uint32_t>(draws.below(hosts));
  };
}

/// An open loop: in each cycle each host makes a packet with a chance that gives the load, and
/// sends its packets in order as soon as the network takes them. Hosts take what comes at once.
class open_loop_load {
 public:
  open_loop_load(message_network& network, std::uint32_t flits, destination_choice choose,
                 std::uint64_t seed)
      : network_(network), flits_(flits), choose_(std::move(choose)), hosts_(network.nodes()) {
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      hosts_[h].owner = this;
      hosts_[h].self = node_id{h};
      hosts_[h].draws = random_stream(seed, h, static_cast<std::uint32_t>(purpose::arrival));
      network.attach(node_id{h}, hosts_[h]);
    }
  }

  /// Flits a host and cycle.
  void set_load(double load) { threshold_ = probability_threshold(load / flits_); }

  void run(cycle_t cycles) {
    for (const cycle_t last = now_ + cycles; now_ < last;) {
      ++now_;
      for (host& each : hosts_) each.step(now_);
      network_.advance_to(now_);
    }
  }
  cycle_t now() const { return now_; }

  /// Packets that hosts made and that have not arrived.
  std::size_t under_way() const {
    std::size_t count = network_.under_way();
    for (const host& each : hosts_) count += each.to_send.size();
    return count;
  }

  /// Forgets what was measured.
  void reset() {
    arrived = 0;
    latency.reset();
    since_ = now_;
  }
  /// Flits that arrived a host and cycle.
  double accepted() const {
    return static_cast<double>(arrived * flits_) / static_cast<double>(hosts_.size()) /
           static_cast<double>(now_ - since_);
  }
  /// The same, with packets under way as they are: it grows without end above saturation.
  double latency_with_waiting() const {
    std::uint64_t sum = latency.sum();
    std::uint64_t count = latency.count();
    for (const host& each : hosts_) {
      if (each.to_send.empty()) continue;
      sum += now_ - each.to_send.front().made;
      ++count;
    }
    return static_cast<double>(sum) / static_cast<double>(count);
  }

  std::uint64_t made = 0;     ///< packets, from the beginning
  std::uint64_t arrived = 0;  ///< packets
  average latency;            ///< from a packet's making to its last flit

 private:
  struct made_packet {
    cycle_t made = 0;
    std::uint32_t to = 0;
  };
  struct host final : network_endpoint {
    void room(std::uint8_t, cycle_t) override {}
    void arrive(const network_transfer& transfer, cycle_t, cycle_t tail) override {
      ++owner->arrived;
      owner->latency.add(tail - 1 - transfer.cargo);
      ++to_give_back;
    }
    void step(cycle_t now) {
      for (; to_give_back != 0; --to_give_back) owner->network_.give_back(self, 0, now);
      if (draws.bernoulli(owner->threshold_)) {
        ++owner->made;
        to_send.push({now, owner->choose_(static_cast<std::uint32_t>(self), draws)});
      }
      while (!to_send.empty() && owner->network_.ready(self, 0, now)) {
        network_transfer sent;
        sent.source = self;
        sent.destination = node_id{to_send.front().to};
        sent.bytes = owner->flits_ - 1;
        sent.cargo = to_send.front().made;
        to_send.pop();
        owner->network_.send(sent, now);
      }
    }

    open_loop_load* owner = nullptr;
    node_id self{};
    random_stream draws;
    fifo<made_packet> to_send;
    std::uint32_t to_give_back = 0;
  };

  message_network& network_;
  std::uint32_t flits_;
  destination_choice choose_;
  std::uint64_t threshold_ = 0;
  std::vector<host> hosts_;
  cycle_t now_ = 0;
  cycle_t since_ = 0;
};

}  // namespace tributary::testing
