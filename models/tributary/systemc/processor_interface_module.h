// SPDX-License-Identifier: Apache-2.0
// The processor interface as a module.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/controller/address_layout.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/magic/outbox.h>
#include <tributary/magic/processor_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `processor_interface` as a module: see `magic_node_of_modules`.
class processor_interface_module final : public block_module<processor_interface> {
 public:
  /// `nodes`: of the machine.
  processor_interface_module(const sc_core::sc_module_name& name,
                             const processor_interface_config& config,
                             const address_layout& addresses, node_id here, std::uint32_t nodes)
      : block_module(name), config_(config), addresses_(addresses), here_(here), nodes_(nodes) {}

  block_port<agenda> time{"time"};
  block_port<data_buffers> buffers{"buffers"};
  block_port<selector> in{"in"};
  block_export<processor_interface> accesses{"accesses",
                                             [this]() -> processor_interface& { return core(); }};
  block_export<answer_outlet> answers{"answers", [this]() -> answer_outlet& { return core(); }};
  block_export<inbox_source> source{"source", [this]() -> inbox_source& { return core(); }};

  const char* kind() const override { return "tributary::processor_interface_module"; }

 private:
  std::unique_ptr<processor_interface> make() override {
    return std::make_unique<processor_interface>(config_, time->reach(), addresses_, here_, nodes_,
                                                 buffers->reach());
  }
  void connect(processor_interface& core) override { core.tell(in->reach()); }

  processor_interface_config config_;
  address_layout addresses_;
  node_id here_;
  std::uint32_t nodes_;
};

}  // namespace tributary
