// SPDX-License-Identifier: Apache-2.0
// Random traffic over a fabric with few buffers and nodes that stall: nothing is lost, reordered or
// held up, and it does not matter which node is asked first in a cycle.
#include <gtest/gtest.h>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/switching/fabric_network.h>
#include <tributary/sim/random_stream.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/random_choice.h"
#include "support/routed_network_bench.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::bench_node;
using testing::bench_order;
using testing::between;
using testing::one_of;
using testing::seen_message;

enum draw : std::uint32_t { of_fabric, of_traffic, of_stalls };

/// A fabric and what its nodes do, all from one seed.
struct fabric_experiment {
  explicit fabric_experiment(std::uint64_t number) : seed(number) {
    random_stream random(seed, 0U, of_fabric);
    grid_config grid;
    grid.sizes = {between(random, 1, 3), between(random, 1, 3)};
    grid.wraps = random.below(2) == 0;
    grid.hosts_per_switch = between(random, 2, 4);
    graph = std::make_shared<const network_graph>(grid_graph(grid));
    fabric.ports = random.below(2) == 0;
    fabric.unit_bytes = one_of(random, {1U, 16U, 69U});
    fabric.unit_cycles = between(random, 1, 3);
    fabric.exit_cycles = between(random, 0, 3);
    fabric.connection_buffers = between(random, 1, 3);
    config.lanes = between(random, 2, most_network_lanes);
    config.bandwidth = one_of(random, {100U, 400U, 3200U});
    config.gap_bytes = one_of(random, {0U, 12U});
    config.base_latency = between(random, 3, 20);
    config.hop_latency = between(random, 1, 5);
    config.router_buffers = between(random, 1, 4);
    config.endpoint_buffers = between(random, 1, 4);
    config.broadcast = random.below(2) == 0;
    config.broadcast_self = random.below(2) == 0;
    messages = between(random, 1, 20);
    spacing = one_of(random, {1U, 30U, 200U});
    hot = random.below(3) == 0;
    stalls = one_of(random, {0U, 10U, 400U});
  }

  std::string text() const { return "seed " + std::to_string(seed); }

  std::uint64_t seed;
  std::shared_ptr<const network_graph> graph;
  message_network_config config;
  fabric_config fabric;
  std::uint32_t messages = 0;  ///< a node
  std::uint32_t spacing = 0;   ///< greatest distance of two in time
  bool hot = false;            ///< every other message goes to node 0
  std::uint32_t stalls = 0;    ///< greatest number of cycles for which a node keeps a message
};

/// What was sent or came, by source, destination and lane.
using by_stream = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>,
                           std::vector<std::pair<cycle_t, std::uint64_t>>>;

class fabric_run {
 public:
  explicit fabric_run(const fabric_experiment& what)
      : what_(what), network_(what.config, what.fabric, what.graph) {
    for (std::uint32_t n = 0; n < network_.nodes(); ++n) {
      stalls_.emplace_back(what.seed, n, of_stalls);
      nodes_.push_back(std::make_unique<bench_node>(network_, node_id{n}));
      nodes_.back()->delay = [this, n](const network_transfer&) {
        return cycle_t{between(stalls_[n], 0, what_.stalls)};
      };
      offer(n);
    }
  }

  /// Until all is idle; what came.
  by_stream run(bench_order order) {
    const cycle_t limit = 1'000'000;
    cycle_t now = 0;
    while (now < limit && !is_idle()) {
      ++now;
      if (order == bench_order::network_first) network_.advance_to(now);
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[order == bench_order::nodes_first_downwards ? nodes_.size() - 1 - i : i]->step(now);
      }
      if (order != bench_order::network_first) network_.advance_to(now);
    }
    EXPECT_TRUE(is_idle()) << what_.text() << ": messages are stuck";
    by_stream came;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      const bench_node& node = *nodes_[n];
      EXPECT_FALSE(node.late) << what_.text();
      for (std::size_t i = 0; i < node.arrived.size(); ++i) {
        const seen_message& each = node.arrived[i];
        EXPECT_EQ(index(each.what.destination), n) << what_.text();
        if (i != 0) {
          EXPECT_GE(each.cycle, node.tails[i - 1]) << what_.text();
        }
        came[{index(each.what.source), n, each.what.lane}].emplace_back(each.cycle,
                                                                        each.what.cargo);
      }
    }
    return came;
  }

  /// What should come.
  by_stream sent() const {
    by_stream all;
    for (const auto& node : nodes_) {
      EXPECT_EQ(node->sent.size(), what_.messages) << what_.text();
      for (const seen_message& each : node->sent) {
        for (std::uint32_t to = 0; to < nodes_.size(); ++to) {
          const bool comes = each.what.everyone
                                 ? what_.config.broadcast_self || node_id{to} != each.what.source
                                 : node_id{to} == each.what.destination;
          if (!comes) continue;
          all[{index(each.what.source), to, each.what.lane}].emplace_back(each.cycle,
                                                                          each.what.cargo);
        }
      }
    }
    return all;
  }
  cycle_t least(std::uint32_t from, std::uint32_t to) const {
    return network_.least_latency(node_id{from}, node_id{to}, 0);
  }

 private:
  void offer(std::uint32_t n) {
    random_stream random(what_.seed, n, of_traffic);
    cycle_t at = 1;
    for (std::uint32_t i = 0; i < what_.messages; ++i) {
      at += between(random, 0, what_.spacing);
      const std::uint32_t to =
          what_.hot && random.below(2) == 0 ? 0 : between(random, 0, network_.nodes() - 1);
      network_transfer message{node_id{n}, node_id{to},
                               static_cast<std::uint8_t>(random.below(what_.config.lanes)),
                               one_of(random, {0U, 8U, 128U}), ++cargo_};
      message.everyone = what_.config.broadcast && random.below(8) == 0;
      nodes_[n]->offer(message, at);
    }
  }
  bool is_idle() const {
    return network_.idle() &&
           std::all_of(nodes_.begin(), nodes_.end(), [](const auto& each) { return each->idle(); });
  }

  const fabric_experiment& what_;
  fabric_network network_;
  std::vector<random_stream> stalls_;
  std::vector<std::unique_ptr<bench_node>> nodes_;
  std::uint64_t cargo_ = 0;
};

TEST(fabric_traffic, arrives_complete_and_in_order_whoever_is_asked_first) {
  const std::uint64_t last = testing::long_form() ? 4000 : testing::halved(100);
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    const fabric_experiment what(seed);
    fabric_run run(what);
    const by_stream came = run.run(bench_order::network_first);
    const by_stream sent = run.sent();
    ASSERT_EQ(came.size(), sent.size()) << what.text();
    for (const auto& [stream, messages] : sent) {
      const auto& arrived = came.at(stream);
      ASSERT_EQ(arrived.size(), messages.size()) << what.text();
      for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(arrived[i].second, messages[i].second) << what.text();
        EXPECT_GE(arrived[i].first,
                  messages[i].first + run.least(std::get<0>(stream), std::get<1>(stream)))
            << what.text();
      }
    }
    EXPECT_EQ(came, fabric_run(what).run(bench_order::nodes_first)) << what.text();
    EXPECT_EQ(came, fabric_run(what).run(bench_order::nodes_first_downwards)) << what.text();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
