// SPDX-License-Identifier: Apache-2.0
// A node with MAGIC whose blocks are modules of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tributary/controller/fiber_executor.h>
#include <tributary/controller/protocol.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/magic_node.h>
#include <tributary/magic/node_event.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/block_module.h>
#include <tributary/systemc/data_buffers_module.h>
#include <tributary/systemc/idle_handler_module.h>
#include <tributary/systemc/inbox_module.h>
#include <tributary/systemc/magic_network_interface_module.h>
#include <tributary/systemc/magic_node_edges.h>
#include <tributary/systemc/memory_block.h>
#include <tributary/systemc/outbox_module.h>
#include <tributary/systemc/processor_interface_module.h>
#include <tributary/systemc/protocol_processor_module.h>
#include <tributary/systemc/software_queue_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Makes the memory of a node.
using memory_block_maker = std::function<std::unique_ptr<memory_block>(
    const char* name, const memory_controller_config& config, node_id here)>;

/// What `magic_node_module` is, event for event, of modules: they hang in its hierarchy under the
/// names of their statistics, and call each other within the cycle through their ports.
class magic_node_of_modules final : public magic_node_edges {
 public:
  /// A configuration that the node or a block refuses is reported as `messages::configuration`.
  /// `memory` makes another memory than `memory_controller_module`.
  magic_node_of_modules(const sc_core::sc_module_name& name, const magic_node_config& config,
                        const magic_node_place& place,
                        std::vector<std::unique_ptr<protocol>> protocols,
                        const memory_block_maker& memory = {});
  ~magic_node_of_modules() override;

  node_id here() const { return place().here; }
  const magic_node_config& config() const { return config_; }
  agenda& clockwork() { return agenda_; }
  processor_interface& uncached() { return processor_interface_->core(); }
  line_memory& memory() { return memory_->lines->reach(); }
  const protocol_set& protocols() const { return *protocols_; }

  /// As of `magic_node`.
  void set_observer(observer<node_event>* who);

  const char* kind() const override { return "tributary::magic_node_of_modules"; }

 private:
  void bind();
  void make_cores();

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }

  const magic_node_config& inner_config() const override { return config_; }
  agenda& inner_agenda() override { return agenda_; }
  network_endpoint& inner_endpoint() override { return network_interface_->core(); }
  processor_interface& inner_processor() override { return processor_interface_->core(); }
  word_memory& inner_memory() override { return memory(); }
  bool inner_idle() const override;
  void reset_inner_statistics() override;
  void report_inner(statistics_group& into, std::uint64_t cycles) const override;

  magic_node_config config_;
  agenda agenda_;
  std::unique_ptr<protocol_set> protocols_;
  std::unique_ptr<fiber_executor> executor_;
  block_export<agenda> time_{"time", [this]() -> agenda& { return agenda_; }};
  block_export<network_port> link_{"link", [this]() -> network_port& { return network(); }};
  std::unique_ptr<memory_block> memory_;
  std::unique_ptr<data_buffers_module> buffers_;
  std::unique_ptr<magic_network_interface_module> network_interface_;
  std::unique_ptr<processor_interface_module> processor_interface_;
  std::unique_ptr<inbox_module> in_;
  std::unique_ptr<outbox_module> out_;
  std::unique_ptr<software_queue_module> deferred_;
  std::unique_ptr<idle_handler_module> timed_;
  std::unique_ptr<protocol_processor_module> protocol_processor_;
};

}  // namespace tributary
