// SPDX-License-Identifier: Apache-2.0
// A cluster has the same events and statistics in the plain loop and as SystemC modules.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <cluster/cluster_config.h>
#include <cluster/cluster_simulation.h>
#include <driver/engine_kind.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/event_text.h>
#include <support/failure.h>
#include <support/random_choice.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

void draw_graph(random_stream& random, cluster_graph& graph) {
  graph.kind = one_of(random, {cluster_graph_kind::star, cluster_graph_kind::mesh,
                               cluster_graph_kind::ring, cluster_graph_kind::random});
  graph.edges = 4;
  graph.hosts_per_switch = between(random, 1, 3) * 2;
  graph.cables = between(random, 1, 2);
  graph.sizes = "2x4";
  graph.switches = 8;
  graph.degree = 3;
}

void draw_links(random_stream& random, message_network_config& links) {
  links.switching =
      one_of(random, {switching_kind::cut_through, switching_kind::store_and_forward});
  links.arbiter = one_of(random, {arbiter_kind::round_robin, arbiter_kind::oldest_first});
  links.lanes = between(random, 2, 3);
  links.gap_bytes = one_of(random, {0U, 12U});
  links.base_latency = between(random, 2, 900);
  links.hop_latency = between(random, 1, 900);
  links.router_latency = one_of(random, {0U, 100U});
  links.router_buffers = one_of(random, {1U, 2U, 1024U});
  links.endpoint_buffers = one_of(random, {1U, 2U, 1024U});
  links.payload_bytes = one_of(random, {64U, 1500U});
}

void draw_traffic(random_stream& random, cluster_traffic& traffic) {
  traffic.kernel =
      one_of(random, {cluster_kernel::token_pass, cluster_kernel::fan_in, cluster_kernel::fan_out,
                      cluster_kernel::exchange, cluster_kernel::torus_exchange});
  traffic.bytes = one_of(random, {1U, 100U, 2048U});
  traffic.columns = 4;
  traffic.iterations = between(random, 1, 3);
  traffic.think = one_of(random, {0U, 50U});
  traffic.stagger = one_of(random, {0U, 7U});
  traffic.compute = one_of(random, {0U, 1000U});
}

cluster_config drawn(std::uint64_t seed) {
  random_stream random(seed, 0U, 0U);
  cluster_config config;
  draw_graph(random, config.network.graph);
  draw_traffic(random, config.traffic);
  if (random.below(3) == 0) {
    config.network.kind = cluster_network_kind::wormhole;
    config.network.links.bandwidth = 160;
    config.network.links.base_latency = 748;
    config.network.links.hop_latency = 480;
  } else {
    draw_links(random, config.network.links);
  }
  const bool copies = config.network.kind == cluster_network_kind::buffered &&
                      config.network.graph.kind == cluster_graph_kind::star &&
                      config.network.graph.cables == 1;
  config.network.links.broadcast = copies;
  config.traffic.broadcast = copies && config.traffic.kernel == cluster_kernel::fan_out;
  config.predictor.kind =
      one_of(random, {predictor_kind::none, predictor_kind::lru, predictor_kind::tag_better_cycle});
  return config;
}

/// What a machine did.
struct outcome {
  std::string events;
  std::string statistics;
  std::uint64_t messages = 0;
};

/// The statistics are reset where a part of the run is over.
outcome outcome_of(engine_kind engine, const cluster_config& config, cycle_t warm_up) {
  cluster_simulation machine(config, 1, engine);
  outcome seen;
  const testing::event_text told(machine.trace().recorder.observers());
  machine.run_until(warm_up);
  machine.reset_statistics();
  machine.run_until(never - 1);
  EXPECT_TRUE(machine.finished());
  seen.events = told.text();
  seen.statistics = machine.statistics().to_json_text();
  seen.messages = machine.traffic().messages().count();
  return seen;
}

TEST(cluster_engine_equality, any_cluster_does_the_same_in_both_engines) {
  std::uint64_t messages = 0;
  for (std::uint64_t seed = 0; seed < testing::halved(80); ++seed) {
    const cluster_config config = drawn(seed);
    const cycle_t warm_up = seed % 3 == 0 ? 30000 : 0;
    const outcome loop = outcome_of(engine_kind::loop, config, warm_up);
    const outcome modules = outcome_of(engine_kind::systemc, config, warm_up);
    ASSERT_TRUE(loop.events == modules.events)
        << "seed " << seed << ", " << testing::first_difference(loop.events, modules.events);
    ASSERT_EQ(loop.statistics, modules.statistics) << "seed " << seed;
    messages += loop.messages;
  }
  EXPECT_GT(messages, 1000U);
}

TEST(cluster_engine_equality, a_drain_ends_alike) {
  cycle_t ends[2];
  for (const engine_kind engine : {engine_kind::loop, engine_kind::systemc}) {
    cluster_config config;
    config.network.graph.hosts_per_switch = 4;
    config.traffic.kernel = cluster_kernel::exchange;
    config.traffic.columns = 4;
    cluster_simulation machine(config, 1, engine);
    machine.run_until(30000);
    EXPECT_FALSE(machine.finished());
    EXPECT_TRUE(machine.drain({}));
    ends[engine == engine_kind::loop ? 0 : 1] = machine.now();
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(cluster_engine_equality, modules_cannot_be_saved) {
  const cluster_simulation machine(cluster_config(), 1, engine_kind::systemc);
  EXPECT_EQ(testing::failure<error>([&] { machine.save(); }),
            "SystemC modules cannot be saved or restored; do that in the plain loop");
}

}  // namespace
}  // namespace tributary
