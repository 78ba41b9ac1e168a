// SPDX-License-Identifier: Apache-2.0
// The example's instruction-set simulator, on programs assembled by hand.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hart.h"

namespace riscv {
namespace {

constexpr std::uint64_t base = 0x80000000;
constexpr std::size_t memory_size = 4096;
constexpr std::uint64_t data = base + 0x800;
constexpr std::uint64_t shared_base = 0x10000000;

constexpr std::uint32_t ecall = 0x00000073;
constexpr std::uint32_t ebreak = 0x00100073;
constexpr std::uint32_t nop = 0x00000013;

// The registers of these programs: t0 to t2 are free.
constexpr unsigned zero = 0;
constexpr unsigned ra = 1;
constexpr unsigned sp = 2;
constexpr unsigned t0 = 5;
constexpr unsigned t1 = 6;
constexpr unsigned t2 = 7;
constexpr unsigned a0 = 10;
constexpr unsigned a1 = 11;

// The instruction formats (The RISC-V Instruction Set Manual, volume I, section 2.2).
std::uint32_t r_type(unsigned code, unsigned funct3, unsigned funct7, unsigned rd, unsigned rs1,
                     unsigned rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | code;
}
std::uint32_t i_type(unsigned code, unsigned funct3, unsigned rd, unsigned rs1, int immediate) {
  const auto bits = static_cast<std::uint32_t>(immediate);
  return bits << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | code;
}
std::uint32_t s_type(unsigned funct3, unsigned rs1, unsigned rs2, int immediate) {
  const auto bits = static_cast<std::uint32_t>(immediate);
  return (bits >> 5 & 0x7fU) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits & 0x1fU) << 7 |
         opcode::store;
}
std::uint32_t b_type(unsigned funct3, unsigned rs1, unsigned rs2, int offset) {
  const auto bits = static_cast<std::uint32_t>(offset);
  return (bits >> 12 & 1U) << 31 | (bits >> 5 & 0x3fU) << 25 | rs2 << 20 | rs1 << 15 |
         funct3 << 12 | (bits >> 1 & 0xfU) << 8 | (bits >> 11 & 1U) << 7 | opcode::branch;
}
std::uint32_t u_type(unsigned code, unsigned rd, std::uint32_t upper) {
  return upper << 12 | rd << 7 | code;
}
std::uint32_t j_type(unsigned rd, int offset) {
  const auto bits = static_cast<std::uint32_t>(offset);
  return (bits >> 20 & 1U) << 31 | (bits >> 1 & 0x3ffU) << 21 | (bits >> 11 & 1U) << 20 |
         (bits >> 12 & 0xffU) << 12 | rd << 7 | opcode::jal;
}

constexpr unsigned doubleword = 3;
constexpr unsigned word = 2;
enum amo_code : unsigned {
  amoadd = 0x00,
  amoswap = 0x01,
  lr = 0x02,
  sc = 0x03,
  amoxor = 0x04,
  amoor = 0x08,
  amoand = 0x0c,
  amomin = 0x10,
  amomax = 0x14,
  amominu = 0x18,
  amomaxu = 0x1c
};
std::uint32_t amo(unsigned code, unsigned width, unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(opcode::amo, width, code << 2, rd, rs1, rs2);
}

/// A hart with a program at `base`, and a shared memory of 4 KiB that counts its atomics.
class hart_bench {
 public:
  explicit hart_bench(const std::vector<std::uint32_t>& program)
      : hart_(with(program), shared_, base, 3, 8) {}

  riscv::hart& hart() { return hart_; }
  local_memory& shared() { return shared_.memory; }
  int atomics() const { return shared_.atomics; }

  /// Runs to the end, which must come soon.
  riscv::hart& run() {
    for (int i = 0; i < 1000 && hart_.step(); ++i) {
    }
    EXPECT_FALSE(hart_.running());
    return hart_;
  }

 private:
  struct counting_memory final : memory_port {
    local_memory memory{shared_base, 4096};
    int atomics = 0;

    std::optional<std::uint64_t> load(std::uint64_t address, unsigned size) override {
      return memory.load(address, size);
    }
    bool store(std::uint64_t address, unsigned size, std::uint64_t value) override {
      return memory.store(address, size, value);
    }
    std::optional<std::uint64_t> perform(std::uint64_t address, const atomic& what) override {
      ++atomics;
      return memory.perform(address, what);
    }
  };

