// SPDX-License-Identifier: Apache-2.0
// Machines whose protocol processors have handlers for the primitives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/protocol_set.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/drafted_program.h>
#include <tributary/protocols/primitives/primitives.h>
#include <tributary/protocols/uncached.h>
#include <tributary/smp/smp_machine.h>

namespace tributary {

class parameter_set;

/// Nodes with MAGIC, whose processors have no caches: what other nodes write is in memory.
struct magic_architecture {
  magic_architecture();

  magic_node_config node;
  uncached_costs accesses;
  primitive_costs handlers;

  magic_machine_config machine(std::uint32_t nodes, const message_network_config& network) const;
  protocol_maker protocols(std::uint32_t arity) const;

  void bind(parameter_set& parameters);
  void validate(std::uint32_t nodes, const message_network_config& network) const;
};

/// Nodes of one processor that computes, and of one that runs handlers where the schedule is fixed.
/// What the protocol costs beyond handlers are constants (level Q).
struct smp_architecture {
  smp_architecture();

  smp_node_config node;
  /// As of a null request (Falsafi and Wood, section 5).
  std::uint64_t submit = 105;
  std::uint64_t resume = 100;
  primitive_costs handlers;

  smp_machine_config machine(std::uint32_t nodes, const message_network_config& network) const;
  protocol_maker protocols(std::uint32_t arity) const;
  /// Of a node's memory, that programs have.
  std::uint64_t user_bytes() const { return node.memory.bytes - node.protocol_bytes; }
  draft_registers registers() const;

  void bind(parameter_set& parameters);
  void validate(std::uint32_t nodes, const message_network_config& network) const;
};

}  // namespace tributary
