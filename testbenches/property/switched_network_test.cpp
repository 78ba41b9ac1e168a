// SPDX-License-Identifier: Apache-2.0
// A network of switch modules and link modules has every message on every link in the same cycles
// as the network in one process, on random graphs with random traffic and nodes that stall. A
// protocol monitor stands between all sockets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/network_node_module.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/switched_network.h>

#include <support/random_choice.h>
#include <support/sizes.h>
#include <support/systemc_test.h>

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

enum draw : std::uint32_t { of_machine, of_traffic, of_stalls };

/// A graph, routes and traffic, all from one seed.
struct experiment {
  explicit experiment(std::uint64_t number) : seed(number) {
    random_stream random(seed, 0U, of_machine);
    draw_graph(random);
    config.lanes = between(random, 2, 4);
    config.switching =
        one_of(random, {switching_kind::cut_through, switching_kind::store_and_forward});
    config.arbiter = one_of(random, {arbiter_kind::round_robin, arbiter_kind::oldest_first});
    config.bandwidth = one_of(random, {100U, 400U, 3200U});
    config.header_bytes = one_of(random, {16U, 26U});
    config.least_payload = one_of(random, {0U, 46U});
    config.gap_bytes = one_of(random, {0U, 12U});
    config.base_latency = between(random, 2, 60);
    config.hop_latency = between(random, 1, 90);
    config.router_latency = one_of(random, {0U, 0U, 7U});
    config.router_buffers = between(random, 1, 4);
    config.endpoint_buffers = between(random, 1, 4);
    messages = between(random, 1, 30);
    spacing = one_of(random, {1U, 30U, 300U});
    hot = random.below(3) == 0;
    stalls = one_of(random, {0U, 10U, 400U});
  }

  std::string text() const { return "seed " + std::to_string(seed); }

  std::uint64_t seed;
  std::shared_ptr<const network_graph> graph;
  std::unique_ptr<routing_table> table;
  message_network_config config;
  std::uint32_t messages = 0;  ///< of a node
  std::uint32_t spacing = 0;   ///< greatest distance of two in time
  bool hot = false;            ///< every other message goes to node 0
  std::uint32_t stalls = 0;    ///< most cycles for which a node keeps a message

 private:
  void draw_graph(random_stream& random) {
    grid_config grid;
    grid.sizes = {between(random, 1, 3), between(random, 2, 3)};
    grid.hosts_per_switch = between(random, 1, 2);
    grid.cables = between(random, 1, 2);
    switch (random.below(4)) {
      case 0:
        keep(star_graph(between(random, 1, 3), between(random, 2, 3), between(random, 1, 2)));
        break;
      case 1:
        keep(random_regular_graph({6, 3, between(random, 1, 2), seed}));
        break;
      case 2:
        keep(ring_graph(between(random, 3, 5), between(random, 1, 2)));
        break;
      default:
        keep(grid_graph(grid));
        table = std::make_unique<routing_table>(grid_table(*graph, grid, 1));
        return;
    }
    const orientation ends =
        random.below(2) == 0 ? bfs_orientation(*graph) : dfs_orientation(*graph);
    table = std::make_unique<routing_table>(up_down_table(up_down_routes(ends)));
  }
  void keep(network_graph made) { graph = std::make_shared<const network_graph>(std::move(made)); }
};

/// Sends its messages lane by lane as soon as it may, and gives places back some cycles later.
class chatter final : public network_endpoint, private timed_block {
 public:
  chatter(network_port& port, const experiment& what, std::uint32_t here)
      : port_(port), stalls_(what.seed, here, of_stalls), most_(what.stalls) {
    random_stream random(what.seed, here, of_traffic);
    cycle_t at = 1;
    for (std::uint32_t i = 0; i < what.messages; ++i) {
      network_transfer next;
      next.source = node_id{here};
      const bool is_hot = what.hot && i % 2 == 0;
      next.destination = node_id{is_hot ? 0 : between(random, 0, what.graph->hosts() - 1)};
      next.lane = static_cast<std::uint8_t>(between(random, 0, what.config.lanes - 1));
      next.bytes = one_of(random, {0U, 8U, 64U, 128U});
      next.operation.identity = trace_identity::message(here, i);
      at += between(random, 0, what.spacing);
      waiting_[next.lane].push_back({at, next});
      clock.wake(*this, at, try_to_send, wake_rank::processor);
    }
  }

