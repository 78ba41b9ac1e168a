// SPDX-License-Identifier: Apache-2.0
// The platform of networks under traffic: what it refuses, checkpoints, traces, all graphs.
#include <cluster/cluster_config.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cluster/cluster_model.h>
#include <cluster/cluster_simulation.h>
#include <tributary/sim/error.h>
#include <tributary/sim/observer.h>

namespace tributary {
namespace {

/// Two switches of two hosts around a third.
cluster_config small() {
  cluster_config config;
  config.network.graph.edges = 2;
  config.network.graph.hosts_per_switch = 2;
  config.traffic.bytes = 2048;
  config.traffic.columns = 2;
  return config;
}

/// Switches of Myrinet, in cycles of half a nanosecond.
void make_wormhole(cluster_network& network) {
  network.kind = cluster_network_kind::wormhole;
  network.links.bandwidth = 160;
  network.links.payload_bytes = 2047;
  network.links.base_latency = 748;
  network.links.hop_latency = 480;
}

/// Virtual channels, two of each link.
void make_channels(cluster_network& network) {
  network.links.bandwidth = 2000;  // a cycle a byte: each is a flit
  network.kind = cluster_network_kind::channels;
  network.links.gap_bytes = 0;
  network.links.payload_bytes = 2047;
  network.channels.switches.buffer_flits = 16;
}

/// The key that validation names, or what else happened.
std::string refused(const std::function<void(cluster_config&)>& change) {
  cluster_config config = small();
  change(config);
  try {
    config.validate();
  } catch (const configuration_error& refusal) {
    return refusal.problem() == nullptr ? refusal.what() : refusal.problem()->key;
  } catch (const input_error& refusal) {
    return refusal.what();
  }
  return "nothing";
}

TEST(cluster, refuses_what_cannot_work_by_its_key) {
  const auto kind = [](cluster_graph_kind graph) {
    return [graph](cluster_config& c) { c.network.graph.kind = graph; };
  };
  EXPECT_EQ(refused([](cluster_config&) {}), "nothing");
  EXPECT_EQ(refused(kind(cluster_graph_kind::file)), "network.graph.path");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.graph.kind = cluster_graph_kind::mesh;
              c.network.graph.sizes = "4*4";
            }),
            "network.graph.sizes");
  EXPECT_EQ(refused([](cluster_config& c) { c.network.graph.hosts_per_switch = 65; }),
            "network.graph.hosts_per_switch");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.routing.kind = cluster_routing_kind::dimension_order;
            }),
            "network.routing.kind");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.routing.kind = cluster_routing_kind::up_down_levels;
            }),
            "network.routing.kind");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.graph.kind = cluster_graph_kind::torus;
              c.network.graph.sizes = "4x3";
              c.network.routing.kind = cluster_routing_kind::dimension_order;
            }),
            "network.routing.kind");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.graph.kind = cluster_graph_kind::torus;
              c.network.graph.sizes = "3x3";
              c.network.routing.kind = cluster_routing_kind::dimension_order;
            }),
            "nothing");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.graph.kind = cluster_graph_kind::ring;
              c.network.graph.switches = 4;
              c.network.links.broadcast = true;
            }),
            "network.broadcast");
  EXPECT_EQ(refused([](cluster_config& c) { c.network.links.payload_bytes = 0; }),
            "network.payload_bytes");
  EXPECT_EQ(refused([](cluster_config& c) { c.network.links.reorder_window = 1; }),
            "network.reorder_window");
  EXPECT_EQ(refused([](cluster_config& c) { c.network.links.router_buffer_bytes = 100; }),
            "network.router_buffer_bytes");
}

TEST(cluster, refuses_traffic_that_does_not_fit_by_its_key) {
  EXPECT_EQ(refused([](cluster_config& c) { c.traffic.broadcast = true; }), "traffic.broadcast");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.traffic.kernel = cluster_kernel::fan_out;
              c.traffic.broadcast = true;
            }),
            "traffic.broadcast");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.traffic.kernel = cluster_kernel::exchange;
              c.traffic.columns = 3;
            }),
            "traffic.columns");
  EXPECT_EQ(refused([](cluster_config& c) { c.traffic.kernel = cluster_kernel::torus_exchange; }),
            "traffic.columns");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.links.clock.period = 700;
              c.traffic.think = 1;
            }),
            "traffic.think");
}

