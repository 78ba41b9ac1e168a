// SPDX-License-Identifier: Apache-2.0
#include "hart.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "word_atomics.h"

namespace riscv {
namespace {

using tributary::operation;

constexpr std::size_t page = 4096;  // what Unicorn maps
constexpr unsigned a0 = 10;
constexpr unsigned a1 = 11;
constexpr unsigned sp = 2;

void require(uc_err error) {
  if (error != UC_ERR_OK) throw std::runtime_error(std::string("unicorn: ") + uc_strerror(error));
}

std::uint64_t sign_extended(std::uint64_t value, unsigned size) {
  if (size == 8) return value;
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
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

std::uint8_t* zeroed_pages(std::size_t size) {
  void* const memory = std::aligned_alloc(page, size);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, size);
  return static_cast<std::uint8_t*>(memory);
}

uc_engine* new_engine() {
  uc_engine* engine = nullptr;
  require(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &engine));
  return engine;
}

}  // namespace

std::string to_string(const trap& raised) {
  std::ostringstream text;
  const auto cause = static_cast<std::size_t>(raised.cause);
  if (cause < std::size(trap_texts)) {
    text << trap_texts[cause];
  } else {
    text << "exception " << cause << ", value";
  }
  text << std::hex << " 0x" << raised.value << " at pc 0x" << raised.pc;
  return text.str();
}

struct hart::calls {
  static hart& of(void* user) { return *static_cast<hart*>(user); }

  /// An exception may not pass through Unicorn, which is C: it waits for the end of `run`.
  template <class Act>
  static void guard(hart& self, Act&& act) {
    try {
      act();
    } catch (...) {
      self.thrown_ = std::current_exception();
      self.stop();
    }
  }

  /// Of what is no instruction, the size is any number.
  static void instruction(uc_engine*, std::uint64_t pc, std::uint32_t, void* user) {
    guard(of(user), [&] { of(user).begin_instruction(pc); });
  }
  static std::uint64_t read(uc_engine*, std::uint64_t address, unsigned size, void* user) {
    std::uint64_t value = 0;
    guard(of(user), [&] { value = of(user).read_part(address, size); });
    return value;
  }
  static void write(uc_engine*, std::uint64_t address, unsigned size, std::uint64_t value,
                    void* user) {
    guard(of(user), [&] { of(user).write_part(address, size, value); });
  }
  /// Of user, supervisor or machine mode.
  static bool is_environment_call(std::uint32_t cause) {
    return cause == 8 || cause == 9 || cause == 11;
  }
  static void exception(uc_engine*, std::uint32_t cause, void* user) {
    hart& self = of(user);
    if (is_environment_call(cause)) return self.end(self.x(a0));
    const auto trapped = static_cast<trap_cause>(cause);
    const bool illegal = trapped == trap_cause::illegal_instruction;
    self.stop_with(trapped, illegal ? self.instruction_.word() : self.pc_);
  }
  static bool nowhere(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t,
                      void* user) {
    const bool fetches = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
    const bool writes = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    if (fetches) of(user).pc_ = address;
    of(user).stop_with(fetches  ? trap_cause::instruction_access_fault
                       : writes ? trap_cause::store_access_fault
                                : trap_cause::load_access_fault,
                       address);
    return false;
  }

  template <class Call>
  static void hook(hart& self, int types, Call* call) {
    uc_hook handle = 0;
    require(uc_hook_add(self.engine_.get(), &handle, types, reinterpret_cast<void*>(call), &self, 1,
                        0));
  }
};

void hart::closed::operator()(uc_struct* engine) const { uc_close(engine); }
void hart::freed::operator()(std::uint8_t* memory) const { std::free(memory); }

hart::hart(const elf_program& program, const local_range& local, memory_port& shared,
           std::uint64_t id, std::uint64_t harts)
    : local_(local),
      shared_(shared),
      memory_(zeroed_pages(local.size)),
      engine_(new_engine()),
      pc_(program.entry) {
  load(program);
  uc_engine* const engine = engine_.get();
  require(uc_mem_map_ptr(engine, local.base, local.size, UC_PROT_ALL, memory_.get()));
  require(uc_mmio_map(engine, 0, local.base, calls::read, this, calls::write, this));
  calls::hook(*this, UC_HOOK_CODE, calls::instruction);
  calls::hook(*this, UC_HOOK_INTR, calls::exception);
  calls::hook(*this, UC_HOOK_MEM_INVALID, calls::nowhere);
  set_x(sp, local.base + local.size);
  set_x(a0, id);
  set_x(a1, harts);
}

void hart::load(const elf_program& program) {
  for (const elf_segment& segment : program.segments) {
    if (!is_local(segment.address, segment.size)) {
      std::ostringstream text;
      text << std::hex << "the program has 0x" << segment.size << " bytes at 0x" << segment.address
           << ", outside the hart's own memory of 0x" << local_.size << " bytes at 0x"
           << local_.base;
      throw std::runtime_error(text.str());
    }
    std::copy(segment.content.begin(), segment.content.end(),
              memory_.get() + (segment.address - local_.base));
  }
}

bool hart::is_local(std::uint64_t address, std::uint64_t count) const {
  const std::uint64_t offset = address - local_.base;
  return offset <= local_.size && count <= local_.size - offset;
}

