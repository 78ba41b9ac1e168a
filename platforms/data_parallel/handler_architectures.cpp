// SPDX-License-Identifier: Apache-2.0
#include "handler_architectures.h"

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// A handler of a null request, for a message that a handler sends or takes.
constexpr std::uint64_t of_message = 65;
/// Half of what a block of 128 bytes takes more than a null request, by its 16 words.
constexpr std::uint64_t of_word = 34;

constexpr std::uint64_t memory_bytes = std::uint64_t{8} << 20;

}  // namespace

/// The processor has its memory, and no caches in front of it.
magic_architecture::magic_architecture() {
  node.memory.bytes = memory_bytes;
  node.protocol_bytes = std::uint64_t{64} << 10;
}

magic_machine_config magic_architecture::machine(std::uint32_t nodes,
                                                 const message_network_config& network) const {
  magic_machine_config made;
  made.nodes = nodes;
  made.network = network;
  made.node = node;
  return made;
}

protocol_maker magic_architecture::protocols(std::uint32_t arity) const {
  return [costs = *this, arity](node_id) {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(costs.accesses));
    made.push_back(std::make_unique<primitives_protocol>(costs.handlers, arity));
    return made;
  };
}

void magic_architecture::bind(parameter_set& parameters) {
  parameters.add_group("node", node, "Every node: MAGIC and its memory.");
  parameters.add_group("accesses", accesses, "Occupancies of loads and stores of a node's memory.");
  parameters.add_group("handlers", handlers, "Occupancies of the primitives' handlers.");
}

void magic_architecture::validate(std::uint32_t nodes,
                                  const message_network_config& network) const {
  if (node.caches.present) {
    throw configuration_error({"node.processor_caches.present", "",
                               "handlers write memory behind caches", "false", "clear it"});
  }
  if (node.processes != 1) {
    throw configuration_error(
        {"node.processes", "", "one process a node runs the program", "1", "leave it"});
  }
  machine(nodes, network).validate();
}

/// One of two processors computes.
smp_architecture::smp_architecture() {
  node.memory.bytes = memory_bytes;
  node.protocol_bytes = std::uint64_t{64} << 10;
  handlers.command = of_message;
  handlers.request = 0;
  handlers.serve = of_message;
  handlers.reply = of_message;
  handlers.word = of_word;
  handlers.line_word = of_word;
  handlers.meet = of_message;
  handlers.joined = of_message;
  handlers.released = of_message;
  handlers.forward = of_message;
  handlers.pass_value = 0;
  handlers.add_doubles = 4;
  handlers.compare_doubles = 4;
}

smp_machine_config smp_architecture::machine(std::uint32_t nodes,
                                             const message_network_config& network) const {
  smp_machine_config made;
  made.nodes = nodes;
  made.network = network;
  made.node = node;
  made.node.costs.submit = submit;
  made.node.costs.resume = resume;
  return made;
}

protocol_maker smp_architecture::protocols(std::uint32_t arity) const {
  return [costs = handlers, arity](node_id) {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<primitives_protocol>(costs, arity));
    return made;
  };
}

draft_registers smp_architecture::registers() const {
  const auto address = [this](std::uint64_t offset) {
    return node.addresses.address_of(node_id{0}, schedule_registers::space, offset);
  };
  return {address(schedule_registers::act), address(schedule_registers::rest),
          schedule_registers::interrupt_line};
}

void smp_architecture::bind(parameter_set& parameters) {
  parameters.add_group("node", node, "Every node: its processors and memory.");
  parameters.add("submit", submit, {0, 10000000}, "cycles",
                 "From an access of the processor to its protocol until it waits for a handler "
                 "(as costs.null_request of the platform smp).");
  parameters.add("resume", resume, {1, 10000000}, "cycles",
                 "From the end of the handler that answers until the program goes on (likewise).");
  parameters.add_group("handlers", handlers, "Occupancies of the primitives' handlers.");
}

void smp_architecture::validate(std::uint32_t nodes, const message_network_config& network) const {
  if (node.level != node_level::constants) {
    throw configuration_error({"node.level", "",
                               "the run-time is measured where costs are constants", "constants",
                               "choose it"});
  }
  if (node.computing() != 1) {
    throw configuration_error(
        {"node.processors", "",
         fmt::format("{} processors of a node would run the program, and one does",
                     node.computing()),
         "2 with node.schedule = fixed, 1 with single", "choose one of these"});
  }
  machine(nodes, network).validate();
}

}  // namespace tributary
