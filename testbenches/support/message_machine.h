// SPDX-License-Identifier: Apache-2.0
// Nodes with message interfaces, and a program on each.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/language_data_parallel.h>
#include <tributary/algorithms/traditional_data_parallel.h>
#include <tributary/nic/message_attachment.h>
#include <tributary/processor/program.h>

#include <support/attached_programs.h>

namespace tributary::testing {

struct message_choice {
  message_attachment_config node;
  message_network_config network = two_lanes();
  std::uint32_t nodes = 2;
  std::uint64_t seed = 1;
  bool merges_requests = false;

  message_choice() { node.memory_bytes = 65536; }
  message_interface_config& interface() { return node.interface; }
};

class message_machine {
 public:
  explicit message_machine(const message_choice& choice, const attached_programs::body& run)
      : programs(
            choice.network, choice.nodes, choice.node.memory_bytes, messages,
            [this, node = choice.node](const attachment_place& place) {
              return std::make_unique<message_attachment>(node, address_layout(), place, messages);
            },
            run, choice.seed) {}

  message_interface& interface(std::uint32_t node) {
    return dynamic_cast<message_attachment&>(programs.machine.node(node).attachment()).interface();
  }

  interface_pool messages;
  attached_programs programs;
};

/// The run-time of a program there, of the interface's design, on the second half of the memory.
inline std::unique_ptr<data_parallel> run_time_of(const message_choice& choice,
                                                  program_context& context,
                                                  std::uint64_t data_bytes,
                                                  std::uint32_t arity = 2) {
  message_runtime_place place;
  place.interface = choice.node.interface;
  place.registers = interface_space;
  place.memory = context.local_address(0);
  place.memory_place = choice.node.memory_bytes / 2;
  place.data_bytes = data_bytes;
  place.arity = arity;
  place.reorders = choice.network.reorder_window != 0;
  place.own_copy = choice.network.broadcast_self;
  place.merges_requests = choice.merges_requests;
  if (place.interface.has_engines()) {
    return std::make_unique<language_data_parallel>(context, place);
  }
  return std::make_unique<traditional_data_parallel>(context, place);
}

}  // namespace tributary::testing
