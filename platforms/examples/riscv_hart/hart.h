// SPDX-License-Identifier: Apache-2.0
// An instruction-set simulator of RV64IA, small enough to read, as an example of a processor that
// is somebody else's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "instruction.h"
#include "local_memory.h"
#include "memory_port.h"

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

/// One hardware thread: RV64I, and of the A extension what works on doublewords.
///
/// Code, stack and private data are in a local memory of its own; every other address goes to a
/// port, and instructions are fetched from the local memory only. ECALL ends the program with the
/// exit status in a0 (x10); there is no other environment, so every trap ends it too.
///
/// AMO.W, LR.W and SC.W are illegal instructions: words of 8 bytes are what the machines of this
/// library serve atomically. LR.D and SC.D are a load and a compare-and-swap. SC.D therefore
/// succeeds if the doubleword holds *the value* that LR.D found, also when others changed it and
/// changed it back in between (the ABA case), where the manual's SC.D would fail. A lock or a
/// counter does not care; a list whose elements are used again needs a version number beside its
/// pointer. In exchange SC.D never fails for no reason, and of several at a time one succeeds.
///
/// FENCE does nothing: each access has ended before the next instruction begins.
class hart {
 public:
  /// Begins at `entry` with a stack that grows down from the end of the local memory. a0 is `id`
  /// and a1 is `harts`, the number of harts. `shared` must outlive the hart.
  hart(local_memory memory, memory_port& shared, std::uint64_t entry, std::uint64_t id,
       std::uint64_t harts);

  /// Executes one instruction; returns whether there is a next one.
  bool step();

  /// Whether the program has neither ended nor trapped.
  bool running() const { return !exit_status_ && !trap_; }
  /// What the program left in a0 at its ECALL.
  const std::optional<std::uint64_t>& exit_status() const { return exit_status_; }
  const std::optional<trap>& trapped() const { return trap_; }

  std::uint64_t pc() const { return pc_; }
  std::uint64_t x(unsigned index) const { return x_[index]; }
  void set_x(unsigned index, std::uint64_t value) {
    if (index != 0) x_[index] = value;
  }
  /// Instructions executed.
  std::uint64_t retired() const { return retired_; }
  local_memory& memory() { return memory_; }

 private:
  instruction fetch();
  void execute(instruction i);
  void jump(std::uint64_t target);
  void branch(instruction i);
  void load(instruction i);
  void store(instruction i);
  /// To rd; an instruction without a result is illegal.
  void set_result(instruction i, std::optional<std::uint64_t> result);
  void amo(instruction i);
  void load_reserved(instruction i, std::uint64_t address);
  void store_conditional(instruction i, std::uint64_t address);
  std::uint64_t perform(std::uint64_t address, const atomic& access);
  void system(instruction i);

  std::uint64_t read(std::uint64_t address, unsigned size);
  /// The memory that holds the bytes.
  memory_port& place(std::uint64_t address, unsigned size);
  [[noreturn]] void raise(trap_cause cause, std::uint64_t value) const;
  [[noreturn]] void illegal(instruction i) const;

  struct reservation {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
  };

  local_memory memory_;
  memory_port& shared_;
  std::array<std::uint64_t, 32> x_{};
  std::uint64_t pc_;
  std::uint64_t next_pc_ = 0;
  std::uint64_t retired_ = 0;
  std::optional<reservation> reservation_;
  std::optional<std::uint64_t> exit_status_;
  std::optional<trap> trap_;
};

}  // namespace riscv
