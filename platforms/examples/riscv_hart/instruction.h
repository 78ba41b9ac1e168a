// SPDX-License-Identifier: Apache-2.0
// The fields of a 32-bit RISC-V instruction.
#pragma once

#include <cstdint>

namespace riscv {

/// The low `bits` bits of `value` read as two's complement.
constexpr std::uint64_t sign_extend(std::uint64_t value, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t low = value & (sign | (sign - 1));
  return (low ^ sign) - sign;
}

/// Major opcodes of RV64IA (The RISC-V Instruction Set Manual, volume I, table "opcode map").
namespace opcode {
inline constexpr unsigned load = 0x03;
inline constexpr unsigned misc_mem = 0x0f;
inline constexpr unsigned op_imm = 0x13;
inline constexpr unsigned auipc = 0x17;
inline constexpr unsigned op_imm_32 = 0x1b;
inline constexpr unsigned store = 0x23;
inline constexpr unsigned amo = 0x2f;
inline constexpr unsigned op = 0x33;
inline constexpr unsigned lui = 0x37;
inline constexpr unsigned op_32 = 0x3b;
inline constexpr unsigned branch = 0x63;
inline constexpr unsigned jalr = 0x67;
inline constexpr unsigned jal = 0x6f;
inline constexpr unsigned system = 0x73;
}  // namespace opcode

/// An instruction word; immediates are sign-extended (the manual's immediate encoding variants).
class instruction {
 public:
  explicit constexpr instruction(std::uint32_t word) : word_(word) {}

  constexpr std::uint32_t word() const { return word_; }
  constexpr unsigned opcode() const { return field(0, 7); }
  constexpr unsigned rd() const { return field(7, 5); }
  constexpr unsigned funct3() const { return field(12, 3); }
  constexpr unsigned rs1() const { return field(15, 5); }
  constexpr unsigned rs2() const { return field(20, 5); }
  constexpr unsigned funct7() const { return field(25, 7); }
  /// Of atomics: the operation, above the two bits aq and rl.
  constexpr unsigned funct5() const { return field(27, 5); }
  /// Of shifts by an immediate: the amount, and what stands above it.
  constexpr unsigned shift_amount() const { return field(20, 6); }
  constexpr unsigned funct6() const { return field(26, 6); }

  constexpr std::uint64_t i_immediate() const { return sign_extend(field(20, 12), 12); }
  constexpr std::uint64_t s_immediate() const {
    return sign_extend(field(25, 7) << 5 | field(7, 5), 12);
  }
  constexpr std::uint64_t b_immediate() const {
    return sign_extend(
        field(31, 1) << 12 | field(7, 1) << 11 | field(25, 6) << 5 | field(8, 4) << 1, 13);
  }
  constexpr std::uint64_t u_immediate() const { return sign_extend(word_ & 0xfffff000U, 32); }
  constexpr std::uint64_t j_immediate() const {
    return sign_extend(
        field(31, 1) << 20 | field(12, 8) << 12 | field(20, 1) << 11 | field(21, 10) << 1, 21);
  }

 private:
  constexpr unsigned field(unsigned low, unsigned bits) const {
    return word_ >> low & ((1U << bits) - 1);
  }

  std::uint32_t word_;
};

}  // namespace riscv