TEST(cluster, refuses_what_wormhole_switches_cannot_do) {
  const auto with = [](const std::function<void(cluster_network&)>& change) {
    return refused([&](cluster_config& c) {
      make_wormhole(c.network);
      change(c.network);
    });
  };
  EXPECT_EQ(with([](cluster_network&) {}), "nothing");
  EXPECT_EQ(with([](cluster_network& n) { n.buffer_bytes = 38; }), "network.buffer_bytes");
  EXPECT_EQ(with([](cluster_network& n) { n.buffer_bytes = 39; }), "nothing");
  EXPECT_EQ(with([](cluster_network& n) { n.links.broadcast = true; }), "network.broadcast");
  EXPECT_EQ(with([](cluster_network& n) { n.links.router_latency = 1; }), "network.router_latency");
  EXPECT_EQ(with([](cluster_network& n) { n.links.router_buffer_bytes = 4096; }),
            "network.router_buffer_bytes");
  EXPECT_EQ(with([](cluster_network& n) { n.links.endpoint_buffer_bytes = 4096; }),
            "network.endpoint_buffer_bytes");
  EXPECT_EQ(with([](cluster_network& n) { n.links.base_latency = 480; }), "network.base_latency");
}

TEST(cluster, refuses_what_virtual_channels_cannot_do) {
  const auto with = [](const std::function<void(cluster_network&)>& change) {
    return refused([&](cluster_config& c) {
      make_channels(c.network);
      change(c.network);
    });
  };
  EXPECT_EQ(with([](cluster_network&) {}), "nothing");
  EXPECT_EQ(with([](cluster_network& n) { n.adaptive = true; }), "nothing");
  EXPECT_EQ(with([](cluster_network& n) {
              n.adaptive = true;
              n.channels.switches.channels = 1;
            }),
            "network.channels.number");
  EXPECT_EQ(with([](cluster_network& n) { n.links.gap_bytes = 12; }), "network.gap_bytes");
  EXPECT_EQ(with([](cluster_network& n) { n.links.broadcast = true; }), "network.broadcast");
  EXPECT_EQ(
      with([](cluster_network& n) { n.channels.switches.switching = flit_switching::cut_through; }),
      "network.channels.buffer_flits");
  const auto torus = [&](std::uint32_t channels) {
    return with([=](cluster_network& n) {
      n.graph.kind = cluster_graph_kind::torus;
      n.routing.kind = cluster_routing_kind::dimension_order;
      n.channels.switches.channels = channels;
    });
  };
  EXPECT_EQ(torus(1), "network.routing.kind");
  EXPECT_EQ(torus(2), "nothing");
  EXPECT_EQ(torus(3), "network.channels.number");
}

TEST(cluster, refuses_what_a_fabric_cannot_do) {
  const auto with = [](const std::function<void(cluster_network&)>& change) {
    return refused([&](cluster_config& c) {
      c.network.kind = cluster_network_kind::fabric;
      change(c.network);
    });
  };
  EXPECT_EQ(with([](cluster_network&) {}), "nothing");
  EXPECT_EQ(with([](cluster_network& n) { n.links.base_latency = 2; }), "network.base_latency");
  EXPECT_EQ(with([](cluster_network& n) { n.links.router_latency = 1; }), "network.router_latency");
  EXPECT_EQ(with([](cluster_network& n) { n.links.router_buffer_bytes = 4096; }),
            "network.router_buffer_bytes");
  EXPECT_EQ(with([](cluster_network& n) { n.links.endpoint_buffer_bytes = 4096; }),
            "network.endpoint_buffer_bytes");
}

TEST(cluster, refuses_dimensions_where_switches_are_missing) {
  const auto equipped = [](cluster_graph_kind kind, std::uint32_t switches) {
    return refused([&](cluster_config& c) {
      c.network.graph.kind = kind;
      c.network.graph.sizes = "3x4";
      c.network.graph.equipped = switches;
      c.network.routing.kind = cluster_routing_kind::dimension_order;
    });
  };
  EXPECT_EQ(equipped(cluster_graph_kind::mesh, 0), "nothing");
  EXPECT_EQ(equipped(cluster_graph_kind::mesh, 7), "network.routing.kind");
  EXPECT_EQ(equipped(cluster_graph_kind::hypercube, 7), "nothing");
  const std::string too_many = refused([](cluster_config& c) {
    c.network.graph.kind = cluster_graph_kind::torus;
    c.network.graph.sizes = "3x4";
    c.network.graph.equipped = 13;
  });
  EXPECT_NE(too_many.find("equipped"), std::string::npos) << too_many;
}

