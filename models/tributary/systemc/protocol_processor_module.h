// SPDX-License-Identifier: Apache-2.0
// The protocol processor as a module.
#pragma once

#include <memory>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/executor.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/idle_handler.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/outbox.h>
#include <tributary/magic/protocol_processor.h>
#include <tributary/magic/software_queue.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `protocol_processor` as a module: see `magic_node_of_modules`.
class protocol_processor_module final : public block_module<protocol_processor> {
 public:
  /// References must outlive the module.
  protocol_processor_module(const sc_core::sc_module_name& name,
                            const protocol_processor_config& config, node_id here,
                            const address_layout& addresses, const protocol_set& protocols,
                            executor& runs)
      : block_module(name),
        config_(config),
        here_(here),
        addresses_(addresses),
        protocols_(protocols),
        executor_(runs) {}

  block_port<agenda> time{"time"};
  block_port<inbox> in{"in"};
  block_port<outbox> out{"out"};
  block_port<outgoing_space> outgoing{"outgoing"};
  block_port<data_buffers> buffers{"buffers"};
  block_port<line_memory> memory{"memory"};
  block_port<software_queue> deferred{"deferred"};
  block_port<idle_handler> timed{"timed"};

  const char* kind() const override { return "tributary::protocol_processor_module"; }

 private:
  std::unique_ptr<protocol_processor> make() override {
    return std::make_unique<protocol_processor>(
        config_, time->reach(), here_, addresses_, protocols_, executor_,
        protocol_processor_units{in->reach(), out->reach(), outgoing->reach(), buffers->reach(),
                                 memory->reach(), deferred->reach(), timed->reach()});
  }

  protocol_processor_config config_;
  node_id here_;
  const address_layout& addresses_;
  const protocol_set& protocols_;
  executor& executor_;
};

}  // namespace tributary
