// SPDX-License-Identifier: Apache-2.0
// Kernels of traffic on switched networks, against times computed by hand.
#include <tributary/network/traffic/traffic_run.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/network/traffic/fan.h>
#include <tributary/network/traffic/grid_exchange.h>
#include <tributary/network/traffic/token_pass.h>

#include "support/failure.h"
#include "support/gigabit_ethernet.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

/// Switches with so many hosts each around one without.
std::shared_ptr<const network_graph> star(std::uint32_t edges, std::uint32_t hosts_each) {
  network_plan plan;
  plan.name = "star";
  plan.ports.assign(edges + 1, hosts_each + 1);
  plan.ports[edges] = edges;
  plan_builder builder(plan);
  for (std::uint32_t e = 0; e < edges; ++e) builder.add_hosts(e, hosts_each);
  for (std::uint32_t e = 0; e < edges; ++e) builder.join(e, edges);
  return std::make_shared<network_graph>(builder.graph());
}

std::unique_ptr<routed_network> network_of(const message_network_config& config,
                                           const std::shared_ptr<const network_graph>& graph) {
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  return std::make_unique<routed_network>(config, graph, up_down_table(routes));
}

/// In microseconds.
double us(double cycles) { return cycles * 0.0005; }

TEST(network_traffic, a_token_takes_the_time_of_its_frames_on_every_link) {
  const auto network = network_of(testing::gigabit_ethernet(), star(4, 64));
  token_pass kernel({1, 1, 0});
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.messages().count(), 256U);
  // 72 bytes at 8 ns on each link: two links within a switch, four between two.
  EXPECT_EQ(run.messages().min(), (2U * 72 * 16) + 822);
  EXPECT_EQ(run.messages().max(), (4U * 72 * 16) + 822 + 2 * 818);
}

TEST(network_traffic, frames_of_a_fan_in_wait_for_each_other) {
  const auto network = network_of(testing::gigabit_ethernet(), star(4, 64));
  fan_in kernel({2048, 0});
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.packets().count(), 510U);
  EXPECT_NEAR(us(static_cast<double>(run.packets().min())), 24.83, 0.02);
  EXPECT_NEAR(us(run.packets().mean()), 2488.14, 0.02);
  EXPECT_NEAR(us(static_cast<double>(run.packets().max())), 4345.48, 0.02);
  EXPECT_NEAR(us(run.packets().standard_deviation()), 1343.83, 0.02);
}

TEST(network_traffic, switches_copy_a_message_for_everyone) {
  const auto network = network_of(testing::gigabit_ethernet(), star(4, 64));
  fan_out kernel({2048, 0, true});
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.packets().count(), 510U);
  EXPECT_NEAR(us(run.packets().mean()), 46.17, 0.02);
  EXPECT_NEAR(us(static_cast<double>(run.packets().max())), 54.76, 0.02);
}

/// Switch 1 - 0 - 2 - 3, with hosts at 0 and 2 only.
TEST(network_traffic, no_copy_goes_where_no_host_is) {
  network_plan plan;
  plan.name = "chain";
  plan.ports.assign(4, 4);
  plan_builder builder(plan);
  builder.add_hosts(0, 2);
  builder.add_hosts(2, 1);
  builder.join(0, 1);
  builder.join(0, 2);
  builder.join(2, 3);
  message_network_config config = testing::gigabit_ethernet();
  config.router_buffers = 2;
  const auto network = network_of(config, std::make_shared<network_graph>(builder.graph()));
  // More frames than there are places.
  fan_out kernel({20 * 1500, 0, true});
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.packets().count(), 2U * 20);
}

/// Every host sends messages for everyone, all at once.
class all_out final : public traffic_kernel {
 public:
  void begin(traffic_hosts& hosts) override {
    left_ = messages * hosts.count() * hosts.copies();
    for (std::uint32_t h = 0; h < hosts.count(); ++h) hosts.call(node_id{h}, first_traffic_cycle);
  }
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override {
    for (std::uint32_t i = 0; i < messages; ++i) hosts.host(host).post_to_everyone(100, now);
  }
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override { --left_; }
  bool finished() const override { return left_ == 0; }
  std::string save() const override { return ""; }
  void restore(const std::string&) override {}

 private:
  static constexpr std::uint32_t messages = 20;
  std::uint32_t left_ = 0;
};