  agenda clock;
  /// Cycle and which message.
  std::vector<std::pair<cycle_t, std::uint64_t>> sent;
  std::vector<std::pair<cycle_t, std::uint64_t>> arrived;

  void room(std::uint8_t, cycle_t at) override {
    clock.wake(*this, at, try_to_send, wake_rank::credit);
  }
  void arrive(const network_transfer& what, cycle_t head, cycle_t) override {
    arrived.emplace_back(head, what.operation.identity.bits());
    clock.wake(*this, head + between(stalls_, 0, most_), what.lane, wake_rank::arrival);
  }

 private:
  static constexpr std::uint64_t try_to_send = 99;

  void wake(cycle_t now, std::uint64_t tag) override {
    if (tag != try_to_send) {
      port_.give_back(static_cast<std::uint8_t>(tag), now);
      return;
    }
    for (std::uint8_t lane = 0; lane < port_.lanes(); ++lane) {
      auto& queue = waiting_[lane];
      if (queue.empty() || queue.front().first > now || !port_.ready(lane, now)) continue;
      const network_transfer next = queue.front().second;
      queue.pop_front();
      sent.emplace_back(now, next.operation.identity.bits());
      port_.send(next, now);
      clock.wake(*this, port_.free_at(), try_to_send, wake_rank::processor);
      return;
    }
  }

  network_port& port_;
  random_stream stalls_;
  std::uint32_t most_;
  std::array<std::deque<std::pair<cycle_t, network_transfer>>, most_network_lanes> waiting_;
};

class chatter_module final : public network_node_module {
 public:
  chatter_module(const char* name, const network_node_place& place, const experiment& what)
      : network_node_module(name, place), unit(port(), what, index(place.here)) {
    deliver_to(unit);
  }
  chatter unit;

 private:
  cycle_t next_wakeup() const override { return unit.clock.next_wakeup(); }
  void advance_to(cycle_t last) override { unit.clock.advance_to(last); }
  void load(tlm::tlm_generic_payload&, std::uint64_t) override {}
  bool carries(const tlm::tlm_generic_payload&) const override { return true; }
  std::uint64_t unload(const tlm::tlm_generic_payload&) override { return 0; }
};

/// Cycle, last, link, source, destination, lane, bytes, which.
using crossing = std::tuple<cycle_t, cycle_t, std::uint32_t, std::uint32_t, std::uint32_t, unsigned,
                            std::uint32_t, std::uint64_t>;

/// What crossed which link when.
class crossings final : public observer<link_event> {
 public:
  void on_event(const link_event& event) override {
    const network_transfer& what = event.transfer;
    seen.emplace_back(event.cycle, event.last, event.number, index(what.source),
                      index(what.destination), what.lane, what.bytes,
                      what.operation.identity.bits());
    ends.insert(ends.end(), {static_cast<std::uint32_t>(event.kind), index(event.from),
                             index(event.to), event.number});
  }
  std::vector<crossing> seen;
  std::vector<std::uint32_t> ends;
};

/// What a run did.
struct outcome {
  std::vector<crossing> links;
  std::vector<std::pair<cycle_t, std::uint64_t>> sent;     ///< of all nodes
  std::vector<std::pair<cycle_t, std::uint64_t>> arrived;  ///< the same

  void add(const chatter& node) {
    sent.insert(sent.end(), node.sent.begin(), node.sent.end());
    arrived.insert(arrived.end(), node.arrived.begin(), node.arrived.end());
  }
  void sort() {
    std::sort(links.begin(), links.end());
    std::sort(sent.begin(), sent.end());
    std::sort(arrived.begin(), arrived.end());
  }
};

outcome in_a_loop(const experiment& what) {
  routed_network network(what.config, what.graph, *what.table);
  crossings links;
  network.observers().attach(links);
  std::vector<std::unique_ptr<node_port>> ports;
  std::vector<std::unique_ptr<chatter>> nodes;
  for (std::uint32_t n = 0; n < network.nodes(); ++n) {
    ports.push_back(std::make_unique<node_port>(network, node_id{n}));
    nodes.push_back(std::make_unique<chatter>(*ports.back(), what, n));
    network.attach(node_id{n}, *nodes.back());
  }
  while (true) {
    cycle_t next = network.next_wakeup();
    for (const auto& each : nodes) next = std::min(next, each->clock.next_wakeup());
    if (next == never) break;
    network.advance_to(next);
    for (const auto& each : nodes) each->clock.advance_to(next);
  }
  EXPECT_TRUE(network.idle()) << what.text();
  outcome seen{std::move(links.seen), {}, {}};
  for (const auto& each : nodes) seen.add(*each);
  seen.sort();
  return seen;
}

