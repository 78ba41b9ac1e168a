// SPDX-License-Identifier: Apache-2.0
#include "hart.h"

#include <cstddef>
#include <sstream>
#include <utility>

namespace riscv {
namespace {

using tributary::operation;

constexpr unsigned a0 = 10;
constexpr unsigned a1 = 11;
constexpr unsigned sp = 2;

constexpr std::uint64_t low_word(std::uint64_t value) { return sign_extend(value, 32); }

constexpr bool less_signed(std::uint64_t x, std::uint64_t y) {
  return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
}

constexpr std::uint64_t shift_right_arithmetic(std::uint64_t x, unsigned amount) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> amount);
}

/// By the codes of `trap_cause`.
constexpr const char* trap_texts[] = {"jump to the misaligned address",
                                      "no instruction at the address",
                                      "illegal instruction",
                                      "breakpoint, address",
                                      "load from the misaligned address",
                                      "load from an address that nothing answers,",
                                      "store or atomic at the misaligned address",
                                      "store or atomic at an address that nothing answers,"};

/// The atomic of an AMO instruction's funct5 but LR and SC.
std::optional<operation> amo_operation(unsigned funct5) {
  constexpr std::pair<unsigned, operation> operations[] = {
      {0x00, operation::fetch_add},          {0x01, operation::swap},
      {0x04, operation::fetch_xor},          {0x08, operation::fetch_or},
      {0x0c, operation::fetch_and},          {0x10, operation::fetch_min},
      {0x14, operation::fetch_max},          {0x18, operation::fetch_min_unsigned},
      {0x1c, operation::fetch_max_unsigned},
  };
  for (const auto& [code, performed] : operations) {
    if (code == funct5) return performed;
  }
  return std::nullopt;
}

/// Whether a branch is taken, by funct3; nothing for one that does not exist.
std::optional<bool> is_taken(unsigned funct3, std::uint64_t x, std::uint64_t y) {
  switch (funct3) {
    case 0:
      return x == y;
    case 1:
      return x != y;
    case 4:
      return less_signed(x, y);
    case 5:
      return !less_signed(x, y);
    case 6:
      return x < y;
    case 7:
      return x >= y;
    default:
      return std::nullopt;
  }
}

// What instructions with registers or an immediate compute, by funct7 << 3 | funct3; nothing for
// one that does not exist.

