// SPDX-License-Identifier: Apache-2.0
// The accesses by which handlers do their work, where these take time.
#pragma once

#include <cstdint>

#include <tributary/controller/network_message.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>
#include <tributary/smp/bus_processor.h>

namespace tributary {

/// Does them on the processor that acts (level B).
class handler_accesses {
 public:
  /// What it takes to write a message to the network interface.
  virtual processor_steps sending(const network_message& sent) = 0;
  /// What it takes to load a word of the node's memory, or to store one.
  virtual processor_step loading(std::uint64_t offset) const = 0;
  virtual processor_step storing(std::uint64_t offset, word_t value) const = 0;
  /// What it takes to answer the request of a processor.
  virtual processor_steps answering(std::uint8_t tag, word_t value) const = 0;

  // Each of these is followed by `protocol_thread::accesses_done`.
  /// Begins accesses of the handler that runs.
  virtual void begin(const processor_steps& steps, cycle_t now) = 0;
  /// Loads or stores the words of a block from an offset of memory on.
  virtual void move_block(const processor_steps& steps, cycle_t now) = 0;
  /// Lets a processor try its access again, for which it waits.
  virtual void retry(std::uint8_t tag, cycle_t now) = 0;

 protected:
  ~handler_accesses() = default;
};

}  // namespace tributary