TEST(cluster, only_traffic_that_computes_needs_whole_cycles_of_it) {
  const auto compute = [](cluster_kernel kernel) {
    return refused([&](cluster_config& c) {
      c.network.links.clock.period = 30000;
      c.traffic.kernel = kernel;
    });
  };
  EXPECT_EQ(compute(cluster_kernel::token_pass), "nothing");
  EXPECT_EQ(compute(cluster_kernel::exchange), "traffic.compute");
}

TEST(cluster, refuses_loads_and_files_that_do_not_fit_by_their_key) {
  EXPECT_EQ(refused([](cluster_config& c) { c.traffic.kernel = cluster_kernel::load; }), "nothing");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.traffic.kernel = cluster_kernel::load;
              c.traffic.destinations.kind = destination_kind::bit_reversal;
              c.network.graph.hosts_per_switch = 3;
            }),
            "traffic.pattern");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.traffic.kernel = cluster_kernel::load;
              c.traffic.load = 1;
              c.traffic.bytes = 1;
              c.network.links.bandwidth = 100000;
            }),
            "traffic.load");
  EXPECT_EQ(refused([](cluster_config& c) { c.traffic.kernel = cluster_kernel::replay; }),
            "traffic.path");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.links.clock.period = 700;
              c.traffic.pause = 1;
            }),
            "traffic.pause");
}

/// A network of each kind of graph and routing, all of them small.
std::map<std::string, cluster_network> networks() {
  std::map<std::string, cluster_network> all;
  const auto add = [&](const char* name, cluster_graph_kind kind, cluster_routing_kind routing) {
    cluster_network& made = all[name];
    made.graph.kind = kind;
    made.graph.hosts_per_switch = 2;
    made.graph.sizes = "3x4";
    made.graph.dimensions = 3;
    made.graph.switches = 8;
    made.graph.degree = 3;
    made.graph.fat_tree = {2, 3};
    made.graph.dragonfly = {3, 2, 1, 2};
    made.routing.kind = routing;
    made.routing.ways = cluster_way::drawn;
  };
  add("star", cluster_graph_kind::star, cluster_routing_kind::up_down_mdst);
  add("mesh", cluster_graph_kind::mesh, cluster_routing_kind::dimension_order);
  add("torus", cluster_graph_kind::torus, cluster_routing_kind::up_down_dfs);
  add("hypercube", cluster_graph_kind::hypercube, cluster_routing_kind::dimension_order);
  add("ring", cluster_graph_kind::ring, cluster_routing_kind::up_down_post);
  add("fat_tree", cluster_graph_kind::fat_tree, cluster_routing_kind::up_down_levels);
  add("dragonfly", cluster_graph_kind::dragonfly, cluster_routing_kind::up_down_bfs);
  add("random", cluster_graph_kind::random, cluster_routing_kind::up_down_dfs);
  for (const char* const name : {"torus", "fat_tree"}) {
    cluster_network& made = all[std::string("wormhole ") + name];
    made = all[name];
    make_wormhole(made);
  }
  all["wormhole fat_tree"].routing.ways = cluster_way::first;
  for (const char* const name : {"torus", "dragonfly", "random"}) {
    cluster_network& made = all[std::string("channels ") + name];
    made = all[name];
    make_channels(made);
  }
  all["channels torus"].routing.kind = cluster_routing_kind::dimension_order;
  all["channels dragonfly"].routing.kind = cluster_routing_kind::dragonfly;
  all["channels random"].adaptive = true;
  for (const bool ports : {false, true}) {
    cluster_network& made = all[ports ? "fabric with ports" : "fabric"];
    made = all["torus"];
    made.kind = cluster_network_kind::fabric;
    made.fabric.ports = ports;
    made.graph.equipped = 10;
    made.links.payload_bytes = 2047;
  }
  return all;
}

