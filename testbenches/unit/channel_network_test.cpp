// SPDX-License-Identifier: Apache-2.0
// Networks of switches with virtual channels: times computed by hand, deadlocks, changes while
// messages are under way.
#include <tributary/network/switching/channel_network.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/dragonfly_table.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>

#include "support/failure.h"
#include "support/open_loop_load.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::failure;
using testing::flit_links;
using testing::names;

struct arrival {
  network_transfer what;
  cycle_t head = 0;
  cycle_t tail = 0;
};

/// A node that notes what comes, and gives places back if it is to.
class noting_node final : public network_endpoint {
 public:
  void room(std::uint8_t lane, cycle_t at) override { rooms.emplace_back(lane, at); }
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override {
    arrivals.push_back({transfer, head, tail});
  }

  std::vector<arrival> arrivals;
  std::vector<std::pair<std::uint8_t, cycle_t>> rooms;
};

class noting_nodes {
 public:
  explicit noting_nodes(message_network& network) : network_(network), nodes_(network.nodes()) {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) network.attach(node_id{n}, nodes_[n]);
  }

  noting_node& operator[](std::size_t node) { return nodes_[node]; }
  std::size_t arrived() const {
    std::size_t count = 0;
    for (const noting_node& each : nodes_) count += each.arrivals.size();
    return count;
  }
  /// A message of so many flits, in a network of `flit_links`.
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, cycle_t now,
            std::uint64_t cargo = 0, std::uint8_t lane = 0) {
    network_transfer sent;
    sent.source = node_id{from};
    sent.destination = node_id{to};
    sent.lane = lane;
    sent.bytes = flits - 1;
    sent.cargo = cargo;
    network_.send(sent, now);
  }

 private:
  message_network& network_;
  std::vector<noting_node> nodes_;
};

/// Delays that are all different.
channel_network_config distinct_delays() {
  channel_network_config config;
  config.switches.channels = 2;
  config.switches.buffer_flits = 32;
  config.switches.routing_cycles = 1;
  config.switches.channel_allocation_cycles = 2;
  config.switches.switch_allocation_cycles = 3;
  config.switches.traversal_cycles = 4;
  config.switches.link_cycles = 7;
  config.switches.host_link_cycles = 5;
  config.switches.credit_cycles = 6;
  return config;
}

std::shared_ptr<const network_graph> line(std::uint32_t switches) {
  return std::make_shared<const network_graph>(grid_graph({{switches, 1}, false, 1, 1}));
}

routing_table line_table(const network_graph& graph) {
  return grid_table(graph, {{graph.switches(), 1}, false, 1, 1}, 1);
}

// --- times ---------------------------------------------------------------------------------------

/// Each switch takes 1 + 2 cycles to grant a head, and 3 - 1 + 4 to let it through.
TEST(channel_network, an_idle_network_takes_the_cycles_of_its_stages) {
  for (const std::uint32_t flits : {1U, 4U}) {
    auto graph = line(3);
    channel_network network(flit_links(4), distinct_delays(), graph, line_table(*graph));
    noting_nodes nodes(network);
    network.advance_to(9);
    nodes.send(0, 2, flits, 10);
    network.advance_to(1000);
    ASSERT_EQ(nodes[2].arrivals.size(), 1U);
    const cycle_t head = 10 + 5 + 3 * (3 + 6) + 2 * 7 + 5;
    EXPECT_EQ(nodes[2].arrivals[0].tail, head + flits);
    EXPECT_EQ(nodes[2].arrivals[0].head, head);
    EXPECT_EQ(network.packet_latency().mean(), static_cast<double>(head - 10 + flits - 1));
    EXPECT_EQ(network.switches_crossed().mean(), 3.0);
    statistics_tree report;
    network.report(report.group("network"), 1000);
    EXPECT_EQ(report.find("network.latency.mean"), static_cast<double>(head - 10));
    EXPECT_EQ(report.find("network.waiting.mean"), 0.0);
    EXPECT_TRUE(network.idle());
    EXPECT_EQ(network.next_wakeup(), never);
  }
}

TEST(channel_network, links_may_have_lengths_of_their_own) {
  auto graph = line(3);
  channel_network_config config = distinct_delays();
  config.link_cycles = {20, 1};
  channel_network network(flit_links(1), config, graph, line_table(*graph));
  noting_nodes nodes(network);
  nodes.send(0, 2, 1, 1);
  network.advance_to(1000);
  ASSERT_EQ(nodes[2].arrivals.size(), 1U);
  EXPECT_EQ(nodes[2].arrivals[0].head, 1U + 5 + 3 * (3 + 6) + 20 + 1 + 5);
}

