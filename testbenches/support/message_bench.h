// SPDX-License-Identifier: Apache-2.0
// A network of any kind with a node that sends and takes messages at each place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include <gtest/gtest.h>

#include <tributary/network/message_network.h>

#include <support/routed_network_bench.h>

namespace tributary::testing {

/// A message without a payload, or with one of so many bytes.
inline network_transfer message(std::uint32_t from, std::uint32_t to, std::uint8_t lane,
                                std::uint64_t cargo, std::uint32_t bytes = 0) {
  network_transfer made;
  made.source = node_id{from};
  made.destination = node_id{to};
  made.lane = lane;
  made.bytes = bytes;
  made.cargo = cargo;
  return made;
}

/// The network and its nodes, stepped cycle by cycle.
template <class Network>
struct message_bench {
  message_bench(const message_network_config& config, std::uint32_t count)
      : network(config, count) {
    add_nodes();
  }
  /// Of a network with a configuration of its own.
  template <class Own>
  message_bench(const message_network_config& config, const Own& own, std::uint32_t count)
      : network(config, own, count) {
    add_nodes();
  }

  void run_until(cycle_t last) {
    while (now < last) {
      ++now;
      network.advance_to(now);
      for (bench_node& each : nodes) each.step(now);
    }
  }
  bool idle() const {
    return network.idle() &&
           std::all_of(nodes.begin(), nodes.end(), [](const auto& each) { return each.idle(); });
  }
  void run() {
    while (!idle() && now < 1000000) run_until(now + 100);
    EXPECT_TRUE(idle()) << "something stays";
    for (const bench_node& each : nodes) EXPECT_FALSE(each.late);
  }

  Network network;
  std::deque<bench_node> nodes;
  cycle_t now = 0;

 private:
  void add_nodes() {
    for (std::uint32_t i = 0; i < network.nodes(); ++i) nodes.emplace_back(network, node_id{i});
  }
};

}  // namespace tributary::testing
