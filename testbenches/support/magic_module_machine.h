// SPDX-License-Identifier: Apache-2.0
// Random machines of nodes with MAGIC as modules, held to the plain loop.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/magic/magic_machine.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/magic_node_module.h>
#include <tributary/systemc/magic_node_of_modules.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/routed_network_module.h>
#include <ultracomputer/simulation_context.h>

#include <support/random_magic_machine.h>

namespace tributary::testing {

inline word_memory& memory_of(magic_node_module& node) { return node.core().memory(); }
inline word_memory& memory_of(magic_node_of_modules& node) { return node.memory(); }
inline void begin(traffic& work, magic_node_module& node) {
  work.begin(node.core(), node.core().processor());
}
inline void begin(traffic& work, magic_node_of_modules& node) { work.begin(node, node.uncached()); }

template <class Node>
using node_maker = std::function<std::unique_ptr<Node>(
    const std::string& name, const magic_node_config& config, const magic_node_place& place,
    std::vector<std::unique_ptr<protocol>> protocols)>;

template <class Node>
std::unique_ptr<Node> make_node(const std::string& name, const magic_node_config& config,
                                const magic_node_place& place,
                                std::vector<std::unique_ptr<protocol>> protocols) {
  return std::make_unique<Node>(name.c_str(), config, place, std::move(protocols));
}

/// The machine as modules of type `Node`. With `watched` a protocol monitor is on every lane. Every
/// other case has one process for all modules.
template <class Node>
struct module_machine {
  module_machine(const random_case& what, traffic& work, bool watched, const node_maker<Node>& make)
      : network("network", what.machine.network, what.machine.nodes, period) {
    // In another order than the network numbers them.
    for (std::uint32_t i = what.machine.nodes; i-- > 0;) {
      magic_node_place place;
      place.here = node_id{i};
      place.nodes = what.machine.nodes;
      place.network = what.machine.network;
      place.clock_period = period;
      nodes.push_back(make("node_" + std::to_string(i), what.machine.node, place,
                           work.protocols_of(node_id{i})));
      if (!watched) {
        nodes.back()->join(network);
        continue;
      }
      for (std::size_t lane = 0; lane < network_lanes; ++lane) {
        const std::size_t there = routed_network_module::lane_of(node_id{i}, lane);
        monitors.push_back(
            std::make_unique<protocol_monitor<>>(("out_" + std::to_string(there)).c_str()));
        nodes.back()->to_network[lane].bind(monitors.back()->target_socket);
        monitors.back()->initiator_socket.bind(network.from_nodes[there]);
        monitors.push_back(
            std::make_unique<protocol_monitor<>>(("in_" + std::to_string(there)).c_str()));
        network.to_nodes[there].bind(monitors.back()->target_socket);
        monitors.back()->initiator_socket.bind(nodes.back()->from_network[lane]);
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) begin(work, node(i));
    if (what.seed % 2 == 0) return;
    network.follow(scheduler);
    for (const auto& each : nodes) each->follow(scheduler);
  }

  Node& node(std::size_t i) { return *nodes[nodes.size() - 1 - i]; }
  bool idle() {
    bool all = network.idle();
    for (const auto& each : nodes) all = all && each->idle();
    return all;
  }

  sc_core::sc_time period{10, sc_core::SC_NS};
  cycle_scheduler scheduler{"scheduler", period};
  routed_network_module network;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;
};

/// Runs a machine in the plain loop and as modules, which must do the same. Adds to `events` how
/// many there were.
template <class Node>
void compare_with_plain(const random_case& what, bool watched, std::size_t& events,
                        const node_maker<Node>& make = make_node<Node>) {
  constexpr cycle_t last = 400000;
  traffic plain_work(what);
  magic_machine plain(what.machine, [&](node_id node) { return plain_work.protocols_of(node); });
  const traffic::until_here plain_end(plain_work);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain_work.begin(plain.node(i), plain.node(i).processor());
  plain.run_until(last);

  simulation_context context;
  traffic module_work(what);
  module_machine<Node> modules(what, module_work, watched, make);
  const traffic::until_here modules_end(module_work);
  sc_core::sc_start((static_cast<double>(last) + 0.5) * modules.period);

  for (std::size_t i = 0; i < plain.size(); ++i) {
    SCOPED_TRACE(what.text() + ", node " + std::to_string(i));
    expect_same(plain_work.events(i), module_work.events(i));
    if (::testing::Test::HasFatalFailure()) return;
    events += plain_work.events(i).size();
    for (std::uint64_t at = 0; at < what.machine.node.memory.bytes; at += 8) {
      EXPECT_EQ(plain.node(i).memory().read(at), memory_of(modules.node(i)).read(at)) << at;
    }
  }
  EXPECT_EQ(plain.idle(), modules.idle()) << what.text();
  const auto of_plain =
      statistics_of([&](statistics_tree& tree) { plain.report(tree.group("m")); });
  const auto of_modules = statistics_of([&](statistics_tree& tree) {
    modules.network.report(tree.group("m").group("network"));
    for (std::size_t i = 0; i < plain.size(); ++i) {
      modules.node(i).report(tree.group("m").group("node." + std::to_string(i)));
    }
  });
  EXPECT_EQ(of_plain.size(), of_modules.size()) << what.text();
  for (const auto& [path, value] : of_plain) {
    const auto found = of_modules.find(path);
    ASSERT_NE(found, of_modules.end()) << path;
    EXPECT_TRUE(found->second == value || (std::isnan(value) && std::isnan(found->second)))
        << what.text() << ": " << path << ", " << value << " in the plain loop";
  }
}

}  // namespace tributary::testing
