// SPDX-License-Identifier: Apache-2.0
#include "instruction.h"

#include <utility>

namespace riscv {

const tributary::operation* instruction::operation() const {
  using tributary::operation;
  static constexpr std::pair<unsigned, tributary::operation> operations[] = {
      {0x00, operation::fetch_add},          {0x01, operation::swap},
      {0x04, operation::fetch_xor},          {0x08, operation::fetch_or},
      {0x0c, operation::fetch_and},          {0x10, operation::fetch_min},
      {0x14, operation::fetch_max},          {0x18, operation::fetch_min_unsigned},
      {0x1c, operation::fetch_max_unsigned},
  };
  for (const auto& [code, performed] : operations) {
    if (code == function()) return &performed;
  }
  return nullptr;
}

bool instruction::moves_doubleword() const {
  if (is_compressed()) {
    // C.FLD, C.LD, C.FSD, C.SD, and the same relative to the stack pointer.
    const unsigned funct3 = word_ >> 13 & 7U;
    return (word_ & 1U) == 0 && funct3 % 2 == 1;
  }
  constexpr unsigned doubleword = 3;
  const unsigned opcode = word_ & 0x7fU;
  const bool moves = opcode == 0x03 || opcode == 0x07 || opcode == 0x23 || opcode == 0x27;
  return moves && (word_ >> 12 & 7U) == doubleword;
}

}  // namespace riscv
