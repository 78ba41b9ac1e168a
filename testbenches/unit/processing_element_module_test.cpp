// SPDX-License-Identifier: Apache-2.0
// Processing elements with sockets: a machine of socketed parts against the plain loop.
#include <tributary/processor/processing_element_module.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/memory_module.h>
#include <tributary/nic/combining_network.h>
#include <tributary/sockets/fetch_op.h>
#include <tributary/sockets/protocol_monitor.h>
#include <tributary/workload/traffic.h>
#include <ultracomputer/ultracomputer.h>

#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/socket_machine.h"
#include "support/systemc_test.h"

namespace tributary {
namespace {

const sc_core::sc_time period(10, sc_core::SC_NS);

combining_network_config network_of(const ultracomputer_config& machine) {
  combining_network_config config;
  config.network = machine.network;
  config.addresses = machine.addresses;
  config.interface = machine.interface;
  config.memory_interface.interval = machine.memory.interval;
  config.memory_interface.pipeline = machine.memory.pipeline;
  return config;
}

/// Elements, network and memory modules, with sockets between all and a monitor on each.
struct socketed_machine {
  socketed_machine(const ultracomputer_config& config, std::uint64_t seed)
      : network("network", network_of(config)),
        requests(config.workload.traffic, network.addresses(), seed) {
    network.clock(clock);
    for (std::uint32_t i = 0; i < config.network.processing_elements; ++i) {
      add_element(config, i, seed);
      add_memory(config, i);
    }
  }

  void run_until(cycle_t last) {
    sc_core::sc_start((static_cast<double>(last) + 0.5) * period - sc_core::sc_time_stamp());
  }
  bool idle() const {
    return network.idle() && std::all_of(elements.begin(), elements.end(),
                                         [](const auto& each) { return each->idle(); });
  }

  sc_core::sc_clock clock{"clock", period};
  combining_network network;
  traffic requests;
  std::vector<std::unique_ptr<processing_element_module>> elements;
  std::vector<std::unique_ptr<memory_module>> memories;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;

 private:
  protocol_monitor<>& monitor() {
    monitors.push_back(
        std::make_unique<protocol_monitor<>>(sc_core::sc_gen_unique_name("monitor")));
    return *monitors.back();
  }
  void add_element(const ultracomputer_config& config, std::uint32_t i, std::uint64_t seed) {
    elements.push_back(std::make_unique<processing_element_module>(
        sc_core::sc_gen_unique_name("element"),
        processing_element_module_config{config.processor, config.interface.outstanding}, pe_id{i},
        seed, [this, i] { return requests.draw(i); }));
    protocol_monitor<>& between = monitor();
    elements[i]->clock(clock);
    elements[i]->initiator_socket.bind(between.target_socket);
    between.initiator_socket.bind(network.target_sockets[i]);
  }
  void add_memory(const ultracomputer_config& config, std::uint32_t i) {
    memory_module_config own;
    own.timing = config.memory;
    memories.push_back(std::make_unique<memory_module>(sc_core::sc_gen_unique_name("memory"), own));
    protocol_monitor<>& between = monitor();
    memories[i]->clock(clock);
    network.initiator_sockets[i].bind(between.target_socket);
    between.initiator_socket.bind(memories[i]->target_socket);
  }
};

class processing_element_module_test : public testing::systemc_test {};

/// The first line in which two texts differ, for a message.
std::string first_difference(const std::string& x, const std::string& y) {
  const auto differ = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
  const auto at = static_cast<std::size_t>(differ.first - x.begin());
  const std::size_t line = at == 0 ? 0 : x.rfind('\n', at - 1) + 1;
  return "loop: " + x.substr(line, x.find('\n', line) - line) +
         "\nsockets: " + y.substr(line, y.find('\n', line) - line);
}

class socketed_machine_test : public processing_element_module_test,
                              public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(socketed_machine_test, makes_the_trace_of_the_loop) {
  constexpr cycle_t cycles = 600;
  random_stream random(7300 + GetParam(), 0U, 0U);
  ultracomputer_config config = testing::random_configuration(random);
  config.addresses = testing::without_local_ports(config.addresses);
  config.workload.kind = workload_kind::closed_loop;
  SCOPED_TRACE(testing::to_string(config));

  ultracomputer loop(config, GetParam());
  testing::event_text expected(loop.observers());
  loop.run_until(cycles);

  socketed_machine machine(config, GetParam());
  testing::event_text trace(machine.network.observers());
  machine.run_until(cycles);
  ASSERT_FALSE(expected.text().empty());
  ASSERT_TRUE(trace.text() == expected.text()) << first_difference(expected.text(), trace.text());

  for (const auto& each : machine.elements) each->stop();
  machine.run_until(cycles + 4000);
  EXPECT_TRUE(machine.idle());
  for (const auto& each : machine.monitors) EXPECT_EQ(each->checker().outstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(seeds, socketed_machine_test, ::testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace tributary