std::uint64_t hart::x(unsigned index) const {
  std::uint64_t value = 0;
  require(uc_reg_read(engine_.get(), UC_RISCV_REG_X0 + static_cast<int>(index), &value));
  return value;
}

void hart::set_x(unsigned index, std::uint64_t value) {
  if (index == 0) return;
  require(uc_reg_write(engine_.get(), UC_RISCV_REG_X0 + static_cast<int>(index), &value));
}

void hart::run() {
  if (!running()) return;
  constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  const uc_err error = uc_emu_start(engine_.get(), pc_, nowhere, 0, 0);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!running()) return;
  if (error != UC_ERR_INSN_INVALID) require(error == UC_ERR_OK ? UC_ERR_EXCEPTION : error);
  stop_with(trap_cause::illegal_instruction, instruction_.word());
}

void hart::begin_instruction(std::uint64_t pc) {
  if (!running() || thrown_) return;
  if (retired_ > 0) shared_.pass_instruction();
  pc_ = pc;
  ++retired_;
  const std::uint64_t offset = pc - local_.base;
  std::uint32_t word = 0;
  std::memcpy(&word, memory_.get() + offset, std::min(sizeof(word), local_.size - offset));
  instruction_ = instruction(word);
  half_.reset();
  perform_atomic(instruction_);
}

void hart::perform_atomic(instruction i) {
  if (!i.is_atomic()) return;
  const std::uint64_t address = x(i.rs1());
  if (address >= local_.base) return;  // Unicorn's
  if (address % i.size() != 0) {
    return stop_with(i.loads_reserved() ? trap_cause::load_address_misaligned
                                        : trap_cause::store_address_misaligned,
                     address);
  }
  const std::optional<std::uint64_t> result = atomic_result(i, address);
  if (!running()) return;
  if (!result) return stop_with(trap_cause::store_access_fault, address);
  set_x(i.rd(), *result);
  const std::uint64_t next = pc_ + 4;
  require(uc_reg_write(engine_.get(), UC_RISCV_REG_PC, &next));
}

std::optional<std::uint64_t> hart::atomic_result(instruction i, std::uint64_t address) {
  if (i.loads_reserved()) return load_reserved(i, address);
  if (i.stores_conditionally()) return store_conditional(i, address);
  const operation* const performed = i.operation();
  if (performed == nullptr) {
    stop_with(trap_cause::illegal_instruction, i.word());
    return std::nullopt;
  }
  const std::optional<std::uint64_t> old = perform(address, i.size(), {*performed, x(i.rs2())});
  if (!old) return std::nullopt;
  return sign_extended(*old, i.size());
}

std::uint64_t hart::load_reserved(instruction i, std::uint64_t address) {
  const std::uint64_t value = read(address, i.size());
  reservation_ = pair{address, value, i.size()};
  return sign_extended(value, i.size());
}

std::optional<std::uint64_t> hart::store_conditional(instruction i, std::uint64_t address) {
  constexpr std::uint64_t failure = 1;
  const std::optional<pair> held = std::exchange(reservation_, std::nullopt);
  if (!held || held->address != address || held->size != i.size()) return failure;
  const std::optional<std::uint64_t> old =
      perform(address, i.size(), {operation::compare_and_swap, held->value, x(i.rs2())});
  if (!old) return std::nullopt;
  return *old == held->value ? 0 : failure;
}

std::optional<std::uint64_t> hart::perform(std::uint64_t address, unsigned size,
                                           const atomic& access) {
  if (size == 8) return shared_.perform(address, access);
  return perform_on_word(shared_, address, access);
}

std::uint64_t hart::read(std::uint64_t address, unsigned size) {
  if (!running()) return 0;
  const std::optional<std::uint64_t> value = shared_.load(address, size);
  if (!value) stop_with(trap_cause::load_access_fault, address);
  return value.value_or(0);
}

// Unicorn moves 8 bytes as two halves, the lower one first. Memory is asked once.

std::uint64_t hart::read_part(std::uint64_t address, unsigned size) {
  if (half_ && half_->address == address) return half_->value;
  if (!is_lower_half(address, size)) return read(address, size);
  const std::uint64_t value = read(address, 8);
  half_ = pair{address + 4, value >> 32, 4};
  return value & 0xffffffffU;
}

void hart::write_part(std::uint64_t address, unsigned size, std::uint64_t value) {
  if (is_lower_half(address, size)) {
    half_ = pair{address + 4, value, 4};
  } else if (half_ && half_->address == address) {
    write(address - 4, 8, value << 32 | half_->value);
  } else {
    write(address, size, value);
  }
}

bool hart::is_lower_half(std::uint64_t address, unsigned size) const {
  return size == 4 && address % 8 == 0 && instruction_.moves_doubleword();
}

void hart::write(std::uint64_t address, unsigned size, std::uint64_t value) {
  if (!running()) return;
  if (!shared_.store(address, size, value)) stop_with(trap_cause::store_access_fault, address);
}

void hart::stop_with(trap_cause cause, std::uint64_t value) {
  if (!running()) return;
  trap_ = trap{cause, pc_, value};
  if (retired_ > 0) --retired_;
  stop();
}

void hart::end(std::uint64_t status) {
  exit_status_ = status;
  stop();
}

void hart::stop() { uc_emu_stop(engine_.get()); }

}  // namespace riscv
