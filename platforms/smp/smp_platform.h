// SPDX-License-Identifier: Apache-2.0
// The nodes of an SMP machine as a SystemC platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/smp/smp_machine.h>
#include <tributary/smp/smp_nodes.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/smp_node_module.h>
#include <tributary/systemc/systemc.h>

#include <driver/kernel_steps.h>
#include <driver/simulation_context.h>

namespace tributary {

/// A module a node and one for the network, joined by TLM-2.0 sockets. It has a simulation context
/// of its own, so only one can be alive in a process.
class smp_platform final : public smp_nodes {
 public:
  /// What nodes and network throw, modules report: `sc_core::sc_report` by default.
  smp_platform(const smp_machine_config& config, const protocol_maker& protocols,
               std::uint64_t seed);

  std::size_t size() const override { return top_.nodes.size(); }
  smp_node& node(std::size_t i) override { return top_.nodes.at(i)->core(); }
  const smp_node& node(std::size_t i) const override { return top_.nodes.at(i)->core(); }

  cycle_t now() const override { return steps_.now(); }
  using smp_nodes::run_until;
  void run_until(cycle_t last, const std::function<bool()>& stop) override;
  bool idle() const override;
  std::string save() const override { refuse_checkpoints(); }
  void restore(const std::string&) override { refuse_checkpoints(); }
  void reset_statistics() override;
  void report(statistics_group& into) override;

 private:
  struct top_module : sc_core::sc_module {
    top_module(const sc_core::sc_module_name& name, const smp_machine_config& config,
               const protocol_maker& protocols, std::uint64_t seed);

    cycle_scheduler scheduler;
    message_network_module network;
    std::vector<std::unique_ptr<smp_node_module>> nodes;
  };
  /// Messages between modules are held by both, each in its own way.
  [[noreturn]] static void refuse_checkpoints();

  simulation_context context_;
  top_module top_;
  kernel_steps steps_;
};

}  // namespace tributary
