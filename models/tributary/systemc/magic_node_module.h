// SPDX-License-Identifier: Apache-2.0
// A node with MAGIC as a module with TLM-2.0 sockets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/controller/protocol.h>
#include <tributary/magic/magic_node.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/magic_node_edges.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// One `magic_node` behind the sockets of a node.
class magic_node_module final : public magic_node_edges {
 public:
  /// A configuration that the node refuses is reported as `messages::configuration`.
  magic_node_module(const sc_core::sc_module_name& name, const magic_node_config& config,
                    const magic_node_place& place,
                    std::vector<std::unique_ptr<protocol>> protocols);

  magic_node& core() { return *core_; }
  const magic_node& core() const { return *core_; }

  const char* kind() const override { return "tributary::magic_node_module"; }

 private:
  cycle_t next_wakeup() const override { return core_->next_wakeup(); }
  void advance_to(cycle_t last) override { core_->advance_to(last); }

  const magic_node_config& inner_config() const override { return core_->config(); }
  agenda& inner_agenda() override { return core_->clockwork(); }
  network_endpoint& inner_endpoint() override { return core_->endpoint(); }
  processor_interface& inner_processor() override { return core_->processor(); }
  word_memory& inner_memory() override { return core_->memory(); }
  bool inner_idle() const override { return core_->idle(); }
  void reset_inner_statistics() override { core_->reset_statistics(); }
  void report_inner(statistics_group& into, std::uint64_t cycles) const override {
    core_->report(into, cycles);
  }

  std::unique_ptr<magic_node> core_;
};

}  // namespace tributary
