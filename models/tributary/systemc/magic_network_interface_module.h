// SPDX-License-Identifier: Apache-2.0
// The network interface of MAGIC as a module.
#pragma once

#include <functional>
#include <memory>

#include <tributary/controller/message.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/magic_network_interface.h>
#include <tributary/magic/network_message.h>
#include <tributary/magic/outbox.h>
#include <tributary/network/routed_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/block_module.h>

namespace tributary {

/// A `magic_network_interface` as a module: see `magic_node_of_modules`.
class magic_network_interface_module final : public block_module<magic_network_interface> {
 public:
  /// `messages` are those that travel over `network`, and must outlive the module.
  magic_network_interface_module(const sc_core::sc_module_name& name,
                                 const magic_network_interface_config& config, node_id here,
                                 message_pool& messages)
      : block_module(name), config_(config), here_(here), messages_(messages) {}

  block_port<agenda> time{"time"};
  block_port<data_buffers> buffers{"buffers"};
  block_port<network_port> network{"network"};
  block_port<selector> in{"in"};
  block_export<message_outlet> outgoing{"outgoing", [this]() -> message_outlet& { return core(); }};
  block_export<outgoing_space> space{"space", [this]() -> outgoing_space& { return core(); }};
  block_export<network_endpoint> endpoint{"endpoint",
                                          [this]() -> network_endpoint& { return core(); }};
  block_export<inbox_source> request_lane{"request_lane", input_of(message_lane::request)};
  block_export<inbox_source> reply_lane{"reply_lane", input_of(message_lane::reply)};
  block_export<inbox_source> third_lane{"third_lane", input_of(message_lane::third)};
  block_export<inbox_source> fourth_lane{"fourth_lane", input_of(message_lane::fourth)};

  const char* kind() const override { return "tributary::magic_network_interface_module"; }

 private:
  std::function<inbox_source&()> input_of(message_lane lane) {
    return [this, lane]() -> inbox_source& { return core().input(lane); };
  }
  std::unique_ptr<magic_network_interface> make() override {
    return std::make_unique<magic_network_interface>(config_, time->reach(), here_,
                                                     network->reach(), messages_, buffers->reach());
  }
  void connect(magic_network_interface& core) override { core.tell(in->reach()); }

  magic_network_interface_config config_;
  node_id here_;
  message_pool& messages_;
};

}  // namespace tributary
