// SPDX-License-Identifier: Apache-2.0
// Random traffic in random networks with virtual channels, with nodes that stall: nothing is lost,
// doubled or reordered beyond the window, all comes to an end with every credit back, and a network
// that was saved goes on as the one it was saved from. The long form: TRIBUTARY_LONG=1.
#include <tributary/network/switching/channel_network.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/dragonfly_table.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/random_stream.h>

#include "support/open_loop_load.h"
#include "support/random_choice.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

enum draw : std::uint32_t { of_network, of_traffic };

/// A network and what its nodes do, all from one seed.
struct experiment {
  explicit experiment(std::uint64_t number) : seed(number) {
    random_stream random(seed, 0U, of_network);
    draw_routes(random);
    draw_switches(random);
    draw_nodes(random);
  }

  std::unique_ptr<channel_network> network() const {
    if (adaptive) {
      return std::make_unique<channel_network>(links, config, graph, adaptive_table(*table));
    }
    return std::make_unique<channel_network>(links, config, graph, *table);
  }

  std::uint64_t seed;
  std::shared_ptr<const network_graph> graph;
  std::unique_ptr<routing_table> table;
  bool adaptive = false;
  channel_network_config config;
  message_network_config links;
  std::uint32_t messages = 0;  ///< of each node
  std::uint32_t spacing = 1;   ///< mean cycles between them
  std::uint32_t stalls = 0;    ///< most cycles for which a node keeps a place
  bool hot = false;            ///< whether most messages go to node 0

 private:
  void draw_routes(random_stream& random) {
    const grid_config grid{{between(random, 2, 4), between(random, 2, 5)},
                           random.below(2) == 0,
                           between(random, 1, 2),
                           between(random, 1, 2)};
    const dragonfly_config dragonfly{between(random, 2, 5), 2, 2, 1};
    switch (random.below(4)) {
      case 0:
        graph = std::make_shared<const network_graph>(grid_graph(grid));
        table = std::make_unique<routing_table>(grid_table(*graph, grid, 2));
        break;
      case 1:
        graph = std::make_shared<const network_graph>(dragonfly_graph(dragonfly));
        table = std::make_unique<routing_table>(dragonfly_table(*graph, dragonfly));
        break;
      default: {
        const std::uint32_t degree = between(random, 3, 4);
        const std::uint32_t switches = 2 * between(random, 3, 6);
        graph = std::make_shared<const network_graph>(
            random_regular_graph({switches, degree, between(random, 1, 2), seed}));
        const orientation ends = bfs_orientation(*graph);
        const up_down_routes routes(ends);
        routing_table all = up_down_table(routes);
        table = std::make_unique<routing_table>(
            random.below(2) == 0 ? all : deterministic_table(all, seed));
        adaptive = random.below(2) == 0;
        break;
      }
    }
  }

  void draw_switches(random_stream& random) {
    channel_switch_config& switches = config.switches;
    links = testing::flit_links(between(random, 1, 9));
    links.lanes = between(random, 2, 4);
    links.arbiter = one_of(random, {arbiter_kind::round_robin, arbiter_kind::oldest_first});
    config.separate_lanes = random.below(2) == 0;
    const std::uint32_t least = table->virtual_channels() + (adaptive ? 1 : 0);
    const std::uint32_t networks = config.separate_lanes ? links.lanes : 1;
    switches.channels = least * networks;
    if (2 * switches.channels <= 16) switches.channels *= between(random, 1, 2);
    switches.switching = one_of(random, {flit_switching::wormhole, flit_switching::cut_through});
    const bool whole = switches.switching == flit_switching::cut_through;
    switches.buffer_flits = (whole ? links.payload_bytes + 1 : 1) + between(random, 0, 6);
    switches.inputs = one_of(random, {crossbar_inputs::per_port, crossbar_inputs::per_channel});
    switches.choice = one_of(random, {route_choice::free, route_choice::drawn});
    switches.routing_cycles = between(random, 0, 2);
    switches.channel_allocation_cycles = between(random, 1, 3);
    switches.switch_allocation_cycles = between(random, 1, 2);
    switches.traversal_cycles = between(random, 0, 2);
    switches.link_cycles = between(random, 1, 4);
    switches.host_link_cycles = between(random, 1, 3);
    switches.credit_cycles = between(random, 0, 2);
    switches.misroute_limit = between(random, 1, 8);
    switches.seed = seed;
    config.source_messages = between(random, 1, 3);
    config.deadlock_check_cycles = 256;
  }

  void draw_nodes(random_stream& random) {
    links.endpoint_buffers = between(random, 1, 4);
    links.reorder_window = random.below(3) == 0 ? between(random, 1, 4) : 0;
    messages = between(random, 1, 40);
    spacing = one_of(random, {1U, 5U, 40U});
    stalls = one_of(random, {0U, 3U, 100U});
    hot = random.below(4) == 0;
  }
};