/// It does not matter whether network or node comes first in a cycle.
TEST(channel_network, the_order_of_calls_within_a_cycle_does_not_matter) {
  std::vector<std::vector<cycle_t>> heads(2);
  for (const bool node_first : {false, true}) {
    auto graph = line(2);
    message_network_config links = flit_links(3);
    links.endpoint_buffers = 1;
    channel_network_config config;
    config.source_messages = 1;
    channel_network network(links, config, graph, line_table(*graph));
    noting_nodes nodes(network);
    std::size_t given = 0;
    for (cycle_t now = 1; now < 300; ++now) {
      if (!node_first) network.advance_to(now);
      if (network.ready(node_id{0}, 0, now)) nodes.send(0, 1, 3, now);
      if (given < nodes[1].arrivals.size() && nodes[1].arrivals[given].tail + 5 <= now) {
        network.give_back(node_id{1}, 0, now);
        ++given;
      }
      if (node_first) network.advance_to(now);
    }
    for (const arrival& each : nodes[1].arrivals) heads[node_first ? 1 : 0].push_back(each.head);
  }
  EXPECT_GT(heads[0].size(), 10U);
  EXPECT_EQ(heads[0], heads[1]);
}

TEST(channel_network, a_link_is_busy_in_each_cycle_if_there_is_enough_to_send) {
  for (const std::uint32_t flits : {1U, 4U}) {
    auto graph = line(2);
    channel_network_config config;
    config.switches.channels = 4;
    channel_network network(flit_links(flits), config, graph, line_table(*graph));
    testing::open_loop_load load(
        network, flits, [](std::uint32_t from, random_stream&) { return 1 - from; }, 1);
    load.set_load(flits);  // a packet a cycle
    load.run(1000);
    load.reset();
    network.reset_statistics();
    load.run(1000);
    EXPECT_GT(load.accepted(), 0.99) << flits;
    EXPECT_GT(network.utilisation(0), 0.99) << flits;
  }
}

/// 4 places; a place is used again 2 + 5 cycles after a flit left it: 4 of 7 cycles.
TEST(channel_network, a_short_buffer_limits_a_channel_to_its_round_trip) {
  auto graph = line(2);
  channel_network_config config;
  config.switches.channels = 1;
  config.switches.buffer_flits = 4;
  config.switches.link_cycles = 2;
  config.switches.credit_cycles = 2;
  channel_network network(flit_links(1000), config, graph, line_table(*graph));
  testing::open_loop_load load(
      network, 1000, [](std::uint32_t from, random_stream&) { return 1 - from; }, 1);
  load.set_load(1.0);
  load.run(8000);
  network.reset_statistics();
  load.run(7000);
  EXPECT_NEAR(network.utilisation(0), 4.0 / 7, 0.01);
  EXPECT_GT(network.counts().stalled.value(), 0U);
}

// --- order and places ----------------------------------------------------------------------------

