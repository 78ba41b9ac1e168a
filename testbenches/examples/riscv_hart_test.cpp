// SPDX-License-Identifier: Apache-2.0
// The example's hart on programs assembled by hand: what its shared memory is asked for, and how it
// ends. The instructions themselves are the simulator's, and are not tested here.
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "hart.h"

namespace riscv {
namespace {

constexpr local_range local{0x80000000, 4096};
constexpr std::uint64_t base = local.base;
constexpr std::uint64_t data = base + 0x800;
constexpr std::uint64_t shared_base = 0x10000000;

constexpr std::uint32_t ecall = 0x00000073;
constexpr std::uint32_t nop = 0x00000013;

// The registers of these programs: t0 to t2 are free.
constexpr unsigned ra = 1;
constexpr unsigned sp = 2;
constexpr unsigned t0 = 5;
constexpr unsigned t1 = 6;
constexpr unsigned t2 = 7;
constexpr unsigned a1 = 11;

constexpr unsigned doubleword = 3;
constexpr unsigned word = 2;

// The instruction formats (The RISC-V Instruction Set Manual, volume I, section 2.2).
std::uint32_t load(unsigned width, unsigned rd, unsigned rs1) {
  return rs1 << 15 | width << 12 | rd << 7 | 0x03;
}
std::uint32_t store(unsigned width, unsigned rs1, unsigned rs2) {
  return rs2 << 20 | rs1 << 15 | width << 12 | 0x23;
}
std::uint32_t add_immediate(unsigned rd, unsigned rs1, unsigned immediate) {
  return immediate << 20 | rs1 << 15 | rd << 7 | 0x13;
}
std::uint32_t jump_to(unsigned rs1) { return rs1 << 15 | ra << 7 | 0x67; }

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
  return code << 27 | rs2 << 20 | rs1 << 15 | width << 12 | rd << 7 | 0x2f;
}

/// 4 KiB that count their atomics.
class counting_memory final : public memory_port {
 public:
  int accesses = 0;
  int atomics = 0;
  int instructions = 0;                  ///< that passed
  std::function<void()> between_others;  ///< called before each atomic

  std::uint64_t doubleword_at(std::uint64_t address) { return load(address, 8).value(); }

  std::optional<std::uint64_t> load(std::uint64_t address, unsigned size) override {
    if (!has(address, size)) return std::nullopt;
    ++accesses;
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes_[address - shared_base], size);
    return value;
  }
  bool store(std::uint64_t address, unsigned size, std::uint64_t value) override {
    if (!has(address, size)) return false;
    ++accesses;
    std::memcpy(&bytes_[address - shared_base], &value, size);
    return true;
  }
  std::optional<std::uint64_t> perform(std::uint64_t address, const atomic& access) override {
    if (between_others) between_others();
    const std::optional<std::uint64_t> old = load(address, 8);
    if (!old) return std::nullopt;
    ++atomics;
    store(address, 8, tributary::apply(access.function(), *old));
    return old;
  }
  void pass_instruction() override { ++instructions; }

 private:
  bool has(std::uint64_t address, unsigned size) const {
    return address - shared_base <= bytes_.size() - size;
  }

  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(4096);
};

/// A hart with a program at `base`, t0 and t1 given.
struct hart_bench {
  explicit hart_bench(const std::vector<std::uint32_t>& program, std::uint64_t x = 0,
                      std::uint64_t y = 0)
      : hart(loadable(program), local, shared, 3, 8) {
    hart.set_x(t0, x);
    hart.set_x(t1, y);
  }

  riscv::hart& run() {
    hart.run();
    EXPECT_FALSE(hart.running());
    return hart;
  }

  static elf_program loadable(const std::vector<std::uint32_t>& program) {
    elf_segment segment;
    segment.address = base;
    segment.size = 4 * program.size();
    segment.content.resize(segment.size);
    std::memcpy(segment.content.data(), program.data(), segment.size);
    return {base, {segment}};
  }