  static local_memory with(const std::vector<std::uint32_t>& program) {
    local_memory memory(base, memory_size);
    for (std::size_t i = 0; i < program.size(); ++i) memory.store(base + 4 * i, 4, program[i]);
    return memory;
  }

  counting_memory shared_;
  riscv::hart hart_;
};

/// Register t2 after one instruction on t0 and t1.
std::uint64_t result(std::uint32_t instruction, std::uint64_t x = 0, std::uint64_t y = 0) {
  hart_bench bench({instruction, ecall});
  bench.hart().set_x(t0, x);
  bench.hart().set_x(t1, y);
  EXPECT_TRUE(bench.run().exit_status()) << to_string(bench.hart().trapped().value_or(trap{}));
  return bench.hart().x(t2);
}

/// The trap of a program of one instruction on t0 and t1.
trap trap_of(std::uint32_t instruction, std::uint64_t x = 0, std::uint64_t y = 0) {
  hart_bench bench({nop, instruction, ecall});
  bench.hart().set_x(t0, x);
  bench.hart().set_x(t1, y);
  const std::optional<trap> what = bench.run().trapped();
  EXPECT_TRUE(what) << std::hex << instruction;
  EXPECT_EQ(bench.hart().retired(), 1U);
  if (what) {
    EXPECT_EQ(what->pc, base + 4);
  }
  return what.value_or(trap{});
}

constexpr std::uint64_t minus(std::uint64_t value) { return ~value + 1; }

TEST(riscv_hart, starts_with_its_number_and_a_stack) {
  hart_bench bench({ecall});
  EXPECT_EQ(bench.hart().x(a0), 3U);
  EXPECT_EQ(bench.hart().x(a1), 8U);
  EXPECT_EQ(bench.hart().x(sp), base + memory_size);
  EXPECT_EQ(bench.run().exit_status(), 3U);
  EXPECT_FALSE(bench.hart().step());
}

/// t2 from t0 and t1, or from t0 and an immediate; `w`: on the lower word.
std::uint32_t op(unsigned funct3, unsigned funct7 = 0) {
  return r_type(opcode::op, funct3, funct7, t2, t0, t1);
}
std::uint32_t op_w(unsigned funct3, unsigned funct7 = 0) {
  return r_type(opcode::op_32, funct3, funct7, t2, t0, t1);
}
std::uint32_t op_imm(unsigned funct3, int immediate) {
  return i_type(opcode::op_imm, funct3, t2, t0, immediate);
}
std::uint32_t op_imm_w(unsigned funct3, int immediate) {
  return i_type(opcode::op_imm_32, funct3, t2, t0, immediate);
}

TEST(riscv_hart, computes) {
  constexpr unsigned alternative = 0x20;  // subtract, shift arithmetically
  constexpr int arithmetic = 0x400;
  struct {
    std::uint32_t instruction;
    std::uint64_t x, y, expected;
  } const cases[] = {
      {op(0), 5, 7, 12},
      {op(0, alternative), 5, 7, minus(2)},
      {op(1), 3, 64 + 62, 0xc000000000000000},
      {op(2), minus(1), 1, 1},
      {op(2), 1, minus(1), 0},
      {op(3), minus(1), 1, 0},
      {op(3), 1, minus(1), 1},
      {op(4), 0xff, 0x0f, 0xf0},
      {op(5), minus(1), 60, 15},
      {op(5, alternative), minus(16), 2, minus(4)},
      {op(6), 0xf0, 0x0f, 0xff},
      {op(7), 0xf0, 0x3c, 0x30},
      {op_imm(0, -7), 5, 0, minus(2)},
      {op_imm(1, 63), 1, 0, std::uint64_t{1} << 63},
      {op_imm(2, -4), minus(5), 0, 1},
      {op_imm(3, -1), 5, 0, 1},
      {op_imm(4, -1), 5, 0, minus(6)},
      {op_imm(5, 63), minus(1), 0, 1},
      {op_imm(5, arithmetic | 2), minus(16), 0, minus(4)},
      {op_imm(6, -2048), 0x10, 0, minus(2048) | 0x10},
      {op_imm(7, 0xff), 0x1234, 0, 0x34},
      {u_type(opcode::lui, t2, 0x80000), 0, 0, 0xffffffff80000000},
      {u_type(opcode::auipc, t2, 1), 0, 0, base + 0x1000},
      {op_w(0), 0x7fffffff, 1, 0xffffffff80000000},
      {op_w(0, alternative), 0, 1, minus(1)},
      {op_w(1), 1, 32 + 31, 0xffffffff80000000},
      {op_w(5), 0xffffffff80000000, 31, 1},
      {op_w(5, alternative), 0x80000000, 31, minus(1)},
      {op_imm_w(0, -1), 0x80000000, 0, 0x7fffffff},
      {op_imm_w(1, 31), 1, 0, 0xffffffff80000000},
      {op_imm_w(5, 4), minus(1), 0, 0x0fffffff},
      {op_imm_w(5, arithmetic | 4), 0x80000000, 0, 0xfffffffff8000000},
      {0x0ff0000f, 0, 0, 0},  // FENCE
      {0x8330000f, 0, 0, 0},  // FENCE.TSO
  };
  for (const auto& c : cases) {
    EXPECT_EQ(result(c.instruction, c.x, c.y), c.expected) << std::hex << c.instruction;
  }
}

TEST(riscv_hart, register_zero_stays_zero) {
  hart_bench bench({i_type(opcode::op_imm, 0, zero, zero, 1), ecall});
  EXPECT_EQ(bench.run().x(zero), 0U);
}

TEST(riscv_hart, branches_where_the_condition_holds) {
  struct {
    unsigned funct3;
    std::uint64_t x, y;
    bool taken;
  } const cases[] = {
      {0, 1, 1, true},         {0, 1, 2, false},        {1, 1, 2, true},
      {1, 1, 1, false},        {4, minus(1), 1, true},  {4, 1, minus(1), false},
      {5, 1, minus(1), true},  {5, 1, 1, true},         {5, minus(1), 1, false},
      {6, 1, minus(1), true},  {6, minus(1), 1, false}, {7, minus(1), 1, true},
      {7, 1, minus(1), false},
  };
  for (const auto& c : cases) {
    hart_bench bench({b_type(c.funct3, t0, t1, 8), ecall, nop, ecall});
    bench.hart().set_x(t0, c.x);
    bench.hart().set_x(t1, c.y);
    EXPECT_EQ(bench.run().pc(), c.taken ? base + 16 : base + 8) << "funct3 " << c.funct3;
  }
}

TEST(riscv_hart, jumps_forth_and_back) {
  // Over the ecall, on to it by the address in ra.
  hart_bench bench({j_type(ra, 12), nop, ecall, j_type(t0, -4 * 2)});
  EXPECT_EQ(bench.run().x(ra), base + 4);
  EXPECT_EQ(bench.hart().x(t0), base + 16);
  EXPECT_EQ(bench.hart().retired(), 4U);
  // Link and target may be one register; bit 0 of the target is dropped.
  hart_bench indirect({i_type(opcode::jalr, 0, t0, t0, 9), nop, ecall});
  indirect.hart().set_x(t0, base);
  EXPECT_EQ(indirect.run().x(t0), base + 4);
  EXPECT_EQ(indirect.hart().retired(), 2U);
}

TEST(riscv_hart, loads_and_stores_every_width) {
  constexpr std::uint64_t content = 0xfedcba9876543210;
  struct {
    unsigned funct3;
    int offset;
    std::uint64_t expected;
  } const loads[] = {
      {0, 7, minus(2)},
      {0, 0, 0x10},
      {1, 6, 0xfffffffffffffedc},
      {2, 4, 0xfffffffffedcba98},
      {3, 0, content},
      {4, 7, 0xfe},
      {5, 6, 0xfedc},
      {6, 4, 0xfedcba98},
  };
  for (const std::uint64_t place : {data, shared_base + 0x40}) {
    for (const auto& c : loads) {
      hart_bench bench({i_type(opcode::load, c.funct3, t2, t0, c.offset), ecall});
      bench.hart().memory().store(data, 8, content);
      bench.shared().store(shared_base + 0x40, 8, content);
      bench.hart().set_x(t0, place);
      EXPECT_EQ(bench.run().x(t2), c.expected) << "funct3 " << c.funct3;
    }
    for (unsigned funct3 = 0; funct3 <= 3; ++funct3) {
      const unsigned size = 1U << funct3;
      hart_bench bench({s_type(funct3, t0, t1, -8), ecall});
      local_memory& memory = place == data ? bench.hart().memory() : bench.shared();
      memory.store(place, 8, minus(1));
      bench.hart().set_x(t0, place + 8);
      bench.hart().set_x(t1, content);
      bench.run();
      const std::uint64_t mask = size == 8 ? minus(1) : (std::uint64_t{1} << (8 * size)) - 1;
      EXPECT_EQ(memory.load(place, 8), (content & mask) | ~mask) << "funct3 " << funct3;
    }
  }
}

TEST(riscv_hart, performs_atomics_on_doublewords) {
  constexpr std::uint64_t old = minus(6);
  struct {
    unsigned code;
    std::uint64_t operand, expected;
  } const cases[] = {
      {amoadd, 10, 4},     {amoswap, 10, 10},    {amoxor, 1, old ^ 1},
      {amoor, 5, old | 5}, {amoand, 0xff, 0xfa}, {amomin, 3, old},
      {amomax, 3, 3},      {amominu, 3, 3},      {amomaxu, 3, old},
  };
  for (const std::uint64_t place : {data, shared_base}) {
    for (const auto& c : cases) {
      hart_bench bench({amo(c.code, doubleword, t2, t0, t1), ecall});
      local_memory& memory = place == data ? bench.hart().memory() : bench.shared();
      memory.store(place, 8, old);
      bench.hart().set_x(t0, place);
      bench.hart().set_x(t1, c.operand);
      EXPECT_EQ(bench.run().x(t2), old);
      EXPECT_EQ(memory.load(place, 8), c.expected) << "funct5 " << c.code;
      EXPECT_EQ(bench.atomics(), place == data ? 0 : 1);
    }
  }
}

/// LR.D, one instruction, SC.D of t1 to the same address; t2 tells how it went.
std::vector<std::uint32_t> reserved(std::uint32_t between) {
  return {amo(lr, doubleword, ra, t0, 0), between, amo(sc, doubleword, t2, t0, t1), ecall};
}

TEST(riscv_hart, store_conditional_needs_the_value_of_load_reserved) {
  hart_bench bench(reserved(nop));
  bench.shared().store(shared_base, 8, 41);
  bench.hart().set_x(t0, shared_base);
  bench.hart().set_x(t1, 42);
  EXPECT_EQ(bench.run().x(t2), 0U);
  EXPECT_EQ(bench.hart().x(ra), 41U);
  EXPECT_EQ(bench.shared().load(shared_base, 8), 42U);

  hart_bench changed(reserved(s_type(doubleword, t0, sp, 0)));
  changed.hart().set_x(t0, shared_base);
  changed.hart().set_x(t1, 42);
  EXPECT_EQ(changed.run().x(t2), 1U);
  EXPECT_EQ(changed.shared().load(shared_base, 8), changed.hart().x(sp));
}

TEST(riscv_hart, store_conditional_overlooks_a_value_that_came_back) {
  // The documented limit: another hart stores 1 and then 0 again, and SC.D does not see it.
  hart_bench bench(reserved(nop));
  bench.hart().set_x(t0, shared_base);
  bench.hart().set_x(t1, 42);
  bench.hart().step();
  bench.shared().store(shared_base, 8, 1);
  bench.shared().store(shared_base, 8, 0);
  EXPECT_EQ(bench.run().x(t2), 0U);
}

TEST(riscv_hart, a_reservation_serves_one_store_to_its_address) {
  const std::uint32_t store = amo(sc, doubleword, t2, t0, t1);
  hart_bench without({store, ecall});
  without.hart().set_x(t0, shared_base);
  EXPECT_EQ(without.run().x(t2), 1U);
  EXPECT_EQ(without.atomics(), 0);

  hart_bench twice({amo(lr, doubleword, ra, t0, 0), store, store, ecall});
  twice.hart().set_x(t0, shared_base);
  EXPECT_EQ(twice.run().x(t2), 1U);
  EXPECT_EQ(twice.atomics(), 1);

  hart_bench elsewhere(reserved(i_type(opcode::op_imm, 0, t0, t0, 8)));
  elsewhere.hart().set_x(t0, shared_base);
  EXPECT_EQ(elsewhere.run().x(t2), 1U);
  EXPECT_EQ(elsewhere.atomics(), 0);
}

TEST(riscv_hart, atomics_on_words_trap) {
  for (const unsigned code :
       {amoadd, amoswap, lr, sc, amoxor, amoor, amoand, amomin, amomax, amominu, amomaxu}) {
    const std::uint32_t instruction = amo(code, word, t2, t0, code == lr ? zero : t1);
    const trap what = trap_of(instruction, data);
    EXPECT_EQ(what.cause, trap_cause::illegal_instruction);
    EXPECT_EQ(what.value, instruction);
  }
}

TEST(riscv_hart, what_is_no_instruction_traps) {
  for (const std::uint32_t instruction :
       {std::uint32_t{0}, ~std::uint32_t{0}, std::uint32_t{0x0000100f},  // FENCE.I
        std::uint32_t{0x30200073},                                       // MRET
        std::uint32_t{0xc0002573},                                       // RDCYCLE
        r_type(opcode::op, 0, 0x01, t2, t0, t1),                         // MUL
        r_type(opcode::op_32, 2, 0x00, t2, t0, t1), i_type(opcode::op_imm, 1, t2, t0, 0x400),
        i_type(opcode::op_imm, 5, t2, t0, 0x800 - 0x1000), i_type(opcode::op_imm_32, 1, t2, t0, 32),
        i_type(opcode::load, 7, t2, t0, 0), s_type(4, t0, t1, 0), b_type(2, t0, t1, 8),
        i_type(opcode::jalr, 1, t2, t0, 0), amo(lr, doubleword, t2, t0, t1),
        amo(0x05, doubleword, t2, t0, t1)}) {
    const trap what = trap_of(instruction, data);
    EXPECT_EQ(what.cause, trap_cause::illegal_instruction) << std::hex << instruction;
    EXPECT_EQ(what.value, instruction);
  }
  EXPECT_EQ(trap_of(ebreak).cause, trap_cause::breakpoint);
}

TEST(riscv_hart, addresses_that_are_misaligned_or_without_memory_trap) {
  constexpr std::uint64_t nowhere = 0x40000000;
  const std::uint32_t add = amo(amoadd, doubleword, t2, t0, t1);
  const std::uint32_t load_reserved = amo(lr, doubleword, t2, t0, zero);
  struct {
    std::uint32_t instruction;
    std::uint64_t address;
    trap_cause cause;
  } const cases[] = {
      {i_type(opcode::load, 3, t2, t0, 4), data, trap_cause::load_address_misaligned},
      {i_type(opcode::load, 1, t2, t0, 1), shared_base, trap_cause::load_address_misaligned},
      {s_type(2, t0, t1, 2), data, trap_cause::store_address_misaligned},
      {add, data + 4, trap_cause::store_address_misaligned},
      {amo(sc, doubleword, t2, t0, t1), data + 4, trap_cause::store_address_misaligned},
      {load_reserved, data + 4, trap_cause::load_address_misaligned},
      {j_type(ra, 6), 0, trap_cause::instruction_address_misaligned},
      {i_type(opcode::load, 3, t2, t0, 0), nowhere, trap_cause::load_access_fault},
      {s_type(3, t0, t1, 0), nowhere, trap_cause::store_access_fault},
      {add, nowhere, trap_cause::store_access_fault},
      {load_reserved, nowhere, trap_cause::load_access_fault},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(trap_of(c.instruction, c.address).cause, c.cause) << std::hex << c.instruction;
  }
  const trap jump = trap_of(i_type(opcode::jalr, 0, ra, t0, 2), base);
  EXPECT_EQ(jump.cause, trap_cause::instruction_address_misaligned);
  EXPECT_EQ(jump.value, base + 2);
  hart_bench lost({i_type(opcode::jalr, 0, ra, zero, 0)});
  const std::optional<trap> what = lost.run().trapped();
  ASSERT_TRUE(what);
  EXPECT_EQ(what->cause, trap_cause::instruction_access_fault);
  EXPECT_EQ(to_string(*what), "no instruction at the address 0x0 at pc 0x0");
}

}  // namespace
}  // namespace riscv
