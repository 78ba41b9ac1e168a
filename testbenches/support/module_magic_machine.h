// SPDX-License-Identifier: Apache-2.0
// Random machines of nodes with MAGIC as modules, held to the plain loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <driver/simulation_context.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/magic_node_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/protocol_monitor.h>

#include <support/random_magic_machine.h>

namespace tributary::testing {

/// The machine as modules. With `watched` a protocol monitor is on every lane. Every other case has
/// one process for all modules.
struct module_machine {
  module_machine(const random_case& what, traffic& work, bool watched)
      : network("network", what.machine.network, what.machine.nodes) {
    // In another order than the network numbers them.
    for (std::uint32_t i = what.machine.nodes; i-- > 0;) {
      magic_node_place place;
      place.here = node_id{i};
      place.nodes = what.machine.nodes;
      place.network = what.machine.network;
      nodes.push_back(std::make_unique<magic_node_module>(("node_" + std::to_string(i)).c_str(),
                                                          what.machine.node, place,
                                                          work.protocols_of(node_id{i})));
      if (!watched) {
        nodes.back()->join(network);
        continue;
      }
      for (std::size_t lane = 0; lane < most_network_lanes; ++lane) {
        const std::size_t there = network.lane_of(node_id{i}, lane);
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
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      work.begin(node(i).core(), node(i).core().processor());
    }
    if (what.seed % 2 == 0) return;
    network.follow(scheduler);
    for (const auto& each : nodes) each->follow(scheduler);
  }

  magic_node_module& node(std::size_t i) { return *nodes[nodes.size() - 1 - i]; }
  bool idle() {
    bool all = network.idle();
    for (const auto& each : nodes) all = all && each->idle();
    return all;
  }

  message_network_module network;
  sc_core::sc_time period{network.clock_period()};
  cycle_scheduler scheduler{"scheduler", period};
  std::vector<std::unique_ptr<magic_node_module>> nodes;
  std::vector<std::unique_ptr<protocol_monitor<>>> monitors;
};

inline void expect_same_events(traffic& plain, traffic& modules, std::size_t node) {
  // Told together after different numbers of cycles, so track by track here.
  const auto by_track = [](std::vector<trace_event> events) {
    std::stable_sort(events.begin(), events.end(), [](const trace_event& x, const trace_event& y) {
      return x.track != y.track ? x.track < y.track : comes_before(x, y);
    });
    return events;
  };
  const std::vector<trace_event> of_plain = by_track(plain.events(node));
  const std::vector<trace_event> of_modules = by_track(modules.events(node));
  for (std::size_t i = 0; i < of_plain.size() && i < of_modules.size(); ++i) {
    ASSERT_EQ(plain.text_of(node, of_plain[i]), modules.text_of(node, of_modules[i]))
        << "event " << i;
  }
  ASSERT_EQ(of_plain.size(), of_modules.size());
}

/// Runs a machine in the plain loop and as modules, which must do the same. Adds to `events` how
/// many there were.
inline void compare_with_plain(const random_case& what, bool watched, std::size_t& events) {
  constexpr cycle_t last = 400000;
  constexpr cycle_t told_together = 1000;
  traffic plain_work(what);
  magic_machine plain(what.machine, [&](node_id node) { return plain_work.protocols_of(node); });
  const traffic::until_here plain_end(plain_work);
  for (std::size_t i = 0; i < plain.size(); ++i)
    plain_work.begin(plain.node(i), plain.node(i).processor());
  plain.run_until(last, [&] {
    for (std::size_t i = 0; i < plain.size(); ++i) plain_work.events(i);
    return false;
  });

  simulation_context context;
  traffic module_work(what);
  module_machine modules(what, module_work, watched);
  const traffic::until_here modules_end(module_work);
  sc_core::sc_start(0.5 * modules.period);
  for (cycle_t cycle = 0; cycle < last; cycle += told_together) {
    sc_core::sc_start(static_cast<double>(told_together) * modules.period);
    for (std::size_t i = 0; i < plain.size(); ++i) module_work.events(i);
  }

  for (std::size_t i = 0; i < plain.size(); ++i) {
    SCOPED_TRACE(what.text() + ", node " + std::to_string(i));
    expect_same_events(plain_work, module_work, i);
    if (::testing::Test::HasFatalFailure()) return;
    events += plain_work.events(i).size();
    for (std::uint64_t at = 0; at < what.machine.node.memory.bytes; at += 8) {
      EXPECT_EQ(plain.node(i).memory().read(at), modules.node(i).core().memory().read(at)) << at;
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
