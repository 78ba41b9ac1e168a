// SPDX-License-Identifier: Apache-2.0
// Random traffic in random wormhole networks whose nodes keep messages back: nothing is lost or
// reordered, all comes to rest, and no cut carries more than its channels. A table with a circle
// blocks, and the error names its channels.
#include <tributary/network/switching/wormhole_network.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/load_traffic.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/sim/random_stream.h>

#include "support/failure.h"
#include "support/random_choice.h"
#include "support/routed_network_bench.h"
#include "support/sizes.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::bench_node;
using testing::between;
using testing::one_of;
using testing::seen_message;

/// A network and what its nodes do, all from one seed.
struct experiment {
  explicit experiment(std::uint64_t number) : random(number, 0U, 1102U), seed(number) {
    random_graph_config drawn;
    drawn.switches = 2 * between(random, 2, 9);
    drawn.degree = between(random, 3, std::min(5U, drawn.switches - 1));
    drawn.hosts_per_switch = between(random, 1, 4);
    drawn.seed = number;
    graph = std::make_shared<const network_graph>(random_regular_graph(drawn));
    config.clock.period = 6250;
    config.bandwidth = 160;
    config.header_bytes = 1;
    config.payload_bytes = one_of(random, {40U, 200U, 600U});
    config.hop_latency = between(random, 1, 30);
    config.base_latency = config.hop_latency + between(random, 1, 20);
    config.gap_bytes = one_of(random, {0U, 0U, 7U});
    config.lanes = between(random, 2, 4);
    buffer_bytes = config.hop_latency + one_of(random, {0U, 5U, 40U, 700U});
    header_cycles = one_of(random, {0U, 0U, 1U, config.hop_latency});
    spacing = one_of(random, {1U, 30U, 300U, 3000U});
    stalls = one_of(random, {0U, 10U, 2000U});
    is_dfs = random.below(2) == 0;
  }

  std::unique_ptr<wormhole_network> network() const {
    const orientation ends = is_dfs ? dfs_orientation(*graph) : bfs_orientation(*graph);
    const up_down_routes routes(ends);
    return std::make_unique<wormhole_network>(config, buffer_bytes, graph, up_down_table(routes),
                                              seed, header_cycles);
  }

  random_stream random;
  std::uint64_t seed;
  std::shared_ptr<const network_graph> graph;
  message_network_config config;
  std::uint32_t buffer_bytes = 0;
  std::uint32_t header_cycles = 0;
  std::uint32_t spacing = 0;  ///< greatest distance of two messages of a node in time
  std::uint32_t stalls = 0;   ///< greatest number of cycles for which a node keeps a message
  bool is_dfs = false;
};

using stream = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>;
using streams = std::map<stream, std::vector<std::uint64_t>>;

/// Nodes of an experiment around its network.
class trial {
 public:
  explicit trial(std::uint64_t seed) : what_(seed), network_(what_.network()) {
    for (std::uint32_t n = 0; n < network_->nodes(); ++n) {
      nodes_.push_back(std::make_unique<bench_node>(*network_, node_id{n}));
      const std::uint32_t stalls = what_.stalls;
      nodes_.back()->delay = [stalls](const network_transfer& message) {
        return stalls == 0 ? 0 : message.cargo * 7919 % stalls;
      };
    }
    offer();
  }

  void run() {
    for (cycle_t now = 1; now < 3'000'000; ++now) {
      network_->advance_to(now);
      bool all_idle = network_->idle();
      for (const auto& each : nodes_) {
        each->step(now);
        all_idle = all_idle && each->idle();
      }
      if (all_idle && network_->idle()) return;
    }
  }

  void check() const {
    EXPECT_EQ(network_->under_way(), 0U);
    EXPECT_EQ(network_->circle(), "");
    streams sent;
    streams came;
    for (const auto& each : nodes_) {
      EXPECT_EQ(each->unsent(), 0U);
      EXPECT_FALSE(each->late);
      for (const seen_message& message : each->sent) add(message.what, sent);
      for (const seen_message& message : each->arrived) add(message.what, came);
    }
    EXPECT_EQ(sent, came);
    EXPECT_EQ(sum_of(sent), all_);
    for (int cut = 0; cut < 8; ++cut) check_cut(static_cast<std::uint32_t>(cut));
  }

 private:
  void offer() {
    random_stream& random = what_.random;
    for (std::uint32_t n = 0; n < network_->nodes(); ++n) {
      cycle_t at = 1;
      for (std::uint32_t m = between(random, 0, 25); m != 0; --m) {
        at += random.below(what_.spacing);
        network_transfer message;
        message.source = node_id{n};
        const std::uint32_t to = between(random, 0, network_->nodes() - 2);
        message.destination = node_id{to < n ? to : to + 1};
        message.lane = static_cast<std::uint8_t>(random.below(what_.config.lanes));
        message.bytes = between(random, 1, what_.config.payload_bytes);
        message.cargo = ++all_;
        nodes_[n]->offer(message, at);
      }
    }
  }

  static void add(const network_transfer& message, streams& into) {
    into[{index(message.source), index(message.destination), message.lane}].push_back(
        message.cargo);
  }
  static std::uint64_t sum_of(const streams& all) {
    std::uint64_t messages = 0;
    for (const auto& each : all) messages += each.second.size();
    return messages;
  }

