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

/// Runs until everything is idle, checks it, and returns what crossed the links. `filled` counts
/// the machines in which all places of a lane behind a link between routers were in use together.
trace run(const experiment& what, bench_order order, int* filled = nullptr) {
  routed_network_bench bench(what.config, what.nodes);
  link_checker checker(what.config);
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
      node.offer({node_id{n}, node_id{to}, static_cast<std::uint8_t>(random.below(what.lanes)),
                  one_of(random, {0U, 8U, 128U}), ++cargo},
                 at);
    }
  }
  // Beyond what the slowest machine needs if each message went through by itself.
  const cycle_t limit = 10'000'000;
  while (!bench.idle() && bench.now < limit) bench.step(order);
  EXPECT_TRUE(bench.idle()) << what.text() << ": messages are stuck";

  if (filled != nullptr && checker.fullest[link_kind::hop] == what.config.router_buffers) ++*filled;
  EXPECT_TRUE(checker.complaints.empty()) << what.text() << ": " << checker.complaints.size()
                                          << ", first " << checker.complaints.front();
  using stream = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>;
  std::map<stream, std::vector<seen_message>> sent;
  std::map<stream, std::vector<seen_message>> arrived;
  const auto stream_of = [](const network_transfer& message) {
    return stream{index(message.source), index(message.destination), message.lane};
  };
  for (std::uint32_t n = 0; n < what.nodes; ++n) {
    const testing::bench_node& node = *bench.nodes[n];
    EXPECT_FALSE(node.late) << what.text();
    for (const seen_message& each : node.sent) sent[stream_of(each.what)].push_back(each);
    for (const seen_message& each : node.arrived) {
      EXPECT_EQ(index(each.what.destination), n) << what.text();
      arrived[stream_of(each.what)].push_back(each);
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
  std::size_t messages = 0;
  for (const auto& [key, were_sent] : sent) {
    const std::vector<seen_message>& came = arrived[key];
    EXPECT_EQ(were_sent.size(), came.size()) << what.text();
    if (were_sent.size() != came.size()) continue;
    for (std::size_t i = 0; i < came.size(); ++i) {
      EXPECT_EQ(came[i].what.cargo, were_sent[i].what.cargo) << what.text();
      EXPECT_EQ(came[i].what.bytes, were_sent[i].what.bytes) << what.text();
      EXPECT_GE(came[i].cycle - were_sent[i].cycle,
                bench.network.least_latency(came[i].what.source, came[i].what.destination,
                                            came[i].what.bytes))
          << what.text();
    }
    messages += came.size();
  }
  EXPECT_EQ(messages, std::size_t{what.nodes} * what.messages) << what.text();
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