/// A token that goes around `laps` times, with a predictor of cycles at each host.
cluster_config predicted_token(std::uint32_t laps) {
  cluster_config config = small();
  config.traffic.laps = laps;
  config.traffic.bytes = 64;
  config.predictor.kind = predictor_kind::single_cycle;
  return config;
}

TEST(cluster, predictors_know_a_token_after_two_laps) {
  cluster_simulation machine(predicted_token(9), 1);
  machine.run_until(never - 1);
  const statistics_tree seen = machine.statistics();
  EXPECT_EQ(seen.find("predictor.hits"), 4.0 * 7);
  EXPECT_EQ(seen.find("predictor.misses"), 4.0 * 2);
  EXPECT_EQ(seen.find("predictor.unpredicted"), 4.0 * 2);
  EXPECT_EQ(seen.find("predictor.hit_ratio"), 7.0 / 9);
}

TEST(cluster, predictors_are_in_checkpoints) {
  cluster_simulation whole(predicted_token(9), 1);
  whole.run_until(30000);
  EXPECT_FALSE(whole.finished());
  cluster_simulation resumed(predicted_token(9), 1);
  resumed.restore(whole.save());
  whole.run_until(never - 1);
  resumed.run_until(never - 1);
  EXPECT_EQ(resumed.statistics().to_json_text(), whole.statistics().to_json_text());
  EXPECT_EQ(resumed.save(), whole.save());
}

TEST(cluster, refuses_logs_without_a_limit) {
  EXPECT_EQ(refused([](cluster_config& c) { c.predictor.log = 0; }), "predictor.log");
}

TEST(cluster, every_graph_brings_every_message) {
  for (const auto& [name, network] : networks()) {
    for (const cluster_kernel kernel : {cluster_kernel::token_pass, cluster_kernel::fan_in,
                                        cluster_kernel::fan_out, cluster_kernel::exchange}) {
      cluster_config config = small();
      config.network = network;
      config.traffic.kernel = kernel;
      cluster_simulation machine(config, 1);
      machine.run_until(never);
      const std::uint32_t hosts = machine.network().nodes();
      std::uint64_t expected = hosts - 1;
      if (kernel == cluster_kernel::token_pass) expected = hosts;
      // Two columns: a link in each row, and two between any two rows.
      const std::uint32_t rows = hosts / 2;
      if (kernel == cluster_kernel::exchange) expected = 10 * 2 * (rows + 2 * (rows - 1));
      const std::string which = name + ", kernel " + std::to_string(static_cast<int>(kernel));
      EXPECT_TRUE(machine.finished()) << which;
      EXPECT_EQ(machine.traffic().messages().count(), expected) << which;
      EXPECT_EQ(machine.traffic().packets().count(), 2 * expected) << which;
      EXPECT_EQ(machine.traffic().received_bytes(), 2048 * expected) << which;
    }
  }
}

TEST(cluster, a_broadcast_comes_once_to_each_by_dimensions_too) {
  for (const char* const name : {"star", "mesh", "hypercube", "fabric", "fabric with ports"}) {
    cluster_config config = small();
    config.network = networks().at(name);
    config.network.links.broadcast = true;
    config.traffic.kernel = cluster_kernel::fan_out;
    config.traffic.broadcast = true;
    cluster_simulation machine(config, 1);
    machine.run_until(never);
    EXPECT_EQ(machine.traffic().messages().count(), machine.network().nodes() - 1U) << name;
  }
}

std::string results_of(const cluster_simulation& machine) {
  return machine.statistics().to_json_text();
}

/// From a checkpoint of several cycles as if it had not stopped.
void expect_that_it_goes_on(const cluster_config& config, const std::string& which) {
  cluster_simulation whole(config, 7);
  whole.run_until(never);
  for (const cycle_t stop : {cycle_t{1}, cycle_t{5000}, whole.now() - 1}) {
    cluster_simulation first(config, 7);
    first.run_until(stop);
    cluster_simulation second(config, 7);
    second.restore(first.save());
    second.run_until(never);
    EXPECT_EQ(results_of(second), results_of(whole)) << which << ", cycle " << stop;
  }
}