/// Nodes of the experiment, and a monitor at each joint.
class module_bench {
 public:
  explicit module_bench(const experiment& what) : what_(what) {
    for (std::uint32_t n = 0; n < what.graph->hosts(); ++n) {
      network_node_place place{node_id{n}, what.graph->hosts(), what.config};
      nodes.push_back(
          std::make_unique<chatter_module>(("node_" + std::to_string(n)).c_str(), place, what));
    }
  }

  void join(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) {
    monitors_.push_back(std::make_unique<protocol_monitor<>>(
        ("monitor_" + std::to_string(monitors_.size())).c_str()));
    from.bind(monitors_.back()->target_socket);
    monitors_.back()->initiator_socket.bind(to);
  }
  network_makers makers() {
    network_makers with;
    with.join = [this](auto& from, auto& to) { join(from, to); };
    return with;
  }
  template <class From, class To>
  void join_nodes(const From& from_node, const To& to_node) {
    for (auto& each : nodes) {
      for (std::uint8_t lane = 0; lane < what_.config.lanes; ++lane) {
        join(each->to_network[lane], from_node(each->place().here, lane));
        join(to_node(each->place().here, lane), each->from_network[lane]);
      }
    }
  }

  outcome finish(crossings& links) {
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    outcome seen{std::move(links.seen), {}, {}};
    for (const auto& each : nodes) seen.add(each->unit);
    seen.sort();
    return seen;
  }

  std::vector<std::unique_ptr<chatter_module>> nodes;

 private:
  const experiment& what_;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors_;
};

outcome as_one_module(const experiment& what) {
  const simulation_context context;
  module_bench bench(what);
  auto core = std::make_unique<routed_network>(what.config, what.graph, *what.table);
  crossings links;
  core->observers().attach(links);
  message_network_module network("network", std::move(core));
  bench.join_nodes(
      [&](node_id n, std::uint8_t lane) -> auto& {
        return network.from_nodes[network.lane_of(n, lane)];
      },
      [&](node_id n, std::uint8_t lane) -> auto& {
        return network.to_nodes[network.lane_of(n, lane)];
      });
  outcome seen = bench.finish(links);
  EXPECT_TRUE(network.idle()) << what.text();
  return seen;
}

outcome of_switches(const experiment& what, bool one_process) {
  const simulation_context context;
  module_bench bench(what);
  cycle_scheduler scheduler("scheduler", sc_period(what.config.clock));
  switched_network network("network", what.config, *what.graph, *what.table, bench.makers());
  if (one_process) network.follow(scheduler);
  crossings links;
  network.observe(links);
  bench.join_nodes(
      [&](node_id n, std::uint8_t lane) -> auto& { return network.from_node(n, lane); },
      [&](node_id n, std::uint8_t lane) -> auto& { return network.to_node(n, lane); });
  outcome seen = bench.finish(links);
  EXPECT_TRUE(network.idle()) << what.text();
  return seen;
}

void expect_equal(const outcome& loop, const outcome& modules, const std::string& text) {
  ASSERT_EQ(loop.links, modules.links) << text;
  ASSERT_EQ(loop.sent, modules.sent) << text;
  ASSERT_EQ(loop.arrived, modules.arrived) << text;
}

class switched_network_test : public testing::systemc_test {};

TEST_F(switched_network_test, crosses_links_as_the_network_in_one_process) {
  for (std::uint64_t seed = 0; seed < testing::halved(200); ++seed) {
    const experiment what(seed);
    const outcome loop = in_a_loop(what);
    ASSERT_EQ(loop.arrived.size(), std::size_t{what.messages} * what.graph->hosts());
    expect_equal(loop, of_switches(what, seed % 2 == 0), what.text() + ", switches");
    if (HasFatalFailure()) return;
  }
}

TEST_F(switched_network_test, one_module_around_a_graph_does_the_same) {
  for (std::uint64_t seed = 1000; seed < 1000 + testing::halved(100); ++seed) {
    const experiment what(seed);
    expect_equal(in_a_loop(what), as_one_module(what), what.text() + ", one module");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