struct to_send {
  cycle_t at = 0;
  network_transfer what;
};

/// Nodes that send their messages in order, and check what comes.
class checking_nodes {
 public:
  checking_nodes(const experiment& what, channel_network& network)
      : what_(what), network_(&network), nodes_(network.nodes()) {
    random_stream random(what.seed, 1U, of_traffic);
    std::uint64_t number = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      nodes_[n].owner = this;
      cycle_t at = 1;
      for (std::uint32_t m = 0; m < what.messages; ++m) {
        at += random.below(2 * what.spacing);
        to_send next;
        next.at = at;
        next.what.source = node_id{n};
        const bool to_hot = what.hot && random.below(4) != 0;
        next.what.destination =
            node_id{to_hot ? 0 : static_cast<std::uint32_t>(random.below(nodes_.size()))};
        next.what.lane = static_cast<std::uint8_t>(random.below(what.links.lanes));
        next.what.bytes = static_cast<std::uint32_t>(random.below(what.links.payload_bytes + 1ULL));
        next.what.cargo = number++;
        nodes_[n].waiting.push_back(next);
      }
    }
    sent_ = number;
    attach();
  }
  checking_nodes(const checking_nodes&) = delete;
  checking_nodes& operator=(const checking_nodes&) = delete;

  /// Goes on with another network that is as this one.
  void move_to(channel_network& network) {
    network_ = &network;
    attach();
  }

  bool finished() const { return arrived_.size() == sent_ && taken_ == sent_; }
  std::size_t arrived() const { return arrived_.size(); }

  void step(cycle_t now) {
    now_ = now;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      send_what_goes(nodes_[n], now);
      take_what_came(nodes_[n], node_id{n}, now);
    }
    network_->advance_to(now);
  }

 private:
  struct node final : network_endpoint {
    void room(std::uint8_t, cycle_t at) override { EXPECT_GT(at, owner->network_->now()); }
    void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override {
      EXPECT_GT(head, owner->network_->now());
      EXPECT_GT(tail, head);
      owner->check(transfer);
      came.push_back({tail, transfer});
    }
    checking_nodes* owner = nullptr;
    std::vector<to_send> waiting;
    std::vector<to_send> came;
  };

  void attach() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) network_->attach(node_id{n}, nodes_[n]);
  }
  void send_what_goes(node& from, cycle_t now) {
    std::set<std::uint8_t> blocked;
    for (std::size_t i = 0; i < from.waiting.size();) {
      const to_send next = from.waiting[i];
      const bool goes = next.at <= now && blocked.count(next.what.lane) == 0 &&
                        network_->ready(next.what.source, next.what.lane, now);
      if (!goes) {
        blocked.insert(next.what.lane);
        if (next.at > now) break;
        ++i;
        continue;
      }
      network_->send(next.what, now);
      stream(next.what).push_back(next.what.cargo);
      from.waiting.erase(from.waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void take_what_came(node& at, node_id self, cycle_t now) {
    for (std::size_t i = 0; i < at.came.size();) {
      const std::uint64_t keeps = at.came[i].what.cargo % (what_.stalls + 1ULL);
      if (at.came[i].at + keeps > now) {
        ++i;
        continue;
      }
      network_->give_back(self, at.came[i].what.lane, now);
      at.came.erase(at.came.begin() + static_cast<std::ptrdiff_t>(i));
      ++taken_;
    }
  }
  std::vector<std::uint64_t>& stream(const network_transfer& of) {
    return streams_[{index(of.source), index(of.destination), of.lane}];
  }
  void check(const network_transfer& transfer) {
    EXPECT_TRUE(arrived_.insert(transfer.cargo).second) << "a message came twice";
    std::vector<std::uint64_t>& expected = stream(transfer);
    std::size_t place = 0;
    while (place < expected.size() && expected[place] != transfer.cargo) ++place;
    ASSERT_LT(place, expected.size()) << "a message of another stream";
    EXPECT_LE(place, what_.links.reorder_window) << "a message overtook too many";
    overtaken_ += place;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(place));
  }

  const experiment& what_;
  channel_network* network_;
  std::vector<node> nodes_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>, std::vector<std::uint64_t>>
      streams_;
  std::set<std::uint64_t> arrived_;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
  cycle_t now_ = 0;

 public:
  std::uint64_t overtaken_ = 0;
};

void expect_all_credits(const channel_network& network, const experiment& what) {
  for (std::uint32_t s = 0; s < what.graph->switches(); ++s) {
    EXPECT_FALSE(network.at(switch_id{s}).active());
    for (std::uint32_t port = 0; port < what.graph->ports(switch_id{s}); ++port) {
      const port_use use = what.graph->end({switch_id{s}, port}).use;
      for (std::uint32_t v = 0; v < what.config.switches.channels; ++v) {
        EXPECT_FALSE(network.at(switch_id{s}).is_held(port, v));
        EXPECT_EQ(network.at(switch_id{s}).credits(port, v), what.config.switches.buffer_flits);
      }
      for (std::uint32_t lane = 0; use == port_use::host && lane < what.links.lanes; ++lane) {
        EXPECT_EQ(network.at(switch_id{s}).places(port, lane), what.links.endpoint_buffers);
      }
    }
  }
}

/// How often what makes a test worth its time came up.
struct seen {
  std::uint64_t overtaken = 0;
  std::uint64_t held = 0;
  std::uint64_t escapes = 0;
  std::uint64_t stalled = 0;
};

void run_case(std::uint64_t seed, seen& total) {
  const experiment what(seed);
  std::unique_ptr<channel_network> network = what.network();
  checking_nodes nodes(what, *network);
  // Somewhere on the way another network takes its place.
  const cycle_t change = 1 + seed % 200;
  cycle_t now = 1;
  for (; !nodes.finished() && now < 300'000; ++now) {
    nodes.step(now);
    if (now != change) continue;
    std::unique_ptr<channel_network> other = what.network();
    other->restore(network->save());
    ASSERT_EQ(other->save(), network->save());
    network = std::move(other);
    nodes.move_to(*network);
  }
  ASSERT_TRUE(nodes.finished()) << nodes.arrived() << " arrived";
  for (const cycle_t last = now + 200; now < last; ++now) nodes.step(now);
  EXPECT_TRUE(network->idle());
  EXPECT_EQ(network->next_wakeup(), never);
  EXPECT_EQ(network->discards(), 0U);
  expect_all_credits(*network, what);
  statistics_tree report;
  network->report(report.group("network"), now);
  total.overtaken += nodes.overtaken_;
  total.held += static_cast<std::uint64_t>(report.find("network.held_for_order.count"));
  total.escapes += network->counts().escapes.value();
  total.stalled += network->counts().stalled.value();
}

TEST(channel_network_traffic, comes_to_an_end_in_order_with_every_credit_back) {
  seen total;
  const std::uint64_t cases = testing::long_form() ? 20'000 : testing::scaled(300);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    run_case(seed, total);
    if (HasFailure()) return;
  }
  if (testing::sanitized) return;
  EXPECT_GT(total.overtaken, 0U);
  EXPECT_GT(total.held, 0U);
  EXPECT_GT(total.escapes, 0U);
  EXPECT_GT(total.stalled, 0U);
}