TEST(cluster, a_run_goes_on_from_any_cycle_as_if_it_had_not_stopped) {
  for (const cluster_kernel kernel : {cluster_kernel::token_pass, cluster_kernel::fan_in,
                                      cluster_kernel::fan_out, cluster_kernel::exchange}) {
    cluster_config config = small();
    config.traffic.kernel = kernel;
    config.traffic.stagger = 5000;
    expect_that_it_goes_on(config, "kernel " + std::to_string(static_cast<int>(kernel)));
    make_wormhole(config.network);
    expect_that_it_goes_on(config, "wormhole " + std::to_string(static_cast<int>(kernel)));
    config.network.links = small().network.links;
    make_channels(config.network);
    expect_that_it_goes_on(config, "channels " + std::to_string(static_cast<int>(kernel)));
    config.network.links = small().network.links;
    config.network.kind = cluster_network_kind::fabric;
    expect_that_it_goes_on(config, "fabric " + std::to_string(static_cast<int>(kernel)));
  }
}

cluster_config loaded(double load) {
  cluster_config config = small();
  config.traffic.kernel = cluster_kernel::load;
  config.traffic.load = load;
  config.traffic.bytes = 200;
  // Few, so that a saturated network is full soon.
  config.network.links.router_buffers = 4;
  return config;
}

TEST(cluster, a_load_is_accepted_as_far_as_links_carry_it) {
  for (const double load : {0.1, 1.0}) {
    cluster_simulation machine(loaded(load), 1);
    machine.run_until(100000);
    machine.reset_statistics();
    machine.run_until(5000000);
    const double accepted = machine.statistics().find("traffic.accepted");
    if (load < 1) {
      EXPECT_NEAR(accepted, load, 0.01);
    } else {
      // Frames have 38 bytes in addition. Of what two hosts send a third stays at their switch, and
      // the rest shares a link.
      EXPECT_LT(accepted, 200.0 / 238 * (1.0 / 3 + 1.0 / 2));
      EXPECT_GT(machine.backlog(), 100U);
    }
    EXPECT_TRUE(machine.drain({}));
    EXPECT_EQ(machine.backlog(), 0U);
  }
}

TEST(cluster, a_replay_goes_on_from_the_same_messages_only) {
  const std::string path = ::testing::TempDir() + "cluster_replay.csv";
  const auto write = [&](const std::string& lines) {
    std::ofstream(path) << "cycle,source,destination,bytes\n" << lines;
  };
  cluster_config config = small();
  config.traffic.kernel = cluster_kernel::replay;
  config.traffic.path = path;
  write("10,0,1,100\n20000,1,2,100\n40000,2,0,100\n");
  cluster_simulation first(config, 1);
  first.run_until(20000);
  const std::string state = first.save();
  cluster_simulation same(config, 1);
  same.restore(state);
  same.run_until(1000000);
  EXPECT_TRUE(same.finished());
  write("10,0,1,100\n");
  cluster_simulation other(config, 1);
  EXPECT_THROW(other.restore(state), error);
}

TEST(cluster, only_networks_that_are_modules_run_in_systemc) {
  cluster_model model;
  model.config = small();
  for (const auto kind : {cluster_network_kind::fabric, cluster_network_kind::channels}) {
    model.config.network.kind = kind;
    EXPECT_THROW(model.make(engine_kind::systemc, 1), configuration_error);
  }
}