  /// Switches on either side by random numbers, or one alone: flits between the sides take at least
  /// as many cycles as there are for each channel from the one to the other.
  void check_cut(std::uint32_t number) const {
    const network_graph& graph = *what_.graph;
    random_stream draws(what_.seed, number, 1103U);
    std::vector<bool> inside(graph.switches());
    for (std::uint32_t s = 0; s < graph.switches(); ++s) inside[s] = draws.below(2) == 0;
    if (number < 4) {
      inside.assign(graph.switches(), false);
      inside[draws.below(graph.switches())] = true;
    }
    std::uint64_t channels = 0;
    for (std::uint32_t c = 0; c < graph.channels(); ++c) {
      if (inside[index(graph.source(c).at)] && !inside[index(graph.target(c).at)]) ++channels;
    }
    std::uint64_t flits = 0;
    cycle_t first = never;
    cycle_t last = 0;
    for (const auto& each : nodes_) {
      for (const seen_message& message : each->sent) first = std::min(first, message.cycle);
      for (std::size_t i = 0; i < each->arrived.size(); ++i) {
        const network_transfer& message = each->arrived[i].what;
        last = std::max(last, each->tails[i]);
        const auto side = [&](node_id host) {
          return inside[index(graph.switch_of(host_id{index(host)}))];
        };
        if (side(message.source) && !side(message.destination)) {
          flits += network_->wire_cycles(message.bytes) + what_.config.gap_cycles();
        }
      }
    }
    if (last == 0) return;
    // The gap behind the last message of each channel may be over later.
    EXPECT_LE(flits, channels * (last - first + what_.config.gap_cycles()))
        << "seed " << what_.seed << ", cut " << number;
  }

  experiment what_;
  std::unique_ptr<wormhole_network> network_;
  std::vector<std::unique_ptr<bench_node>> nodes_;
  std::uint64_t all_ = 0;
};

TEST(wormhole_network, random_traffic_arrives_in_order_and_comes_to_rest) {
  for (std::uint64_t seed = 1; seed <= testing::halved(120); ++seed) {
    SCOPED_TRACE(seed);
    trial tested(seed);
    tested.run();
    tested.check();
    if (::testing::Test::HasFailure()) return;
  }
}

/// All messages of the ring go the same way round.
routing_table one_way_table(const network_graph& ring) {
  routing_rules rules;
  rules.name = "one way";
  rules.ways_on = [&ring](switch_id at, std::uint32_t, switch_id, std::vector<route_hop>& ways) {
    const std::uint32_t next = (index(at) + 1) % ring.switches();
    for (const neighbour_link& each : ring.neighbours(at)) {
      if (index(each.to) == next) ways.push_back({static_cast<std::uint8_t>(each.port), 0});
    }
  };
  return routing_table(ring, rules, deadlock_check::skipped);
}

message_network_config ring_links() {
  message_network_config config;
  config.clock.period = 6250;
  config.bandwidth = 160;
  config.header_bytes = 1;
  config.payload_bytes = 400;
  config.base_latency = 25;
  config.hop_latency = 24;
  return config;
}

/// Each host sends as far as a host is, at once: every message holds its first link and waits for
/// the second.
class around final : public traffic_kernel {
 public:
  explicit around(std::uint32_t distance) : distance_(distance) {}
  void begin(traffic_hosts& hosts) override {
    left_ = hosts.count();
    for (std::uint32_t h = 0; h < hosts.count(); ++h) hosts.call(node_id{h}, first_traffic_cycle);
  }
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override {
    hosts.host(host).post(node_id{(index(host) + distance_) % hosts.count()}, 300, now);
  }
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override { --left_; }
  bool finished() const override { return left_ == 0; }
  std::string save() const override { return ""; }
  void restore(const std::string&) override {}

 private:
  std::uint32_t distance_;
  std::uint32_t left_ = 0;
};

/// What comes of messages that far around a ring of five switches.
std::string end_of(std::uint32_t distance, std::uint32_t header_cycles) {
  const auto ring = std::make_shared<const network_graph>(ring_graph(5, 1));
  wormhole_network network(ring_links(), 64, ring, one_way_table(*ring), 1, header_cycles);
  around kernel(distance);
  traffic_run run(network, kernel);
  return testing::failure<stuck_traffic>([&] { run.run(); });
}

TEST(wormhole_network, channels_that_wait_in_a_circle_are_named) {
  const network_graph ring = ring_graph(5, 1);
  const routing_table table = one_way_table(ring);
  for (const std::uint32_t header_cycles : {0U, 1U, 24U}) {
    EXPECT_EQ(end_of(1, header_cycles), "");
    const std::string blocked = end_of(3, header_cycles);
    EXPECT_TRUE(testing::names(blocked, {"traffic", "5 messages", "circle"}));
    for (std::uint32_t s = 0; s < 5; ++s) {
      const std::uint32_t port = table.ways_on(switch_id{s}, 0, switch_id{(s + 2) % 5})[0].port;
      const std::uint32_t channel = ring.channel_from({switch_id{s}, port});
      EXPECT_TRUE(testing::contains(blocked, ring.channel_text(channel)));
    }
  }
}

/// Two of five messages do not make a circle.
TEST(wormhole_network, messages_that_wait_without_a_circle_name_none) {
  const auto star = std::make_shared<const network_graph>(star_graph(1, 5));
  const orientation ends = bfs_orientation(*star);
  const up_down_routes routes(ends);
  wormhole_network network(ring_links(), 64, star, up_down_table(routes));
  destination_config pattern;
  pattern.kind = destination_kind::hot_spot;
  pattern.share = 1;
  load_traffic::options load;
  load.load = 0.5;
  load_traffic kernel(load, destination_pattern(pattern, *star));
  traffic_run run(network, kernel);
  run.run_until(3000);
  EXPECT_FALSE(network.waiting().empty());
  EXPECT_EQ(network.circle(), "");
}

}  // namespace
}  // namespace tributary
