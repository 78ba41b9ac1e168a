// SPDX-License-Identifier: Apache-2.0
// Random traffic with nodes that stall: nothing is lost, reordered or held up, and no buffer is
// used beyond its places. The long form, a hundred times as much: TRIBUTARY_LONG=1.
#include <gtest/gtest.h>

#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/random_stream.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/random_choice.h"
#include "support/routed_network_bench.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::bench_order;
using testing::between;
using testing::link_checker;
using testing::one_of;
using testing::routed_network_bench;
using testing::seen_message;

enum draw : std::uint32_t { of_machine, of_traffic, of_stalls };

/// Which routers, and how many nodes each has.
struct network_shape {
  topology_kind kind = topology_kind::mesh;
  std::uint32_t nodes_per_router = 1;
};

/// A machine and what its nodes do, all from one seed.
struct experiment {
  experiment(std::uint64_t number, const network_shape& shape) : seed(number) {
    random_stream random(seed, 0U, of_machine);
    config.topology = shape.kind;
    config.nodes_per_router = shape.nodes_per_router;
    std::uint32_t routers = std::max(1U, between(random, 2, 64) / shape.nodes_per_router);
    if (shape.kind == topology_kind::hypercube) routers = 1U << log2_of(routers);
    nodes = routers * shape.nodes_per_router;
    config.routing = one_of(random, {routing_kind::ascending, routing_kind::descending});
    config.switching =
        one_of(random, {switching_kind::cut_through, switching_kind::store_and_forward});
    config.bandwidth = one_of(random, {100U, 300U, 400U, 800U, 3200U});
    config.header_bytes = one_of(random, {16U, 32U});
    config.base_latency = between(random, 2, 20);
    config.hop_latency = between(random, 1, 5);
    config.router_buffers = between(random, 1, 5);
    config.endpoint_buffers = between(random, 1, 16);
    messages = between(random, 1, 60);
    spacing = one_of(random, {1U, 30U, 200U, 2000U});
    hot = random.below(3) == 0;
    stalls = one_of(random, {0U, 10U, 400U, 5000U});
    lanes = between(random, 1, most_network_lanes);
    const auto longest = static_cast<std::uint32_t>(config.longest());
    config.router_buffer_bytes = one_of(random, {0U, 0U, longest, 2 * longest + 7});
    config.endpoint_buffer_bytes = one_of(random, {0U, 0U, longest, 3 * longest});
    config.broadcast = random.below(2) == 0;
    config.broadcast_self = random.below(2) == 0;
    config.reorder_window = one_of(random, {0U, 0U, 1U, 3U, 64U});
    config.reorder_seed = static_cast<std::uint32_t>(random.below(1000));
  }

  std::string text() const {
    return "seed " + std::to_string(seed) + ", " + std::to_string(nodes) + " nodes";
  }

  std::uint64_t seed;
  message_network_config config;
  std::uint32_t nodes = 0;
  std::uint32_t messages = 0;  ///< a node
  std::uint32_t spacing = 0;   ///< greatest distance of two in time
  bool hot = false;            ///< every other message goes to node 0
  std::uint32_t stalls = 0;    ///< greatest number of cycles for which a node keeps a message
  std::uint32_t lanes = 0;
};

using trace = decltype(link_checker::trace);

/// By source, destination and lane.
using stream = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>;
using streams = std::map<stream, std::vector<seen_message>>;

/// A message among those of its stream, or of all streams for everyone.
void add_sent(const experiment& what, const seen_message& message, streams& into) {
  seen_message copy = message;
  for (std::uint32_t to = 0; to < what.nodes; ++to) {
    const bool is_own = node_id{to} == message.what.source;
    if (message.what.everyone ? is_own && !what.config.broadcast_self
                              : node_id{to} != message.what.destination) {
      continue;
    }
    copy.what.destination = node_id{to};
    into[{index(copy.what.source), to, copy.what.lane}].push_back(copy);
  }
}

/// Each message that was sent arrived once, and overtook others within the window only.
void check_stream(const experiment& what, const routed_network& network,
                  const std::vector<seen_message>& sent, const std::vector<seen_message>& came) {
  ASSERT_EQ(sent.size(), came.size()) << what.text();
  std::map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < sent.size(); ++i) places[sent[i].what.cargo] = i;
  std::vector<std::size_t> order;
  for (const seen_message& each : came) {
    const auto place = places.find(each.what.cargo);
    ASSERT_NE(place, places.end()) << what.text() << ": message " << each.what.cargo;
    const seen_message& was = sent[place->second];
    order.push_back(place->second);
    EXPECT_EQ(each.what.bytes, was.what.bytes) << what.text();
    EXPECT_EQ(each.what.everyone, was.what.everyone) << what.text();
    EXPECT_GE(each.cycle - was.cycle,
              network.least_latency(each.what.source, each.what.destination, each.what.bytes))
        << what.text();
    places.erase(place);
  }
  const testing::overtaking most = testing::most_overtaking(order);
  EXPECT_LE(most.overtaken, what.config.reorder_window) << what.text();
  EXPECT_LE(most.overtook, what.config.reorder_window) << what.text();
}

