// SPDX-License-Identifier: Apache-2.0
// Harts, a combining network and memory modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/memory_module.h>

#include "elf_program.h"
#include "hart_module.h"

namespace riscv {

/// Addresses that all parts of the machine agree on; programs/shared.inc has them too.
inline constexpr std::uint64_t shared_base = 0x10000000;
inline constexpr std::uint64_t shared_size = 0x10000;
inline constexpr std::uint64_t alias_base = 0x40000000;

/// The network of the machine: shared memory is its only region, and has a window of aliases.
/// `harts`: a power of two from 2 on.
tributary::combining_network_config network_config(std::uint32_t harts);

/// As many harts as memory modules, on a network of combining switches.
class riscv_machine : public sc_core::sc_module {
 public:
  /// `harts`: a power of two from 2 on. All of them run `program`; how they reach shared memory is
  /// up to `hart`, of which the machine sets the cycle and the window of aliases.
  riscv_machine(const sc_core::sc_module_name& name, std::uint32_t harts, hart_config hart,
                const elf_program& program);

  /// Simulates until every hart has stopped, or for `cycles` more. Returns whether all stopped.
  bool run(std::uint64_t cycles);

  /// What went wrong in a hart, a line each: traps, exit statuses but 0, harts that still run.
  std::vector<std::string> complaints() const;

  /// A doubleword of shared memory, looked at without disturbing anything.
  std::uint64_t word(std::uint64_t address);

  /// Requests that joined a waiting one, at all stages.
  std::uint64_t combined() const;
  /// Instructions of all harts, and atomics on shared memory.
  std::uint64_t instructions() const;
  std::uint64_t atomics() const;
  /// Cycles until the last hart stopped.
  std::uint64_t cycles() const;

 private:
  bool stopped() const;

  sc_core::sc_time cycle_{1, sc_core::SC_NS};
  sc_core::sc_clock clock_{"clock", cycle_};
  tributary::combining_network network_;
  std::vector<std::unique_ptr<tributary::memory_module>> memories_;
  std::vector<std::unique_ptr<hart_module>> harts_;
};

}  // namespace riscv
