// SPDX-License-Identifier: Apache-2.0
// A cluster as SystemC modules.
#pragma once

#include <functional>
#include <memory>

#include <tributary/network/message_network.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/systemc.h>
#include <tributary/systemc/traffic_module.h>

#include <driver/kernel_steps.h>
#include <driver/simulation_context.h>

#include "cluster_engine.h"

namespace tributary {

/// A module for the network and one for the hosts, joined by TLM-2.0 sockets. It has a simulation
/// context of its own, so only one can be alive in a process.
class cluster_platform final : public cluster_engine {
 public:
  /// What network and hosts throw, modules report: `sc_core::sc_report` by default.
  cluster_platform(std::unique_ptr<message_network> network, traffic_kernel& kernel,
                   const endpoint_in_front& in_front = {});

  message_network& network() override;
  traffic_run& traffic() override { return top_.hosts.run(); }
  cycle_t now() const override { return steps_.now(); }
  void run_until(cycle_t last, const std::function<void(cycle_t)>& tell) override;
  void reset_statistics() override;

 private:
  struct top_module : sc_core::sc_module {
    top_module(const sc_core::sc_module_name& name, std::unique_ptr<message_network> core,
               traffic_kernel& kernel, const endpoint_in_front& in_front);

    cycle_scheduler scheduler;
    message_network_module network;
    traffic_module hosts;
  };

  simulation_context context_;
  top_module top_;
  kernel_steps steps_;
};

}  // namespace tributary