/// Runs until everything is idle, checks it, and returns what crossed the links. `filled` counts
/// the machines in which all places of a lane behind a link between routers were in use together.
trace run(const experiment& what, bench_order order, int* filled = nullptr) {
  routed_network_bench bench(what.config, what.nodes);
  link_checker checker(what.config, what.nodes);
  bench.network.observers().attach(checker);
  std::vector<random_stream> stalls;
  for (std::uint32_t n = 0; n < what.nodes; ++n) stalls.emplace_back(what.seed, n, of_stalls);
  std::uint64_t cargo = 0;
  for (std::uint32_t n = 0; n < what.nodes; ++n) {
    testing::bench_node& node = *bench.nodes[n];
    node.delay = [&what, &stalls, n](const network_transfer&) {
      return cycle_t{between(stalls[n], 0, what.stalls)};
    };
    node.taken = [&checker](const network_transfer& message, cycle_t now) {
      checker.given_back(message, now);
    };
    random_stream random(what.seed, n, of_traffic);
    cycle_t at = 1;
    for (std::uint32_t i = 0; i < what.messages; ++i) {
      at += between(random, 0, what.spacing);
      const std::uint32_t to =
          what.hot && random.below(2) == 0 ? 0 : between(random, 0, what.nodes - 1);
      network_transfer message{node_id{n}, node_id{to},
                               static_cast<std::uint8_t>(random.below(what.lanes)),
                               one_of(random, {0U, 8U, 128U}), ++cargo};
      message.everyone = what.config.broadcast && random.below(32) == 0;
      node.offer(message, at);
    }
  }
  // Beyond what the slowest machine needs if each message went through by itself.
  const cycle_t limit = 10'000'000;
  while (!bench.idle() && bench.now < limit) bench.step(order);
  EXPECT_TRUE(bench.idle()) << what.text() << ": messages are stuck";

  if (filled != nullptr && checker.fullest[link_kind::hop] == what.config.router_buffers) ++*filled;
  EXPECT_TRUE(checker.complaints.empty()) << what.text() << ": " << checker.complaints.size()
                                          << ", first " << checker.complaints.front();
  streams sent;
  streams arrived;
  for (std::uint32_t n = 0; n < what.nodes; ++n) {
    const testing::bench_node& node = *bench.nodes[n];
    EXPECT_FALSE(node.late) << what.text();
    for (const seen_message& each : node.sent) add_sent(what, each, sent);
    EXPECT_EQ(node.sent.size(), what.messages) << what.text();
    for (const seen_message& each : node.arrived) {
      EXPECT_EQ(index(each.what.destination), n) << what.text();
      arrived[{index(each.what.source), n, each.what.lane}].push_back(each);
    }
    for (std::size_t i = 0; i < node.arrived.size(); ++i) {
      const cycle_t wire = bench.network.wire_cycles(node.arrived[i].what.bytes);
      EXPECT_EQ(node.tails[i], node.arrived[i].cycle + wire) << what.text();
      if (i > 0) {
        EXPECT_GE(node.arrived[i].cycle, node.tails[i - 1]) << what.text();
      }
    }
  }
  EXPECT_EQ(sent.size(), arrived.size()) << what.text();
  for (const auto& [key, were_sent] : sent) {
    check_stream(what, bench.network, were_sent, arrived[key]);
  }
  trace crossed = checker.trace;
  std::sort(crossed.begin(), crossed.end());
  return crossed;
}

class routed_network_traffic : public ::testing::TestWithParam<network_shape> {};

TEST_P(routed_network_traffic, arrives_complete_and_in_order_and_drains) {
  int filled = 0;
  const std::uint64_t last = testing::long_form() ? 4000 : testing::sanitized ? 5 : 40;
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    run(experiment(seed, GetParam()), bench_order::network_first, &filled);
    if (HasFailure()) return;
  }
  EXPECT_GE(filled, testing::sanitized ? 1 : 10);
}

TEST_P(routed_network_traffic, does_not_depend_on_who_is_asked_first) {
  for (std::uint64_t seed = 101; seed <= 100 + (testing::sanitized ? 1 : 10); ++seed) {
    const experiment what(seed, GetParam());
    const trace first = run(what, bench_order::network_first);
    EXPECT_EQ(first, run(what, bench_order::network_first)) << what.text();
    EXPECT_EQ(first, run(what, bench_order::nodes_first)) << what.text();
    EXPECT_EQ(first, run(what, bench_order::nodes_first_downwards)) << what.text();
    if (HasFailure()) return;
  }
}

std::string name_of(const ::testing::TestParamInfo<network_shape>& which) {
  const std::string bristled = which.param.nodes_per_router > 1 ? "bristled_" : "";
  switch (which.param.kind) {
    case topology_kind::point_to_point:
      return bristled + "point_to_point";
    case topology_kind::mesh:
      return bristled + "mesh";
    case topology_kind::hypercube:
      return bristled + "hypercube";
    case topology_kind::omega:
    case topology_kind::ring:
    case topology_kind::graph:
      break;
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(all, routed_network_traffic,
                         ::testing::Values(network_shape{topology_kind::point_to_point},
                                           network_shape{topology_kind::mesh},
                                           network_shape{topology_kind::hypercube},
                                           network_shape{topology_kind::mesh, 3},
                                           network_shape{topology_kind::hypercube, 2}),
                         name_of);

}  // namespace
}  // namespace tributary
