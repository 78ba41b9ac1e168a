// SPDX-License-Identifier: Apache-2.0
// A program of the build: writes what software on a processor needs of alias_operations.def.
//
//   write_alias_headers aliases.h aliases.inc
//
// The first is for C and C++, the second for the GNU assembler of any machine. Exit status 1 if a
// file cannot be written.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct bank {
  std::string name;
  unsigned number;
  bool takes_operand;
  bool takes_compare;
};

/// Whether a column of the table is this word.
bool is(const std::string& column, const char* word) { return column == word; }

std::vector<bank> banks() {
  return {
#define TRIBUTARY_ALIAS(name, number, operation, e, f) \
  {#name, number, is(#e, "operand") || is(#f, "operand"), is(#e, "compare")},
#include <tributary/nic/alias_operations.def>
  };
}

/// Every number of the table by its name for software, without the common beginning.
std::vector<std::pair<std::string, unsigned>> numbers() {
  return {
#define TRIBUTARY_ALIAS(name, number, operation, e, f) {"bank_" #name, number},
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) {"register_" #name, offset},
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, offset, value, meaning) {"register_" #name, offset},
#define TRIBUTARY_ALIAS_FIELD(name, shift, bits, value, meaning) \
  {#name "_shift", shift}, {#name "_bits", bits},
#define TRIBUTARY_ALIAS_CONSTANT(name, value) {#name, value},
#include <tributary/nic/alias_operations.def>
  };
}

std::string symbol(const std::string& name) {
  std::string text = "TRIBUTARY_ALIAS_";
  for (const char c : name) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

constexpr const char* title = R"(/* SPDX-License-Identifier: Apache-2.0 */
/* Memory-mapped aliases of fetch-and-phi operations, for software on a processor.
 * Written by the build from tributary/nic/alias_operations.def.
 *
 * A bank is `size` bytes, bank n of a window lies at base + n * size. Bank 0 holds the registers of
 * the port. In every other bank the word at offset o stands for the word at target + o: a load
 * performs the bank's operation with the operand register and returns the old word, a store
 * performs it with its data. Aligned accesses of 8 bytes only.
 */
)";

constexpr const char* c_opening = R"(#ifndef TRIBUTARY_NIC_ALIASES_H
#define TRIBUTARY_NIC_ALIASES_H

#include <stdint.h>

#if UINTPTR_MAX < UINT64_MAX
#error "an alias is one access of 8 bytes: a machine of 64 bits is needed"
#endif

)";

constexpr const char* c_window = R"(
/* Keeps the accesses to registers and banks in the order of the program; define it before the
 * include for a machine whose thread fence does not order accesses to devices. */
#ifndef TRIBUTARY_ALIAS_FENCE
#ifdef __riscv
#define TRIBUTARY_ALIAS_FENCE() __asm__ volatile("fence iorw, iorw" ::: "memory")
#else
#define TRIBUTARY_ALIAS_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
#endif

/* A window: addresses as the program sees them, and the size of a bank in bytes. The registers
 * belong to the port: whoever interrupts a function below and uses aliases too saves the operand
 * and compare registers first and writes them back last. */
struct tributary_alias_window {
  uintptr_t base;
  uintptr_t size;
  uintptr_t target;
};

static inline volatile uint64_t* tributary_alias_at(uintptr_t address) {
  return (volatile uint64_t*)address; /* NOLINT(performance-no-int-to-ptr): a device's address */
}

static inline volatile uint64_t* tributary_alias_register(
    const struct tributary_alias_window* window, unsigned offset) {
  return tributary_alias_at(window->base + offset);
}

/* The alias of a word in a bank. */
static inline volatile uint64_t* tributary_alias_of(const struct tributary_alias_window* window,
                                                    unsigned bank, const volatile void* word) {
  const uintptr_t offset = (uintptr_t)word - window->target;
  return tributary_alias_at(window->base + bank * window->size + offset);
}

/* Reads from its registers what the window at `base` is. Returns its banks, bit n for bank n, or 0
 * if there is no window that this header fits. */
static inline uint32_t tributary_alias_discover(struct tributary_alias_window* window,
                                                uintptr_t base) {
  const uint64_t found = *tributary_alias_at(base + TRIBUTARY_ALIAS_REGISTER_IDENTIFICATION);
  if (found >> TRIBUTARY_ALIAS_MAGIC_SHIFT != TRIBUTARY_ALIAS_MAGIC) return 0;
  if ((uint8_t)(found >> TRIBUTARY_ALIAS_VERSION_SHIFT) != TRIBUTARY_ALIAS_VERSION) return 0;
  window->base = base;
  window->size = (uintptr_t)1 << (uint8_t)(found >> TRIBUTARY_ALIAS_SIZE_LOG2_SHIFT);
  window->target = *tributary_alias_at(base + TRIBUTARY_ALIAS_REGISTER_TARGET);
  return (uint32_t)found;
}

/* Each operation twice: with the old word as its result, and without one. */
)";

std::string function(const bank& each, bool returns) {
  const std::string access =
      "*tributary_alias_of(window, " + symbol("bank_" + each.name) + ", word)";
  std::ostringstream text;
  std::string arguments = each.takes_compare ? ", uint64_t compare" : "";
  if (each.takes_operand) arguments += ", uint64_t operand";
  if (!arguments.empty()) arguments.replace(1, 1, "\n    ");
  text << "\nstatic inline " << (returns ? "uint64_t" : "void") << " tributary_alias_" << each.name
       << (returns ? "" : "_discard") << "(\n    const struct tributary_alias_window* window, "
       << "volatile uint64_t* word" << arguments << ") {\n";
  const auto set = [&](const std::string& name) {
    text << "  *tributary_alias_register(window, " << symbol("register_" + name) << ") = " << name
         << ";\n";
  };
  if (each.takes_compare) set("compare");
  if (returns && each.takes_operand) set("operand");
  text << "  TRIBUTARY_ALIAS_FENCE();\n";
  if (returns) {
    text << "  const uint64_t old = " << access << ";\n";
  } else {
    text << "  " << access << " = " << (each.takes_operand ? "operand" : "0") << ";\n";
  }
  text << "  TRIBUTARY_ALIAS_FENCE();\n" << (returns ? "  return old;\n}\n" : "}\n");
  return text.str();
}

std::string c_header() {
  std::ostringstream text;
  text << title << c_opening;
  for (const auto& [name, value] : numbers()) {
    text << "#define " << symbol(name) << " " << value << "u\n";
  }
  text << c_window;
  for (const bank& each : banks()) text << function(each, true) << function(each, false);
  text << "\n#endif\n";
  return text.str();
}

std::string assembler_header() {
  std::ostringstream text;
  text << title << "\n";
  for (const auto& [name, value] : numbers()) {
    text << ".equ " << symbol(name) << ", " << value << "\n";
  }
  return text.str();
}

bool write(const char* path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) std::fprintf(stderr, "cannot write %s\n", path);
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: write_alias_headers C_HEADER ASSEMBLER_HEADER\n", stderr);
    return 1;
  }
  return write(argv[1], c_header()) && write(argv[2], assembler_header()) ? 0 : 1;
}
