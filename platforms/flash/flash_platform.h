// SPDX-License-Identifier: Apache-2.0
// The nodes of a FLASH machine as a SystemC platform.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/magic/magic_nodes.h>
#include <tributary/sim/observer.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/magic_node_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/systemc.h>

#include <driver/kernel_steps.h>
#include <driver/simulation_context.h>

namespace tributary {

/// A module a node and one for the network, joined by TLM-2.0 sockets. It has a simulation context
/// of its own, so only one can be alive in a process.
class flash_platform final : public magic_nodes {
 public:
  /// What nodes and network throw, modules report: `sc_core::sc_report` by default.
  flash_platform(const magic_machine_config& config, const protocol_maker& protocols);

  std::size_t size() const override { return top_.nodes.size(); }
  magic_node& node(std::size_t i) override { return top_.nodes.at(i)->core(); }
  const magic_node& node(std::size_t i) const override { return top_.nodes.at(i)->core(); }

  cycle_t now() const override { return steps_.now(); }
  using magic_nodes::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool idle() const override;
  std::string save() const override { refuse_checkpoints(); }
  void restore(const std::string&) override { refuse_checkpoints(); }
  void reset_statistics() override;
  void report(statistics_group& into) override;

 private:
  struct top_module : sc_core::sc_module {
    top_module(const sc_core::sc_module_name& name, const magic_machine_config& config,
               const protocol_maker& protocols);

    cycle_scheduler scheduler;
    message_network_module network;
    std::vector<std::unique_ptr<magic_node_module>> nodes;
  };
  /// Messages between modules are held by both, each in its own way.
  [[noreturn]] static void refuse_checkpoints();

  simulation_context context_;
  top_module top_;
  kernel_steps steps_;
};

}  // namespace tributary
