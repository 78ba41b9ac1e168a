// SPDX-License-Identifier: Apache-2.0
// What stands between one processor, its memory and the network: the whole node but the processor.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/memory/operation.h>
#include <tributary/memory/port.h>
#include <tributary/network/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/ids.h>
#include <tributary/trace/catalog.h>

namespace tributary {

/// Where a node is, and what it stands on. References outlive what is attached there.
struct attachment_place {
  node_id here{};
  std::uint32_t nodes = 0;
  agenda& time;
  network_port& network;
};

/// A communication architecture, as one node has it. Its blocks are woken by the node's agenda.
class network_attachment : public block {
 public:
  virtual ~network_attachment() = default;

  /// Where the processor asks, for its memory, others' and registers alike.
  virtual processor_port& port() = 0;
  /// Where the network delivers.
  virtual network_endpoint& endpoint() = 0;
  /// Who is interrupted; null for none. Nothing interrupts if there are no interrupts.
  virtual void set_interrupt_client(interrupt_client*) {}
  /// Of what the processor tells, in traces.
  virtual track_id track() const = 0;

  /// For people, where it does not take messages before the network takes its own: what waits, as
  /// the end of a sentence; else empty.
  virtual std::string waits_to_send(cycle_t) const { return ""; }

  /// For debuggers and tests, without time: the newest value of a word of the node's own memory,
  /// by its offset there.
  virtual word_t peek(std::uint64_t offset) const = 0;
  virtual void poke(std::uint64_t offset, word_t value) = 0;
};

}  // namespace tributary