TEST(cluster, ways_of_virtual_channels_are_drawn_by_the_seed_of_routing) {
  std::set<std::string> seen;
  for (std::uint32_t seed = 1; seed < 4; ++seed) {
    cluster_config config = small();
    make_channels(config.network);
    config.network.graph.kind = cluster_graph_kind::fat_tree;
    config.network.routing.kind = cluster_routing_kind::up_down_levels;
    config.network.routing.seed = seed;
    config.network.channels.switches.choice = route_choice::drawn;
    config.traffic.kernel = cluster_kernel::h_relation;
    config.traffic.messages = 8;
    config.traffic.supersteps = 1;
    cluster_simulation machine(config, 1);
    machine.run_until(5000);
    seen.insert(machine.statistics().to_json().to_text());
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST(cluster, a_load_goes_on_from_a_checkpoint_and_is_drawn_by_the_seed) {
  cluster_simulation whole(loaded(0.3), 7);
  whole.run_until(200000);
  cluster_simulation first(loaded(0.3), 7);
  first.run_until(70000);
  cluster_simulation second(loaded(0.3), 7);
  second.restore(first.save());
  second.run_until(200000);
  EXPECT_EQ(results_of(second), results_of(whole));
  cluster_simulation other(loaded(0.3), 8);
  other.run_until(200000);
  EXPECT_NE(results_of(other), results_of(whole));
}

TEST(cluster, an_h_relation_ends_with_all_its_messages) {
  cluster_config config = small();
  config.traffic.kernel = cluster_kernel::h_relation;
  config.traffic.messages = 5;
  config.traffic.supersteps = 3;
  for (const bool barrier : {false, true}) {
    config.traffic.barrier = barrier;
    cluster_simulation machine(config, 1);
    machine.run_until(never);
    EXPECT_TRUE(machine.finished());
    EXPECT_EQ(machine.traffic().messages().count(), 4U * 5 * 3);
  }
}

TEST(cluster, a_checkpoint_of_another_configuration_is_refused) {
  const std::string state = cluster_simulation(small(), 1).save();
  cluster_config other = small();
  other.traffic.bytes = 1;
  cluster_simulation machine(other, 1);
  EXPECT_THROW(machine.restore(state), input_error);
}

TEST(cluster, drains_what_is_under_way_and_no_more) {
  cluster_config config = small();
  config.traffic.laps = 1000;
  cluster_simulation machine(config, 1);
  machine.run_until(10000);
  EXPECT_FALSE(machine.finished());
  const std::uint64_t before = machine.traffic().messages().count();
  EXPECT_TRUE(machine.drain({}));
  EXPECT_EQ(machine.traffic().messages().count(), before + 1);
  EXPECT_EQ(machine.backlog(), 0U);
}

TEST(cluster, what_is_measured_begins_anew_with_the_statistics) {
  cluster_config config = small();
  config.traffic.laps = 3;
  cluster_simulation machine(config, 1);
  machine.run_until(100000);
  const std::uint64_t before = machine.traffic().messages().count();
  ASSERT_GT(before, 0U);
  machine.reset_statistics();
  EXPECT_EQ(machine.latency()->count(), 0U);
  machine.run_until(never);
  EXPECT_EQ(machine.latency()->count(), 12U - before);
  EXPECT_EQ(machine.statistics().find("machine.cycles"),
            static_cast<double>(machine.now() - 100000));
}

/// How often something crossed each link, by name.
class crossings final : public observer<trace_event> {
 public:
  explicit crossings(const trace_catalog& catalog) : catalog_(catalog) {}
  void on_event(const trace_event& event) override { ++by_track[catalog_.name_of(event.track)]; }
  std::map<std::string, int> by_track;

 private:
  const trace_catalog& catalog_;
};

std::map<std::string, int> crossings_of(const cluster_config& config) {
  cluster_simulation machine(config, 1);
  const machine_trace trace = machine.trace();
  crossings seen(trace.catalog);
  trace.recorder.observers().attach(seen);
  machine.run_until(never);
  trace.recorder.observers().detach(seen);
  return seen.by_track;
}

TEST(cluster, each_packet_is_seen_on_each_of_its_links) {
  cluster_config config = small();
  config.traffic.kernel = cluster_kernel::fan_in;
  // Hosts 1 to 3 send two packets each; those of 2 and 3 go from switch 1 by the centre, 2.
  const std::map<std::string, int> expected{{"host.0.in", 6},       {"host.1.out", 2},
                                            {"host.2.out", 2},      {"host.3.out", 2},
                                            {"switch.1.link.0", 4}, {"switch.2.link.0", 4}};
  EXPECT_EQ(crossings_of(config), expected);
  make_wormhole(config.network);
  EXPECT_EQ(crossings_of(config), expected);
  // A fabric has no links that could be busy between its cards.
  config.network.kind = cluster_network_kind::fabric;
  const std::map<std::string, int> of_fabric{
      {"host.0.in", 6}, {"host.1.out", 2}, {"host.2.out", 2}, {"host.3.out", 2}};
  EXPECT_EQ(crossings_of(config), of_fabric);
}

}  // namespace
}  // namespace tributary