TEST(channel_network, a_host_that_keeps_its_places_stops_its_lane_only_if_lanes_are_separate) {
  for (const bool separate : {false, true}) {
    auto graph = line(2);
    message_network_config links = flit_links(4);
    links.endpoint_buffers = 1;
    channel_network_config config;
    config.separate_lanes = separate;
    config.switches.channels = 2;
    config.switches.buffer_flits = 4;
    channel_network network(links, config, graph, line_table(*graph));
    noting_nodes nodes(network);
    // Enough of lane 0 to fill all channels that it may use.
    for (cycle_t now = 1; now < 200; ++now) {
      if (network.ready(node_id{0}, 0, now)) nodes.send(0, 1, 4, now);
      network.advance_to(now);
    }
    nodes.send(0, 1, 4, 200, 1, 1);
    network.advance_to(10'000);
    EXPECT_EQ(nodes[1].arrivals.size(), separate ? 2U : 1U);
    EXPECT_FALSE(network.waiting().empty());
    network.give_back(node_id{1}, 0, 10'000);
    network.advance_to(20'000);
    EXPECT_EQ(nodes[1].arrivals.size(), separate ? 3U : 2U);
  }
}

TEST(channel_network, giving_back_what_is_not_held_is_refused) {
  auto graph = line(2);
  channel_network network(flit_links(1), {}, graph, line_table(*graph));
  EXPECT_TRUE(names(failure([&] { network.give_back(node_id{1}, 1, 5); }),
                    {"cycle 5", "lane 1 of node 1"}));
}

// --- deadlock ------------------------------------------------------------------------------------

channel_network ring_of_four(std::uint32_t channels, flit_switching switching) {
  const grid_config ring{{4, 1}, true, 1, 1};
  auto graph = std::make_shared<const network_graph>(grid_graph(ring));
  channel_network_config config;
  config.switches.channels = 1;
  config.switches.buffer_flits = 4;
  config.switches.switching = switching;
  config.deadlock_check_cycles = 64;
  if (channels == 1) {
    return {flit_links(4), config, graph, grid_table(*graph, ring, 1, deadlock_check::skipped)};
  }
  config.switches.channels = 2;
  return {flit_links(4), config, graph, grid_table(*graph, ring, 2)};
}

/// All send two switches further.
void fill_ring(channel_network& network, cycle_t last) {
  noting_nodes nodes(network);
  for (cycle_t now = 1; now < last; ++now) {
    for (std::uint32_t n = 0; n < 4; ++n) {
      if (network.ready(node_id{n}, 0, now)) nodes.send(n, (n + 2) % 4, 4, now);
      for (; !nodes[n].arrivals.empty(); nodes[n].arrivals.pop_back()) {
        network.give_back(node_id{n}, 0, now);
      }
    }
    network.advance_to(now);
  }
}

TEST(channel_network, names_the_channels_of_a_deadlock) {
  for (const flit_switching each : {flit_switching::wormhole, flit_switching::cut_through}) {
    channel_network network = ring_of_four(1, each);
    const std::string refusal = failure<simulation_error>([&] { fill_ring(network, 2000); });
    EXPECT_TRUE(names(refusal, {"deadlock", "circle", "(virtual channel 0)"}));
    // Four switches, upwards.
    for (const char* link : {"0:0 -> 1:1", "1:0 -> 2:1", "2:0 -> 3:1", "3:0 -> 0:1"}) {
      EXPECT_TRUE(testing::contains(refusal, link));
    }
  }
}

TEST(channel_network, two_virtual_channels_free_the_ring) {
  for (const flit_switching each : {flit_switching::wormhole, flit_switching::cut_through}) {
    channel_network network = ring_of_four(2, each);
    fill_ring(network, 5000);
    EXPECT_GT(network.delivered_flits(), 2000U);
  }
}

// --- refusals ------------------------------------------------------------------------------------

TEST(channel_network, refuses_what_it_cannot_have) {
  auto graph = line(2);
  const auto refusal = [&](const message_network_config& links,
                           const channel_network_config& config) {
    return failure([&] { channel_network network(links, config, graph, line_table(*graph)); });
  };
  channel_network_config config;
  config.switches.channels = 17;
  EXPECT_TRUE(names(refusal(flit_links(1), config), {"network.channels.number", "17", "1 to 16"}));
  config = {};
  config.switches.switching = flit_switching::cut_through;
  EXPECT_TRUE(
      names(refusal(flit_links(9), config), {"network.channels.buffer_flits", "9 or more"}));
  message_network_config links = flit_links(1);
  links.broadcast = true;
  EXPECT_TRUE(names(refusal(links, {}), {"network.broadcast", "false"}));
  links = flit_links(1);
  links.gap_bytes = 3;
  EXPECT_TRUE(names(refusal(links, {}), {"network.gap_bytes", "0"}));
  config = {};
  config.link_cycles = {1, 2, 3};
  EXPECT_TRUE(names(refusal(flit_links(1), config), {"3 links", "1"}));
  auto other = line(2);
  EXPECT_TRUE(
      names(failure([&] { channel_network network(flit_links(1), {}, other, line_table(*graph)); }),
            {"table of another"}));
  config = {};
  config.switches.channels = 1;
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  EXPECT_TRUE(names(failure([&] {
                      channel_network network(flit_links(1), config, graph,
                                              adaptive_table(up_down_table(routes)));
                    }),
                    {"network.channels", "escape"}));
}

// --- changes -------------------------------------------------------------------------------------

/// Counts what it is told of.
struct discard_log {
  explicit discard_log(channel_network& network) {
    network.on_discard(
        [this](const network_transfer& lost, cycle_t) { cargo.push_back(lost.cargo); });
  }
  std::vector<std::uint64_t> cargo;
};

channel_network_config discarding() {
  channel_network_config config;
  config.switches.without_route = lost_route::discard;
  config.switches.buffer_flits = 4;
  return config;
}

TEST(channel_network, a_switch_without_a_table_discards_what_waits_in_it) {
  auto graph = line(3);
  channel_network network(flit_links(12), discarding(), graph, line_table(*graph));
  noting_nodes nodes(network);
  discard_log log(network);
  nodes.send(0, 2, 12, 1, 100);
  nodes.send(1, 2, 12, 1, 101);
  nodes.send(2, 1, 1, 1, 102);
  const switch_routes before = network.routes(switch_id{1});
  network.clear_routes(switch_id{1});
  network.advance_to(500);
  // What is for its own host still gets there.
  EXPECT_EQ(nodes.arrived(), 1U);
  EXPECT_EQ(log.cargo.size(), 2U);
  EXPECT_EQ(network.discards(), 2U);
  EXPECT_TRUE(network.idle());
  network.use_routes(switch_id{1}, before);
  nodes.send(0, 2, 12, 500, 103);
  network.advance_to(1000);
  ASSERT_EQ(nodes[2].arrivals.size(), 1U);
  EXPECT_EQ(nodes[2].arrivals[0].what.cargo, 103U);
}

TEST(channel_network, a_state_brings_its_tables_back) {
  auto graph = line(3);
  channel_network network(flit_links(12), discarding(), graph, line_table(*graph));
  noting_nodes nodes(network);
  const std::string with_table = network.save();
  network.clear_routes(switch_id{1});
  const std::string without = network.save();
  const auto arrives = [&] {
    const std::size_t before = nodes.arrived();
    const cycle_t now = network.now();
    nodes.send(0, 2, 12, now + 1, 100);
    network.advance_to(now + 400);
    return nodes.arrived() != before;
  };
  EXPECT_FALSE(arrives());
  network.restore(with_table);
  EXPECT_TRUE(arrives());
  network.restore(without);
  EXPECT_FALSE(arrives());
  network.restore(with_table);
  EXPECT_TRUE(arrives());
}

/// In every cycle of the way of three messages that cross it, begin in it and end in it.
TEST(channel_network, a_switch_that_is_switched_off_loses_whole_messages) {
  std::size_t partly = 0;
  for (cycle_t off = 1; off < 60; ++off) {
    auto graph = line(4);
    message_network_config links = flit_links(12);
    links.endpoint_buffers = 1;
    channel_network network(links, discarding(), graph, line_table(*graph));
    noting_nodes nodes(network);
    discard_log log(network);
    nodes.send(0, 3, 12, 1, 1);
    nodes.send(1, 3, 5, 1, 2);
    nodes.send(0, 1, 7, 1, 3);
    network.advance_to(off);
    network.disable(switch_id{1});
    EXPECT_FALSE(network.ready(node_id{1}, 0, off + 1));
    for (cycle_t now = off; now < 500; ++now) {
      network.advance_to(now);
      if (now % 50 != 0) continue;
      for (std::uint32_t n = 0; n < 4; ++n) {
        for (; !nodes[n].arrivals.empty(); nodes[n].arrivals.pop_back()) {
          log.cargo.push_back(nodes[n].arrivals.back().what.cargo);
          network.give_back(node_id{n}, 0, now);
        }
      }
    }
    EXPECT_TRUE(network.idle()) << off;
    EXPECT_EQ(log.cargo.size(), 3U) << off;
    if (network.discards() != 0 && network.discards() != 3) ++partly;
    // It works again, with all its credits and places.
    network.enable(switch_id{1});
    std::size_t sent = 0;
    for (cycle_t now = 501; now < 1500; ++now) {
      for (const std::uint32_t from : {0U, 1U}) {
        if (sent < 20 && network.ready(node_id{from}, 0, now)) {
          nodes.send(from, 3 - from, 12, now, 10);
          ++sent;
        }
      }
      network.advance_to(now);
      for (std::uint32_t n = 0; n < 4; ++n) {
        for (; !nodes[n].arrivals.empty(); nodes[n].arrivals.pop_back()) {
          log.cargo.push_back(10);
          network.give_back(node_id{n}, 0, now);
        }
      }
    }
    EXPECT_EQ(log.cargo.size(), 23U) << off;
    for (std::uint32_t s = 0; s < 4; ++s) {
      for (const neighbour_link& each : graph->neighbours(switch_id{s})) {
        EXPECT_EQ(network.at(switch_id{s}).credits(each.port, 0), 4U) << off;
        EXPECT_EQ(network.at(switch_id{s}).credits(each.port, 1), 4U) << off;
      }
    }
  }
  EXPECT_GT(partly, 5U);
}

TEST(channel_network, control_messages_go_before_packets) {
  auto graph = line(2);
  channel_network network(flit_links(4), {}, graph, line_table(*graph));
  noting_nodes nodes(network);
  const std::uint32_t port = graph->neighbours(switch_id{0})[0].port;
  EXPECT_EQ(network.send_control({switch_id{0}, port}, 40, 0), 40U + 2);
  EXPECT_EQ(network.send_control({switch_id{0}, port}, 10, 0), 50U + 2);
  nodes.send(0, 1, 4, 1);
  network.advance_to(200);
  ASSERT_EQ(nodes[1].arrivals.size(), 1U);
  // The head leaves the first switch behind cycle 50.
  EXPECT_EQ(nodes[1].arrivals[0].tail, 51U + 2 + 1 + 2 + 4);
}

TEST(channel_network, a_table_of_another_shape_is_refused) {
  auto graph = line(3);
  channel_network network(flit_links(1), {}, graph, line_table(*graph));
  EXPECT_TRUE(names(failure([&] { network.use_routes(switch_id{1}, switch_routes{}); }),
                    {"network.routing", "switch 1"}));
}

// --- tables --------------------------------------------------------------------------------------

TEST(dragonfly_table, takes_one_link_between_groups_and_the_second_channel_from_there) {
  const dragonfly_config config{5, 2, 2, 1};
  const network_graph graph = dragonfly_graph(config);
  const routing_table table = dragonfly_table(graph, config);
  for (std::uint32_t from = 0; from < graph.switches(); ++from) {
    for (std::uint32_t to = 0; to < graph.switches(); ++to) {
      switch_id at{from};
      std::uint32_t phase = 0;
      std::uint32_t links = 0;
      std::uint32_t between_groups = 0;
      for (; index(at) != to; ++links) {
        const route_set ways = table.ways_on(at, phase, switch_id{to});
        ASSERT_FALSE(ways.empty());
        const std::uint32_t channel = graph.channel_from({at, ways[0].port});
        const switch_id next = graph.target(channel).at;
        if (index(next) / 2 != index(at) / 2) ++between_groups;
        EXPECT_EQ(ways[0].virtual_channel, between_groups);
        phase = table.phase_after({channel, ways[0].virtual_channel});
        at = next;
      }
      EXPECT_LE(links, 3U);
      EXPECT_EQ(between_groups, from / 2 == to / 2 ? 0U : 1U);
    }
  }
  EXPECT_TRUE(names(failure([&] { dragonfly_table(graph, {9, 4, 2, 2}); }), {"36", "10"}));
}

TEST(ring_class_table, keeps_one_channel_along_a_dimension) {
  const grid_config torus{{8, 8}, true, 1, 1};
  const network_graph graph = grid_graph(torus);
  const routing_table table = ring_class_table(graph, torus);
  // From 6 to 1 in x, by the wrap-around link: channel 1 on all three links.
  switch_id at{6};
  std::uint32_t phase = 0;
  for (const std::uint32_t next : {7U, 0U, 1U}) {
    const route_set ways = table.ways_on(at, phase, switch_id{1});
    ASSERT_EQ(ways.size(), 1U);
    const std::uint32_t channel = graph.channel_from({at, ways[0].port});
    EXPECT_EQ(ways[0].virtual_channel, 1U);
    at = graph.target(channel).at;
    EXPECT_EQ(index(at), next);
    phase = table.phase_after({channel, 1});
  }
  // In the next dimension it begins anew.
  EXPECT_EQ(table.ways_on(at, phase, switch_id{1 + 8})[0].virtual_channel, 0U);
  // Halfway both ways are open.
  EXPECT_EQ(table.ways_on(switch_id{0}, 0, switch_id{4}).size(), 2U);
}

}  // namespace
}  // namespace tributary
