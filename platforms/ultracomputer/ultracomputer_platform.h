// SPDX-License-Identifier: Apache-2.0
// The Ultracomputer as a SystemC platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <tributary/sim/observer.h>
#include <tributary/systemc/element_array_module.h>
#include <tributary/systemc/machine_links.h>
#include <tributary/systemc/memory_array_module.h>
#include <tributary/systemc/omega_network_module.h>

#include <driver/simulation_context.h>
#include "ultracomputer_machine.h"

namespace tributary {

/// The machine as three modules on one clock, joined by links: elements, network, memory. It has a
/// simulation context of its own, so only one can be alive in a process.
class ultracomputer_platform final : public ultracomputer_machine, private observer<packet> {
 public:
  /// What `ultracomputer` throws, modules report: `sc_core::sc_report` by default.
  ultracomputer_platform(const ultracomputer_config& config, std::uint64_t seed);
  /// With a program of its own in place of the configuration's workload; `make` makes it, and once
  /// more at a reset.
  ultracomputer_platform(const ultracomputer_config& config, std::uint64_t seed,
                         const std::function<std::unique_ptr<program>()>& make);

  cycle_t now() const override { return top_.elements.now(); }
  void run_until(cycle_t last) override;

  const omega_network& network() const override { return top_.network.core(); }
  const memory& memories() const override { return top_.memories.core(); }
  const network_interface& interfaces() const override { return top_.elements.core().interfaces; }
  const workload& work() const override { return *top_.elements.core().work; }
  omega_network& network() override { return top_.network.core(); }
  memory& memories() override { return top_.memories.core(); }
  network_interface& interfaces() override { return top_.elements.core().interfaces; }
  workload& work() override { return *top_.elements.core().work; }

 private:
  using make_workload_function = element_array_module::make_workload_function;

  struct top_module : sc_core::sc_module {
    top_module(const sc_core::sc_module_name& name, const ultracomputer_config& config,
               const address_map& map, const make_workload_function& make);

    sc_core::sc_clock clock;
    element_array_module elements;
    omega_network_module network;
    memory_array_module memories;
    machine_links links;

   private:
    TRIBUTARY_HAS_PROCESS(top_module);
    void pause() { sc_core::sc_pause(); }
  };

  ultracomputer_platform(const ultracomputer_config& config, std::uint64_t seed,
                         const std::function<std::unique_ptr<workload>(const address_map&)>& make);

  request_trace& events() override { return top_.elements.events(); }
  void resume_after(cycle_t now) override;
  void on_event(const packet& served) override { count_transit(served, now()); }
  void observe_modules();

  simulation_context context_;
  top_module top_;
  cycle_t first_ = 0;  ///< the last cycle before the simulation
};

}  // namespace tributary
