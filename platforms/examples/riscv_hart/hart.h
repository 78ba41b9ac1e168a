// SPDX-License-Identifier: Apache-2.0
// A RISC-V processor of another project: the instruction-set simulator Unicorn (QEMU's cores
// as a library), with its shared memory behind a port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "elf_program.h"
#include "instruction.h"
#include "memory_port.h"

struct uc_struct;  // unicorn/unicorn.h

namespace riscv {

/// Why a hart stopped; the codes of the privileged manual's register mcause.
enum class trap_cause : std::uint8_t {
  instruction_address_misaligned = 0,
  instruction_access_fault = 1,
  illegal_instruction = 2,
  breakpoint = 3,
  load_address_misaligned = 4,
  load_access_fault = 5,
  store_address_misaligned = 6,  ///< of atomics too, LR excepted
  store_access_fault = 7
};

/// A trap: the instruction at `pc` was not executed. `value` is the address or, of an illegal
/// instruction, its word.
struct trap {
  trap_cause cause = trap_cause::illegal_instruction;
  std::uint64_t pc = 0;
  std::uint64_t value = 0;
};

/// "illegal instruction 0x00c5a52f at pc 0x80000010".
std::string to_string(const trap& raised);

/// Where a hart's own memory is: `base` in bytes and `size`, both multiples of 4096.
struct local_range {
  std::uint64_t base = 0x80000000;
  std::size_t size = 65536;
};

/// One hardware thread: RV64GC, as Unicorn executes it.
///
/// Code, stack and private data are in a local memory of its own. Every address below that memory
/// goes to a port, and instructions are fetched from the local memory only. ECALL ends the program
/// with the exit status in a0 (x10); there is no other environment, so every trap ends it too.
///
/// The instructions of the A extension never reach the simulator if they are for the port, which
/// performs them as atomics. LR and SC are a load and a compare-and-swap. SC therefore succeeds if
/// memory holds *the value* that LR found, also when others changed it and changed it back in
/// between (the ABA case), where the manual's SC would fail. A lock or a counter does not care; a
/// list whose elements are used again needs a version number next to its pointer. In exchange SC
/// never fails for no reason, and of several at a time one succeeds.
///
/// A misaligned load or store is several aligned ones; a misaligned atomic traps. FENCE does
/// nothing: each access has ended before the next instruction begins.
class hart {
 public:
  /// Begins at the program's entry with a stack that grows down from the end of the local memory.
  /// a0 is `id` and a1 is `harts`, the number of harts. `shared` must outlive the hart. Throws
  /// `std::runtime_error` for a program that does not fit into the local memory.
  hart(const elf_program& program, const local_range& local, memory_port& shared, std::uint64_t id,
       std::uint64_t harts);
  hart(const hart&) = delete;
  hart& operator=(const hart&) = delete;

  /// Executes the program to its end. The port may suspend the caller, whose stack needs
  /// `stack_bytes`. What the port throws comes out here, and the hart is not to be run again.
  void run();
  static constexpr std::size_t stack_bytes = 1 << 20;

  /// Whether the program has neither ended nor trapped.
  bool running() const { return !exit_status_ && !trap_; }
  /// What the program left in a0 at its ECALL.
  const std::optional<std::uint64_t>& exit_status() const { return exit_status_; }
  const std::optional<trap>& trapped() const { return trap_; }

  /// Of the instruction that is executed, or was last.
  std::uint64_t pc() const { return pc_; }
  std::uint64_t x(unsigned index) const;
  void set_x(unsigned index, std::uint64_t value);
  /// Instructions executed.
  std::uint64_t retired() const { return retired_; }

 private:
  /// What Unicorn calls; it knows the hart by a pointer.
  struct calls;

  void load(const elf_program& program);
  bool is_local(std::uint64_t address, std::uint64_t count) const;
  void begin_instruction(std::uint64_t pc);
  /// Performs it if it is an atomic for the port.
  void perform_atomic(instruction i);
  std::optional<std::uint64_t> atomic_result(instruction i, std::uint64_t address);
  std::uint64_t load_reserved(instruction i, std::uint64_t address);
  std::optional<std::uint64_t> store_conditional(instruction i, std::uint64_t address);
  std::optional<std::uint64_t> perform(std::uint64_t address, unsigned size, const atomic& access);
  std::uint64_t read(std::uint64_t address, unsigned size);
  void write(std::uint64_t address, unsigned size, std::uint64_t value);
  std::uint64_t read_part(std::uint64_t address, unsigned size);
  void write_part(std::uint64_t address, unsigned size, std::uint64_t value);
  bool is_lower_half(std::uint64_t address, unsigned size) const;
  void stop_with(trap_cause cause, std::uint64_t value);
  void end(std::uint64_t status);
  void stop();

  struct closed {
    void operator()(uc_struct* engine) const;
  };
  struct freed {
    void operator()(std::uint8_t* memory) const;
  };
  struct pair {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    unsigned size = 8;  ///< bytes
  };

  local_range local_;
  memory_port& shared_;
  std::unique_ptr<std::uint8_t, freed> memory_;
  std::unique_ptr<uc_struct, closed> engine_;
  std::uint64_t pc_;
  std::uint64_t retired_ = 0;
  instruction instruction_;   // at pc_
  std::optional<pair> half_;  // of 8 bytes under way: that above, of a store that below
  std::optional<pair> reservation_;
  std::optional<std::uint64_t> exit_status_;
  std::optional<trap> trap_;
  std::exception_ptr thrown_;
};

}  // namespace riscv