/// Switches go off and on under traffic, and tables with them: each message comes or is told of.
TEST(channel_network_traffic, every_message_comes_or_is_told_of_as_discarded) {
  std::uint64_t discards = 0;
  std::uint64_t arrivals = 0;
  const std::uint64_t cases = testing::long_form() ? 2'000 : testing::scaled(60);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    experiment what(seed);
    what.config.switches.without_route = lost_route::discard;
    what.config.deadlock_check_cycles = 0;
    const std::unique_ptr<channel_network> network = what.network();
    std::uint64_t lost = 0;
    network->on_discard([&](const network_transfer&, cycle_t) { ++lost; });
    testing::open_loop_load load(*network, what.links.payload_bytes + 1,
                                 testing::uniform_among(network->nodes()), seed);
    load.set_load(0.2);
    random_stream random(seed, 2U, of_traffic);
    std::vector<switch_routes> tables;
    for (std::uint32_t s = 0; s < what.graph->switches(); ++s) {
      tables.push_back(network->routes(switch_id{s}));
    }
    for (int change = 0; change < 20; ++change) {
      load.run(1 + random.below(40));
      const switch_id which{static_cast<std::uint32_t>(random.below(what.graph->switches()))};
      if (random.below(2) == 0) {
        network->enabled(which) ? network->disable(which) : network->enable(which);
      } else if (random.below(2) == 0) {
        network->clear_routes(which);
      } else {
        network->use_routes(which, tables[index(which)]);
      }
    }
    for (std::uint32_t s = 0; s < what.graph->switches(); ++s) {
      network->enable(switch_id{s});
      network->use_routes(switch_id{s}, tables[s]);
    }
    load.set_load(0);
    for (int i = 0; i < 100 && load.under_way() != 0; ++i) load.run(500);
    load.run(200);
    ASSERT_EQ(load.under_way(), 0U);
    EXPECT_EQ(lost, network->discards());
    EXPECT_EQ(load.made, load.arrived + lost);
    expect_all_credits(*network, what);
    discards += lost;
    arrivals += load.arrived;
    if (HasFailure()) return;
  }
  EXPECT_GT(discards, 0U);
  EXPECT_GT(arrivals, discards);
}

}  // namespace
}  // namespace tributary