  counting_memory shared;
  riscv::hart hart;
};

/// The trap of a program's second instruction.
trap trap_of(std::uint32_t instruction, std::uint64_t x = 0) {
  hart_bench bench({nop, instruction, ecall}, x);
  const std::optional<trap> raised = bench.run().trapped();
  EXPECT_TRUE(raised) << std::hex << instruction;
  if (raised && raised->cause != trap_cause::instruction_access_fault) {
    EXPECT_EQ(raised->pc, base + 4);
    EXPECT_EQ(bench.hart.retired(), 1U);
  }
  return raised.value_or(trap{});
}

constexpr std::uint64_t minus(std::uint64_t value) { return ~value + 1; }

TEST(riscv_hart, starts_with_its_number_and_a_stack) {
  hart_bench bench({ecall});
  EXPECT_EQ(bench.run().exit_status(), 3U);
  EXPECT_EQ(bench.hart.x(a1), 8U);
  EXPECT_EQ(bench.hart.x(sp), base + local.size);
  EXPECT_EQ(bench.hart.retired(), 1U);
  EXPECT_EQ(bench.shared.instructions, 0);  // the last one takes no time
}

TEST(riscv_hart, knows_compressed_instructions) {
  hart_bench bench({0x0001'4515, ecall});  // c.li a0, 5; c.nop
  EXPECT_EQ(bench.run().exit_status(), 5U);
  EXPECT_EQ(bench.hart.retired(), 3U);
  EXPECT_EQ(bench.shared.instructions, 2);
}

TEST(riscv_hart, reaches_shared_memory_by_loads_and_stores) {
  hart_bench bench({store(doubleword, t0, t1), load(word, t2, t0), ecall}, shared_base + 8,
                   0x1'2345'6789);
  EXPECT_EQ(bench.run().x(t2), 0x2345'6789U);
  EXPECT_EQ(bench.shared.doubleword_at(shared_base + 8), 0x1'2345'6789U);
  EXPECT_EQ(bench.shared.atomics, 0);
}

TEST(riscv_hart, moves_a_doubleword_at_once) {
  // sd t1, (t0); ld t2, (t0); then C.SD and C.LD of a0 at (a1), which is t0's address.
  hart_bench bench({store(doubleword, t0, t1), load(doubleword, t2, t0), add_immediate(a1, t0, 0),
                    0x6188'e188, ecall},
                   shared_base, 0x1122'3344'5566'7788);
  EXPECT_EQ(bench.run().x(t2), 0x1122'3344'5566'7788U);
  EXPECT_EQ(bench.hart.exit_status(), 3U);
  EXPECT_EQ(bench.shared.accesses, 4);
  EXPECT_EQ(bench.shared.doubleword_at(shared_base), 3U);
}

TEST(riscv_hart, what_the_port_throws_comes_out_of_its_run) {
  hart_bench bench({amo(amoadd, doubleword, t2, t0, t1), ecall}, shared_base);
  bench.shared.between_others = [] { throw std::out_of_range("no such memory"); };
  EXPECT_THROW(bench.hart.run(), std::out_of_range);
  EXPECT_EQ(bench.hart.retired(), 1U) << "nothing was executed behind it";
}

TEST(riscv_hart, splits_misaligned_accesses) {
  hart_bench bench({store(doubleword, t0, t1), load(doubleword, t2, t0), ecall}, shared_base + 6,
                   0x1122'3344'5566'7788);
  EXPECT_EQ(bench.run().x(t2), 0x1122'3344'5566'7788U);
  EXPECT_EQ(bench.shared.doubleword_at(shared_base), 0x7788'0000'0000'0000U);
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
  for (const auto& c : cases) {
    hart_bench bench({amo(c.code, doubleword, t2, t0, t1), ecall}, shared_base, c.operand);
    bench.shared.store(shared_base, 8, old);
    EXPECT_EQ(bench.run().x(t2), old);
    EXPECT_EQ(bench.shared.doubleword_at(shared_base), c.expected) << "funct5 " << c.code;
    EXPECT_EQ(bench.shared.atomics, 1);

    hart_bench alone({amo(c.code, doubleword, t2, t0, t1), ecall}, data, c.operand);
    EXPECT_EQ(alone.run().x(t2), 0U);
    EXPECT_EQ(alone.shared.atomics, 0) << "of the hart's own memory";
  }
}

TEST(riscv_hart, performs_atomics_on_words) {
  constexpr std::uint32_t old = 0xfffffffa;
  constexpr std::uint32_t neighbour = 0x89abcdef;
  struct {
    unsigned code;
    std::uint32_t operand, expected;
  } const cases[] = {
      {amoadd, 10, 4},        {amoswap, 10, 10},    {amoxor, 1, 0xfffffffb},
      {amoor, 5, 0xffffffff}, {amoand, 0xff, 0xfa}, {amomin, 3, old},
      {amomax, 3, 3},         {amominu, 3, 3},      {amomaxu, 3, old},
  };
  for (const unsigned at : {0U, 4U}) {
    for (const auto& c : cases) {
      // Its operand has more bits than count.
      hart_bench bench({amo(c.code, word, t2, t0, t1), ecall}, shared_base + at,
                       0x7700'0000'0000 | c.operand);
      bench.shared.store(shared_base + at, 4, old);
      bench.shared.store(shared_base + (at ^ 4U), 4, neighbour);
      EXPECT_EQ(bench.run().x(t2), minus(6)) << "funct5 " << c.code;
      EXPECT_EQ(bench.shared.load(shared_base + at, 4), c.expected) << "funct5 " << c.code;
      EXPECT_EQ(bench.shared.load(shared_base + (at ^ 4U), 4), neighbour) << "funct5 " << c.code;
      const bool changes = c.expected != old;
      EXPECT_EQ(bench.shared.atomics, changes ? 1 : 0) << "funct5 " << c.code;
    }
  }
}

TEST(riscv_hart, repeats_an_atomic_on_a_word_that_others_come_between) {
  hart_bench bench({amo(amoadd, word, t2, t0, t1), ecall}, shared_base, 1);
  int others = 3;
  bench.shared.between_others = [&] {
    if (others == 0) return;
    --others;
    bench.shared.store(shared_base, 4, bench.shared.load(shared_base, 4).value() + 10);
  };
  EXPECT_EQ(bench.run().x(t2), 30U);
  EXPECT_EQ(bench.shared.load(shared_base, 4), 31U);
}

/// LR, one instruction, SC of t1 to the same address; t2 tells how it went.
std::vector<std::uint32_t> reserved(unsigned width, std::uint32_t between) {
  return {amo(lr, width, ra, t0, 0), between, amo(sc, width, t2, t0, t1), ecall};
}

TEST(riscv_hart, store_conditional_needs_the_value_of_load_reserved) {
  for (const unsigned width : {word, doubleword}) {
    hart_bench bench(reserved(width, nop), shared_base, 42);
    bench.shared.store(shared_base, 8, 41);
    EXPECT_EQ(bench.run().x(t2), 0U);
    EXPECT_EQ(bench.hart.x(ra), 41U);
    EXPECT_EQ(bench.shared.doubleword_at(shared_base), 42U);

    hart_bench changed(reserved(width, store(width, t0, sp)), shared_base, 42);
    EXPECT_EQ(changed.run().x(t2), 1U);
    EXPECT_EQ(changed.shared.doubleword_at(shared_base), base + local.size);
  }
}

TEST(riscv_hart, store_conditional_overlooks_a_value_that_came_back) {
  // The documented limit: another hart stores 1 and then 0 again, and SC does not see it.
  hart_bench bench(reserved(doubleword, nop), shared_base, 42);
  bench.shared.between_others = [&] {
    bench.shared.store(shared_base, 8, 1);
    bench.shared.store(shared_base, 8, 0);
  };
  EXPECT_EQ(bench.run().x(t2), 0U);
}

TEST(riscv_hart, a_reservation_serves_one_store_to_its_address) {
  const std::uint32_t conditional = amo(sc, doubleword, t2, t0, t1);
  hart_bench without({conditional, ecall}, shared_base);
  EXPECT_EQ(without.run().x(t2), 1U);
  EXPECT_EQ(without.shared.atomics, 0);

  hart_bench twice({amo(lr, doubleword, ra, t0, 0), conditional, conditional, ecall}, shared_base);
  EXPECT_EQ(twice.run().x(t2), 1U);
  EXPECT_EQ(twice.shared.atomics, 1);

  hart_bench narrower({amo(lr, doubleword, ra, t0, 0), amo(sc, word, t2, t0, t1), ecall},
                      shared_base);
  EXPECT_EQ(narrower.run().x(t2), 1U);
  EXPECT_EQ(narrower.shared.atomics, 0);

  hart_bench elsewhere(reserved(doubleword, add_immediate(t0, t0, 8)), shared_base);
  EXPECT_EQ(elsewhere.run().x(t2), 1U);
  EXPECT_EQ(elsewhere.shared.atomics, 0);
}

TEST(riscv_hart, what_is_no_instruction_traps) {
  for (const std::uint32_t instruction : {~std::uint32_t{0}, amo(0x05, doubleword, t2, t0, t1)}) {
    const trap raised = trap_of(instruction, shared_base);
    EXPECT_EQ(raised.cause, trap_cause::illegal_instruction) << std::hex << instruction;
    EXPECT_EQ(raised.value, instruction);
  }
  const trap compressed = trap_of(0);
  EXPECT_EQ(compressed.cause, trap_cause::illegal_instruction);
}

TEST(riscv_hart, addresses_that_are_misaligned_or_without_memory_trap) {
  constexpr std::uint64_t nowhere = 0x40000000;
  constexpr std::uint64_t above = 0x90000000;
  const std::uint32_t add = amo(amoadd, doubleword, t2, t0, t1);
  const std::uint32_t load_reserved = amo(lr, doubleword, t2, t0, 0);
  struct {
    std::uint32_t instruction;
    std::uint64_t address;
    trap_cause cause;
  } const cases[] = {
      {add, shared_base + 4, trap_cause::store_address_misaligned},
      {load_reserved, shared_base + 4, trap_cause::load_address_misaligned},
      {load(doubleword, t2, t0), nowhere, trap_cause::load_access_fault},
      {store(doubleword, t0, t1), nowhere, trap_cause::store_access_fault},
      {add, nowhere, trap_cause::store_access_fault},
      {amo(amoadd, word, t2, t0, t1), nowhere, trap_cause::store_access_fault},
      {load_reserved, nowhere, trap_cause::load_access_fault},
      {load(doubleword, t2, t0), above, trap_cause::load_access_fault},
      {jump_to(t0), shared_base, trap_cause::instruction_access_fault},
      {jump_to(t0), above, trap_cause::instruction_access_fault},
  };
  for (const auto& c : cases) {
    const trap raised = trap_of(c.instruction, c.address);
    EXPECT_EQ(raised.cause, c.cause) << std::hex << c.instruction << " at " << c.address;
    EXPECT_EQ(raised.value, c.address) << std::hex << c.instruction;
  }
  EXPECT_EQ(to_string(trap_of(load(doubleword, t2, t0), nowhere)),
            "load from an address that nothing answers, 0x40000000 at pc 0x80000004");
}

TEST(riscv_hart, a_program_outside_of_its_memory_is_refused) {
  counting_memory shared;
  for (const std::uint64_t elsewhere : {base - 4, base + local.size - 4}) {
    elf_program program = hart_bench::loadable({nop, ecall});
    program.segments[0].address = elsewhere;
    EXPECT_THROW(hart(program, local, shared, 0, 1), std::runtime_error);
  }
}

}  // namespace
}  // namespace riscv
