// SPDX-License-Identifier: Apache-2.0
// A hart as a processing element: its shared memory is behind a TLM-2.0 socket.
#pragma once

#include <cstdint>

#include "blocking_initiator.h"
#include "elf_program.h"
#include "hart.h"
#include "shared_memory.h"

namespace riscv {

/// What all harts of a machine have in common.
struct hart_config {
  sc_core::sc_time cycle{1, sc_core::SC_NS};  ///< time of an instruction that stays in the hart
  local_range local;                          ///< as in programs/local.ld
  transport_style transport = transport_style::approximately_timed;
  atomic_style atomics = atomic_style::extension;
  tributary::alias_config aliases;  ///< the network's window, for atomics by alias
};

/// A hart with its local memory. An instruction takes one cycle, and as long as its access where it
/// needs shared memory. The thread runs ahead of the kernel's time until such an access, or for a
/// thousand cycles.
class hart_module : public sc_core::sc_module {
 public:
  blocking_initiator shared_port;  // bind shared_port.initiator_socket

  /// Runs `program` as hart `id` of `harts`. Throws `std::runtime_error` if it does not fit into
  /// the local memory.
  hart_module(const sc_core::sc_module_name& name, const hart_config& config,
              const elf_program& program, std::uint64_t id, std::uint64_t harts);

  const hart& core() const { return hart_; }
  const shared_memory& shared() const { return shared_; }
  /// When the hart stopped; zero while it runs.
  const sc_core::sc_time& stopped_at() const { return stopped_at_; }
  /// Notified when the hart stops.
  const sc_core::sc_event& stopped() const { return stopped_; }

 private:
  TRIBUTARY_HAS_PROCESS(hart_module);
  void run();

  shared_memory shared_;
  hart hart_;
  sc_core::sc_time stopped_at_;
  sc_core::sc_event stopped_;
};

}  // namespace riscv