std::optional<std::uint64_t> operate(unsigned function, std::uint64_t x, std::uint64_t y) {
  const unsigned amount = y & 63U;
  switch (function) {
    case 0x000:
      return x + y;
    case 0x100:
      return x - y;
    case 0x001:
      return x << amount;
    case 0x002:
      return less_signed(x, y) ? 1 : 0;
    case 0x003:
      return x < y ? 1 : 0;
    case 0x004:
      return x ^ y;
    case 0x005:
      return x >> amount;
    case 0x105:
      return shift_right_arithmetic(x, amount);
    case 0x006:
      return x | y;
    case 0x007:
      return x & y;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> operate_32(unsigned function, std::uint64_t x, std::uint64_t y) {
  const unsigned amount = y & 31U;
  switch (function) {
    case 0x000:
      return low_word(x + y);
    case 0x100:
      return low_word(x - y);
    case 0x001:
      return low_word(x << amount);
    case 0x005:
      return low_word((x & 0xffffffffU) >> amount);
    case 0x105:
      return shift_right_arithmetic(low_word(x), amount);
    default:
      return std::nullopt;
  }
}

unsigned function_of(instruction i) { return i.funct7() << 3 | i.funct3(); }

/// Of an immediate's 64-bit form: only shifts have more than funct3, above an amount of six bits.
unsigned immediate_function_of(instruction i) {
  const bool shifts = i.funct3() == 1 || i.funct3() == 5;
  return shifts ? i.funct6() << 4 | i.funct3() : i.funct3();
}

}  // namespace

std::string to_string(const trap& raised) {
  std::ostringstream text;
  text << trap_texts[static_cast<std::size_t>(raised.cause)] << std::hex << " 0x" << raised.value
       << " at pc 0x" << raised.pc;
  return text.str();
}

hart::hart(local_memory memory, memory_port& shared, std::uint64_t entry, std::uint64_t id,
           std::uint64_t harts)
    : memory_(std::move(memory)), shared_(shared), pc_(entry) {
  constexpr std::uint64_t stack_alignment = 16;  // the calling convention's
  set_x(sp, (memory_.base() + memory_.size()) / stack_alignment * stack_alignment);
  set_x(a0, id);
  set_x(a1, harts);
}

bool hart::step() {
  if (!running()) return false;
  next_pc_ = pc_ + 4;
  try {
    execute(fetch());
    ++retired_;
    pc_ = next_pc_;
  } catch (const trap& raised) {
    trap_ = raised;
  }
  return running();
}

void hart::raise(trap_cause cause, std::uint64_t value) const { throw trap{cause, pc_, value}; }

void hart::illegal(instruction i) const { raise(trap_cause::illegal_instruction, i.word()); }

instruction hart::fetch() {
  const std::optional<std::uint64_t> word = memory_.load(pc_, 4);
  if (!word) raise(trap_cause::instruction_access_fault, pc_);
  return instruction(static_cast<std::uint32_t>(*word));
}

void hart::execute(instruction i) {
  switch (i.opcode()) {
    case opcode::lui:
      return set_x(i.rd(), i.u_immediate());
    case opcode::auipc:
      return set_x(i.rd(), pc_ + i.u_immediate());
    case opcode::jal:
      jump(pc_ + i.j_immediate());
      return set_x(i.rd(), pc_ + 4);
    case opcode::jalr:
      if (i.funct3() != 0) illegal(i);
      jump((x(i.rs1()) + i.i_immediate()) & ~std::uint64_t{1});
      return set_x(i.rd(), pc_ + 4);
    case opcode::branch:
      return branch(i);
    case opcode::load:
      return load(i);
    case opcode::store:
      return store(i);
    case opcode::op_imm:
      return set_result(i, operate(immediate_function_of(i), x(i.rs1()), i.i_immediate()));
    case opcode::op_imm_32:
      return set_result(
          i, operate_32(i.funct3() == 0 ? 0 : function_of(i), x(i.rs1()), i.i_immediate()));
    case opcode::op:
      return set_result(i, operate(function_of(i), x(i.rs1()), x(i.rs2())));
    case opcode::op_32:
      return set_result(i, operate_32(function_of(i), x(i.rs1()), x(i.rs2())));
    case opcode::amo:
      return amo(i);
    case opcode::misc_mem:
      if (i.funct3() != 0) illegal(i);  // FENCE.I is no part of RV64IA
      return;
    case opcode::system:
      return system(i);
    default:
      illegal(i);
  }
}

void hart::jump(std::uint64_t target) {
  if (target % 4 != 0) raise(trap_cause::instruction_address_misaligned, target);
  next_pc_ = target;
}

void hart::branch(instruction i) {
  const std::optional<bool> taken = is_taken(i.funct3(), x(i.rs1()), x(i.rs2()));
  if (!taken) illegal(i);
  if (*taken) jump(pc_ + i.b_immediate());
}

void hart::set_result(instruction i, std::optional<std::uint64_t> result) {
  if (!result) illegal(i);
  set_x(i.rd(), *result);
}

memory_port& hart::place(std::uint64_t address, unsigned size) {
  if (memory_.contains(address, size)) return memory_;
  return shared_;
}

std::uint64_t hart::read(std::uint64_t address, unsigned size) {
  if (address % size != 0) raise(trap_cause::load_address_misaligned, address);
  const std::optional<std::uint64_t> value = place(address, size).load(address, size);
  if (!value) raise(trap_cause::load_access_fault, address);
  return *value;
}

void hart::load(instruction i) {
  constexpr unsigned zero_extended = 4;
  if (i.funct3() == 7) illegal(i);
  const unsigned size = 1U << (i.funct3() & 3U);
  const std::uint64_t value = read(x(i.rs1()) + i.i_immediate(), size);
  set_x(i.rd(), (i.funct3() & zero_extended) != 0 ? value : sign_extend(value, 8 * size));
}

void hart::store(instruction i) {
  if (i.funct3() > 3) illegal(i);
  const unsigned size = 1U << i.funct3();
  const std::uint64_t address = x(i.rs1()) + i.s_immediate();
  if (address % size != 0) raise(trap_cause::store_address_misaligned, address);
  if (!place(address, size).store(address, size, x(i.rs2()))) {
    raise(trap_cause::store_access_fault, address);
  }
}

void hart::amo(instruction i) {
  constexpr unsigned doubleword = 3;
  constexpr unsigned lr = 0x02;
  constexpr unsigned sc = 0x03;
  if (i.funct3() != doubleword) illegal(i);
  const std::uint64_t address = x(i.rs1());
  if (i.funct5() == lr && i.rs2() == 0) return load_reserved(i, address);
  if (i.funct5() == sc) return store_conditional(i, address);
  const std::optional<operation> performed = amo_operation(i.funct5());
  if (!performed) illegal(i);
  set_x(i.rd(), perform(address, {*performed, x(i.rs2())}));
}

void hart::load_reserved(instruction i, std::uint64_t address) {
  const std::uint64_t value = read(address, 8);
  reservation_ = reservation{address, value};
  set_x(i.rd(), value);
}

void hart::store_conditional(instruction i, std::uint64_t address) {
  constexpr std::uint64_t failure = 1;
  if (address % 8 != 0) raise(trap_cause::store_address_misaligned, address);
  const std::optional<reservation> held = std::exchange(reservation_, std::nullopt);
  if (!held || held->address != address) return set_x(i.rd(), failure);
  const std::uint64_t old =
      perform(address, {operation::compare_and_swap, held->value, x(i.rs2())});
  set_x(i.rd(), old == held->value ? 0 : failure);
}

std::uint64_t hart::perform(std::uint64_t address, const atomic& access) {
  if (address % 8 != 0) raise(trap_cause::store_address_misaligned, address);
  const std::optional<std::uint64_t> old = place(address, 8).perform(address, access);
  if (!old) raise(trap_cause::store_access_fault, address);
  return *old;
}

void hart::system(instruction i) {
  constexpr std::uint32_t ecall = 0x00000073;
  constexpr std::uint32_t ebreak = 0x00100073;
  if (i.word() == ebreak) raise(trap_cause::breakpoint, pc_);
  if (i.word() != ecall) illegal(i);
  exit_status_ = x(a0);
}

}  // namespace riscv
