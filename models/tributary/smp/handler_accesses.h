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
  virtual processor_steps sending(const network_message& sent) const = 0;
  /// What it takes to answer the request of a processor.
  virtual processor_steps answering(std::uint8_t tag, word_t value) const = 0;

  /// Begins accesses of the handler that runs; `protocol_thread::accesses_done` follows.
  virtual void begin(const processor_steps& steps, cycle_t now) = 0;

 protected:
  ~handler_accesses() = default;
};

}  // namespace tributary
