// SPDX-License-Identifier: Apache-2.0
// SMP nodes as modules: the events and statistics of the plain loop, and masters without a cache.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/protocols/requests/null_request.h>
#include <tributary/sim/observer.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/smp_node_module.h>

#include <smp/smp_simulation.h>

#include <support/accesses.h>
#include <support/at_initiator.h>
#include <support/smp_programs.h>
#include <support/systemc_test.h>

namespace tributary {
namespace {

/// What a machine tells, track by track, as cycles are told together in other places.
class event_texts final : private observer<trace_event> {
 public:
  explicit event_texts(smp_simulation& machine) : trace_(machine.trace()) {
    machine.machine().observers().attach(*this);
  }
  std::vector<std::string> texts;

 private:
  void on_event(const trace_event& event) override {
    texts.push_back(trace_.catalog.name_of(event.track) + " " + std::to_string(event.cycle) + " " +
                    std::to_string(event.last) + " " + event.kind->name + " " +
                    to_string(event.identity) + " " + std::to_string(event.address) + " " +
                    std::to_string(event.value) + " " + std::to_string(event.details));
  }
  machine_trace trace_;
};

struct outcome {
  std::vector<std::string> events;
  std::vector<flat_statistic> statistics;
};

outcome run(const smp_config& config, engine_kind engine) {
  smp_simulation machine(config, 3, engine);
  event_texts told(machine);
  machine.run_until(2'222);
  machine.reset_statistics();
  machine.run_until(2'000'000);
  EXPECT_TRUE(machine.finished());
  outcome found{told.texts, machine.statistics().flatten()};
  std::sort(found.events.begin(), found.events.end());
  return found;
}

/// Null requests of two nodes.
smp_config requests(schedule_kind schedule, std::uint32_t processors, node_level level) {
  smp_config config;
  config.machine.node.schedule = schedule;
  config.machine.node.processors = processors;
  config.machine.node.level = level;
  config.workload.requests.requests = level == node_level::bus ? 12 : 40;
  return config;
}

TEST(smp_node_module, modules_do_what_the_plain_loop_does) {
  std::size_t events = 0;
  std::size_t statistics = 0;
  for (const node_level level : {node_level::constants, node_level::bus}) {
    for (const auto& [schedule, processors] :
         {std::pair{schedule_kind::fixed, 3U}, std::pair{schedule_kind::floating, 3U},
          std::pair{schedule_kind::single, 1U}}) {
      const smp_config config = requests(schedule, processors, level);
      SCOPED_TRACE(std::to_string(static_cast<int>(level)) + " of schedule " +
                   std::to_string(static_cast<int>(schedule)));
      const outcome loop = run(config, engine_kind::loop);
      const outcome modules = run(config, engine_kind::systemc);
      ASSERT_GT(loop.events.size(), 100U);
      EXPECT_EQ(loop.events, modules.events);
      ASSERT_EQ(loop.statistics.size(), modules.statistics.size());
      for (std::size_t i = 0; i < loop.statistics.size(); ++i) {
        const flat_statistic& a = loop.statistics[i];
        const flat_statistic& b = modules.statistics[i];
        EXPECT_EQ(a.path, b.path);
        EXPECT_TRUE(a.value == b.value || (a.value != a.value && b.value != b.value)) << a.path;
      }
      events += loop.events.size();
      statistics += loop.statistics.size();
    }
  }
  std::cout << events << " events and " << statistics << " statistics are the same\n";
}

/// Two nodes and their network, as on the page smp_node, with monitors on all lanes.
struct two_nodes {
  explicit two_nodes(const smp_machine_config& config)
      : network("network", config.network, config.nodes) {
    for (std::uint32_t i = 0; i < config.nodes; ++i) {
      const network_node_place place{node_id{i}, config.nodes, config.network};
      nodes.push_back(std::make_unique<smp_node_module>(("node_" + std::to_string(i)).c_str(),
                                                        config.node, place, 1,
                                                        testing::null_requests(place.here)));
      for (std::size_t lane = 0; lane < config.network.lanes; ++lane) watch(i, lane);
    }
  }

  void watch(std::uint32_t i, std::size_t lane) {
    const std::size_t there = network.lane_of(node_id{i}, lane);
    monitors.push_back(
        std::make_unique<protocol_monitor<>>(("out_" + std::to_string(there)).c_str()));
    nodes[i]->to_network[lane].bind(monitors.back()->target_socket);
    monitors.back()->initiator_socket.bind(network.from_nodes[there]);
    monitors.push_back(
        std::make_unique<protocol_monitor<>>(("in_" + std::to_string(there)).c_str()));
    network.to_nodes[there].bind(monitors.back()->target_socket);
    monitors.back()->initiator_socket.bind(nodes[i]->from_network[lane]);
  }

  message_network_module network;
  std::vector<std::unique_ptr<smp_node_module>> nodes;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;
};

smp_machine_config on_bus(std::uint32_t bus_masters) {
  smp_machine_config config = testing::small_machine(schedule_kind::fixed, 2);
  config.node.level = node_level::bus;
  config.node.caches.levels[0].bytes = 4096;
  config.node.bus_masters = bus_masters;
  return config;
}

/// Keeps what its accesses found.
struct asking_client final : memory_client {
  void completed(const completion& done, cycle_t) override { values.push_back(done.value); }
  void room(std::size_t, cycle_t) override {}
  std::vector<word_t> values;
};

class smp_node_module_test : public testing::systemc_test {};

TEST_F(smp_node_module_test, a_socket_is_a_master_of_the_nodes_bus) {
  constexpr std::uint64_t word = 0x400;
  two_nodes machine(on_bus(1));
  smp_node_module& node = *machine.nodes[0];
  const auto period = node.clock_period();
  testing::at_initiator dma("dma");
  dma.initiator_socket().bind(node.bus_sockets[0]);
  asking_client program;
  processor_port& port = node.core().port(0);
  port.set_client(&program);

  port.offer(0, testing::store_of(testing::address_of(0, 0, word), 5), 0);
  sc_core::sc_start(1000.5 * period);
  ASSERT_EQ(program.values.size(), 1U);
  EXPECT_EQ(node.core().memory().read(word), 0U) << "the cache has it";

  word_t read = 0;
  dma.on_response = [&](tlm::tlm_generic_payload& payload) {
    if (payload.is_read()) read = payload_pool::word_of(payload);
  };
  dma.send(dma.pool.acquire_word(tlm::TLM_READ_COMMAND, word));
  sc_core::sc_start(1000 * period);
  EXPECT_EQ(read, 5U) << "supplied by the cache of processor 0";

  dma.send(dma.pool.acquire_word(tlm::TLM_WRITE_COMMAND, word, 6));
  sc_core::sc_start(1000 * period);
  port.offer(0, testing::load_of(testing::address_of(0, 0, word)), node.now());
  node.look();
  sc_core::sc_start(1000 * period);
  EXPECT_EQ(program.values.back(), 6U);

  // A request to node 1 meanwhile: the protocol runs on the same bus.
  port.offer(0, testing::load_of(testing::remote(1)), node.now());
  node.look();
  for (std::uint64_t i = 0; i < 20; ++i) {
    dma.send(dma.pool.acquire_word(tlm::TLM_READ_COMMAND, word + 32 * i));
  }
  sc_core::sc_start(10000 * period);
  EXPECT_EQ(program.values.size(), 3U);
  ASSERT_EQ(dma.outcomes.size(), 22U);
  for (const auto& each : dma.outcomes) EXPECT_EQ(each.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(dma.monitor.checker().violations(), 0U);
  for (const auto& each : machine.monitors) EXPECT_EQ(each->checker().violations(), 0U);
  EXPECT_TRUE(node.idle());
  statistics_tree reported;
  node.report(reported.root());
  EXPECT_EQ(reported.find("master.0.reads"), 21.0);
  EXPECT_EQ(reported.find("master.0.writes"), 1.0);
}

/// As on the page smp_node.
struct machine : sc_core::sc_module {
  machine(const sc_core::sc_module_name& name, const smp_machine_config& config)
      : sc_module(name), network("network", config.network, config.nodes) {
    for (std::uint32_t i = 0; i < config.nodes; ++i) {
      const network_node_place place{node_id{i}, config.nodes, config.network};
      std::vector<std::unique_ptr<protocol>> protocols;
      protocols.push_back(std::make_unique<null_request_protocol>(request_costs{}, 1));
      nodes.push_back(std::make_unique<smp_node_module>(
          ("node_" + std::to_string(i)).c_str(), config.node, place, 1, std::move(protocols)));
      nodes.back()->join(network);
    }
  }

  message_network_module network;
  std::vector<std::unique_ptr<smp_node_module>> nodes;
};

TEST_F(smp_node_module_test, the_machine_of_the_page_answers_requests) {
  machine made("machine", testing::small_machine(schedule_kind::fixed, 2));
  asking_client program;
  processor_port& port = made.nodes[0]->core().port(0);
  port.set_client(&program);
  port.offer(0, testing::load_of(testing::remote(1)), 0);
  sc_core::sc_start(590.5 * made.network.clock_period());
  EXPECT_EQ(program.values.size(), 0U);
  sc_core::sc_start(20 * made.network.clock_period());
  EXPECT_EQ(program.values.size(), 1U) << "some 600 cycles where the role is fixed";
  EXPECT_TRUE(made.nodes[0]->idle() && made.nodes[1]->idle() && made.network.idle());
}

TEST_F(smp_node_module_test, what_the_node_refuses_is_reported) {
  expect_report(messages::configuration);
  smp_machine_config config = on_bus(1);
  config.node.level = node_level::constants;
  const network_node_place place{node_id{0}, 2, config.network};
  EXPECT_THROW(smp_node_module("no_bus", config.node, place, 1, testing::null_requests(place.here)),
               sc_core::sc_report);
  config = on_bus(61);
  EXPECT_THROW(smp_node_module("many", config.node, place, 1, testing::null_requests(place.here)),
               sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
