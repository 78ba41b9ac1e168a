// SPDX-License-Identifier: Apache-2.0
// A node of several processors that run the protocol as a module with TLM-2.0 sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/smp/smp_node.h>
#include <tributary/systemc/bus_target.h>
#include <tributary/systemc/controller_node_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A `smp_node` on a network. Its units are no modules: they call each other within a cycle.
///
/// The processors are those of the core: programs stand on `core().port`, on the clockwork of the
/// core. At level B `bus_sockets`, of which `config.bus_masters` says how many there are, let
/// TLM-2.0 initiators be masters without a cache on the node's bus: see `bus_target`. They reach
/// memory, coherent with the processors' caches, and the registers of the network interface; they
/// run no handlers, are not interrupted, and tags of blocks do not hold for them.
///
/// What the node throws is reported as `messages::simulation`; the node is of no further use then.
class smp_node_module final : public controller_node_module {
 public:
  /// `seed` names the random streams of services. A place that the machine does not have, and a
  /// configuration that the node refuses, are reported as `messages::configuration`.
  smp_node_module(const sc_core::sc_module_name& name, const smp_node_config& config,
                  const network_node_place& place, std::uint64_t seed,
                  std::vector<std::unique_ptr<protocol>> protocols);
  ~smp_node_module() override;

  smp_node& core() { return *core_; }
  const smp_node& core() const { return *core_; }

  /// By master without a cache; those that are not used may stay unbound.
  sc_core::sc_vector<bus_target::socket> bus_sockets;

  /// Whether nothing is under way or deferred in it.
  bool idle() const;

  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::smp_node_module"; }

 private:
  cycle_t next_wakeup() const override { return core_->next_wakeup(); }
  void advance_to(cycle_t last) override { core_->advance_to(last); }
  void end_of_elaboration() override;
  void resume_sockets() override;

  std::unique_ptr<smp_node> core_;
  std::vector<std::unique_ptr<bus_target>> targets_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
