// SPDX-License-Identifier: Apache-2.0
// What the hart must know of the instructions that its simulator executes: those of RISC-V's A
// extension, and how much a load or a store moves (The RISC-V Instruction Set Manual, volume I,
// chapters 8, 16 and 24).
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>

namespace riscv {

/// The word of an instruction; of a compressed one only the low 16 bits count.
class instruction {
 public:
  explicit constexpr instruction(std::uint32_t word = 0) : word_(word) {}

  constexpr std::uint32_t word() const { return is_compressed() ? word_ & 0xffffU : word_; }
  constexpr bool is_compressed() const { return (word_ & 3U) != 3; }

  /// Whether it is one of the A extension, on 4 or 8 bytes.
  constexpr bool is_atomic() const {
    constexpr std::uint32_t amo = 0x2f;
    return (word_ & 0x7fU) == amo && (size() == 4 || size() == 8);
  }
  // Of an atomic.
  constexpr unsigned size() const { return 1U << (word_ >> 12 & 7U); }  ///< bytes
  constexpr unsigned rd() const { return word_ >> 7 & 31U; }
  constexpr unsigned rs1() const { return word_ >> 15 & 31U; }
  constexpr unsigned rs2() const { return word_ >> 20 & 31U; }
  constexpr bool loads_reserved() const { return function() == 0x02; }
  constexpr bool stores_conditionally() const { return function() == 0x03; }
  /// What an AMO does with the word; nullptr for LR, SC and codes that do not exist.
  const tributary::operation* operation() const;

  /// Whether a load or a store moves 8 bytes, to or from whichever registers.
  bool moves_doubleword() const;

 private:
  constexpr unsigned function() const { return word_ >> 27; }

  std::uint32_t word_;
};

}  // namespace riscv