/// Copies along ways that are no tree could wait for each other in a circle.
TEST(network_traffic, copies_go_along_trees_or_are_refused) {
  message_network_config config = testing::gigabit_ethernet();
  config.router_buffers = 1;
  config.endpoint_buffers = 1;
  std::uint32_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    random_graph_config drawn;
    drawn.switches = 16;
    drawn.degree = seed % 2 == 0 ? 4 : 2;
    drawn.hosts_per_switch = 2;
    drawn.seed = seed;
    const auto graph = std::make_shared<network_graph>(random_regular_graph(drawn));
    std::unique_ptr<routed_network> network;
    const std::string problem = testing::failure([&] { network = network_of(config, graph); });
    if (!problem.empty()) {
      EXPECT_TRUE(testing::names(problem, {"network.broadcast", "no tree"}));
      ++refused;
      continue;
    }
    all_out kernel;
    traffic_run run(*network, kernel);
    EXPECT_NO_THROW(run.run()) << seed;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 8U);
}

TEST(network_traffic, a_grid_on_a_network_as_good_as_none_computes_only) {
  message_network_config config = testing::gigabit_ethernet();
  config.topology = topology_kind::point_to_point;
  config.switching = switching_kind::cut_through;
  config.bandwidth = 100000;
  config.header_bytes = 1;
  config.least_payload = 0;
  config.gap_bytes = 0;
  config.base_latency = 2;
  config.hop_latency = 1;
  for (const bool wraps : {false, true}) {
    routed_network network(config, 16);
    grid_exchange kernel({4, wraps, 32, 10, 20000});
    traffic_run run(network, kernel);
    run.run();
    EXPECT_EQ(run.messages().count(), (wraps ? 64U : 48U) * 10) << wraps;
    EXPECT_GE(kernel.completion(), 9U * 20000) << wraps;
    EXPECT_LE(kernel.completion(), 9U * 20000 + 10 * 40) << wraps;
    EXPECT_LE(kernel.most_apart(), 1U) << wraps;
  }
}

std::string refusal(const std::function<void()>& what) { return testing::failure(what); }

TEST(network_traffic, a_network_refuses_a_table_that_it_cannot_follow) {
  const auto ring = std::make_shared<network_graph>(ring_graph(5, 1));
  const orientation ends = bfs_orientation(*ring);
  const up_down_routes routes(ends);
  message_network_config config = testing::gigabit_ethernet();
  config.broadcast = false;
  EXPECT_EQ(refusal([&] { routed_network(config, ring, up_down_table(routes)); }), "");
  const auto other = std::make_shared<network_graph>(ring_graph(5, 1));
  EXPECT_TRUE(testing::names(refusal([&] { routed_network(config, other, up_down_table(routes)); }),
                             {"table of another"}));
  const grid_config torus{{5}, true, 1, 1};
  const auto grid = std::make_shared<network_graph>(grid_graph(torus));
  EXPECT_TRUE(
      testing::names(refusal([&] { routed_network(config, grid, grid_table(*grid, torus, 2)); }),
                     {"network.routing", "virtual channels"}));
  config.topology = topology_kind::omega;
  EXPECT_TRUE(testing::names(refusal([&] { routed_network(config, ring, up_down_table(routes)); }),
                             {"network.topology"}));
}

TEST(network_traffic, kernels_refuse_what_they_cannot_do) {
  const auto graph = star(2, 2);
  message_network_config config = testing::gigabit_ethernet();
  fan_in kernel({1, 0});
  config.payload_bytes = 0;
  const auto without_payload = network_of(config, graph);
  EXPECT_TRUE(testing::names(refusal([&] { traffic_run(*without_payload, kernel); }),
                             {"network.payload_bytes"}));
  const auto network = network_of(testing::gigabit_ethernet(), graph);
  grid_exchange grid({3, false, 1, 1, 0});
  EXPECT_TRUE(testing::names(refusal([&] { traffic_run(*network, grid); }), {"traffic.columns"}));
}

TEST(network_traffic, a_kernel_runs_again_on_another_network) {
  fan_out kernel({100, 0, false});
  for (int each = 0; each < 2; ++each) {
    const auto network = network_of(testing::gigabit_ethernet(), star(2, 4));
    traffic_run run(*network, kernel);
    run.run();
    EXPECT_EQ(run.messages().count(), 7U);
  }
}

}  // namespace
}  // namespace tributary
