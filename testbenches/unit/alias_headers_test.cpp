// SPDX-License-Identifier: Apache-2.0
// The headers that the build writes for software: C, C++ and assembler programs see the table.
#include "alias_headers_calls.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <tributary/nic/alias_map.h>

extern "C" {
uint64_t call_bank_in_c(const tributary_alias_window* window, unsigned bank,
                        volatile uint64_t* word, uint64_t compare, uint64_t operand, int discard);
uint32_t discover_in_c(tributary_alias_window* window, uintptr_t base);
int64_t take_ticket(uintptr_t base, volatile uint64_t* tickets);
}

namespace tributary {
namespace {

using symbols = std::map<std::string, std::uint64_t>;

const std::string prefix = "TRIBUTARY_ALIAS_";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// What both headers define, from the table.
symbols expected_symbols() {
  symbols all;
#define TRIBUTARY_ALIAS(name, bank, operation, e, f) all[upper(prefix + "bank_" #name)] = bank;
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) \
  all[upper(prefix + "register_" #name)] = offset;
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, offset, value, meaning) \
  all[upper(prefix + "register_" #name)] = offset;
#define TRIBUTARY_ALIAS_FIELD(name, shift, bits, value, meaning) \
  all[upper(prefix + #name "_shift")] = shift;                   \
  all[upper(prefix + #name "_bits")] = bits;
#define TRIBUTARY_ALIAS_CONSTANT(name, value) all[upper(prefix + #name)] = value;
#include <tributary/nic/alias_operations.def>
  return all;
}

TEST(alias_headers, c_has_the_numbers_of_the_table) {
  std::ifstream file(TRIBUTARY_GENERATED_DIR "/tributary/nic/aliases.h");
  symbols found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string directive;
    std::string name;
    std::uint64_t value = 0;
    if (words >> directive >> name >> value && directive == "#define") found[name] = value;
  }
  EXPECT_EQ(found, expected_symbols());
}

/// A window with one word behind each alias, instead of a network.
struct memory_window {
  static constexpr std::size_t bank_bytes = 4096;
  static constexpr std::size_t bank_words = bank_bytes / word_bytes;

  memory_window() {
    for (std::size_t bank = 1; bank <= last_alias_bank; ++bank) at(bank) = 1000 + bank;
  }

  /// The alias of `word` in a bank, by the layout that alias_map has.
  std::uint64_t& at(std::size_t bank) {
    return banks[bank * bank_words + (word() - target()) / word_bytes];
  }
  std::uint64_t& register_at(alias_register which) {
    return banks[static_cast<std::size_t>(which) / word_bytes];
  }
  std::uintptr_t base() const { return reinterpret_cast<std::uintptr_t>(banks.data()); }
  std::uintptr_t target() const { return reinterpret_cast<std::uintptr_t>(aliased.data()); }
  std::uintptr_t word() const { return target() + 24; }

  std::array<std::uint64_t, (last_alias_bank + 1) * bank_words> banks{};
  std::array<std::uint64_t, bank_words> aliased{};
};

using call = uint64_t (*)(const tributary_alias_window*, unsigned, volatile uint64_t*, uint64_t,
                          uint64_t, int);

void expect_accesses(call perform) {
  const auto memory = std::make_unique<memory_window>();
  const tributary_alias_window window{memory->base(), memory_window::bank_bytes, memory->target()};
  volatile uint64_t* const word = &memory->aliased[3];
#define TRIBUTARY_ALIAS(name, bank, op, e, f)                                                   \
  {                                                                                             \
    SCOPED_TRACE(#name);                                                                        \
    const bool takes_operand = std::string(#e " " #f).find("operand") != std::string::npos;     \
    const bool takes_compare = std::string(#e) == "compare";                                    \
    memory->register_at(alias_register::operand) = 1;                                           \
    memory->register_at(alias_register::compare) = 2;                                           \
    EXPECT_EQ(perform(&window, bank, word, 50 + (bank), 70 + (bank), 0), 1000U + (bank));       \
    EXPECT_EQ(memory->register_at(alias_register::operand), takes_operand ? 70U + (bank) : 1U); \
    EXPECT_EQ(memory->register_at(alias_register::compare), takes_compare ? 50U + (bank) : 2U); \
    EXPECT_EQ(memory->at(bank), 1000U + (bank));                                                \
    memory->register_at(alias_register::operand) = 1;                                           \
    memory->register_at(alias_register::compare) = 2;                                           \
    EXPECT_EQ(perform(&window, bank, word, 30 + (bank), 90 + (bank), 1), 0U);                   \
    EXPECT_EQ(memory->at(bank), takes_operand ? 90U + (bank) : 0U);                             \
    EXPECT_EQ(memory->register_at(alias_register::operand), 1U);                                \
    EXPECT_EQ(memory->register_at(alias_register::compare), takes_compare ? 30U + (bank) : 2U); \
  }
#include <tributary/nic/alias_operations.def>
}

TEST(alias_headers, c_functions_access_registers_and_banks) { expect_accesses(call_bank_in_c); }
TEST(alias_headers, cpp_functions_access_registers_and_banks) { expect_accesses(call_bank); }

TEST(alias_headers, discover_reads_the_registers_of_the_model) {
  address_map_config regions;
  alias_config config;
  config.enabled = true;
  config.size = 1 << 20;
  config.target = 0x5000;
  const alias_map map(config, address_map(regions, 2));
  const auto memory = std::make_unique<memory_window>();
  memory->register_at(alias_register::identification) = map.identification();
  memory->register_at(alias_register::target) = config.target;
  for (const auto discover : {discover_in_c, tributary_alias_discover}) {
    tributary_alias_window window{};
    EXPECT_EQ(discover(&window, memory->base()), alias_banks);
    EXPECT_EQ(window.base, memory->base());
    EXPECT_EQ(window.size, config.size);
    EXPECT_EQ(window.target, config.target);
  }
  tributary_alias_window window{};
  memory->register_at(alias_register::identification) ^= word_t{1} << 32;
  EXPECT_EQ(discover_in_c(&window, memory->base()), 0U) << "another version";
  memory->register_at(alias_register::identification) = 0;
  EXPECT_EQ(discover_in_c(&window, memory->base()), 0U) << "no window";
}

TEST(alias_headers, example_of_the_page_takes_a_ticket) {
  const auto memory = std::make_unique<memory_window>();
  EXPECT_EQ(take_ticket(memory->base(), &memory->aliased[3]), -1) << "no window";
  alias_config config;
  config.enabled = true;
  config.size = memory_window::bank_bytes;
  const alias_map map(config, address_map(address_map_config{}, 2));
  memory->register_at(alias_register::identification) = map.identification();
  memory->register_at(alias_register::target) = memory->target();
  EXPECT_EQ(take_ticket(memory->base(), &memory->aliased[3]), 1001);
  EXPECT_EQ(memory->register_at(alias_register::operand), 1U);
}

/// The standard output of a command, which must succeed.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return text;
  }
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/// Assembles a program of these lines and returns the symbols of the object.
symbols assembled(const std::string& assembler, const std::string& nm, const std::string& program) {
  const std::string path = testing::TempDir() + "aliases_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path + ".s") << program;
  output_of(assembler + " --fatal-warnings -I '" TRIBUTARY_GENERATED_DIR "' -o '" + path + ".o' '" +
            path + ".s'");
  std::istringstream lines(output_of(nm + " '" + path + ".o'"));
  symbols found;
  std::uint64_t value = 0;
  char kind = 0;
  std::string name;
  while (lines >> std::hex >> value >> kind >> name) found[name] = value;
  std::remove((path + ".s").c_str());
  std::remove((path + ".o").c_str());
  return found;
}

constexpr const char* include_line = ".include \"tributary/nic/aliases.inc\"\n";

constexpr const char* not_found = "-NOTFOUND";

bool missing(const std::string& tool) { return tool.find(not_found) != std::string::npos; }

TEST(alias_headers, assembler_has_the_numbers_of_the_table) {
  if (missing(TRIBUTARY_AS) || missing(TRIBUTARY_NM)) GTEST_SKIP() << "no assembler (binutils)";
  EXPECT_EQ(assembled(TRIBUTARY_AS, TRIBUTARY_NM, include_line), expected_symbols());
}

class riscv_alias_headers : public testing::Test {
 protected:
  void SetUp() override {
    if (missing(TRIBUTARY_RISCV_AS) || missing(TRIBUTARY_RISCV_NM)) {
      GTEST_SKIP() << "no RISC-V assembler (binutils-riscv64-linux-gnu)";
    }
  }
};

TEST_F(riscv_alias_headers, have_the_numbers_of_the_table) {
  EXPECT_EQ(assembled(TRIBUTARY_RISCV_AS, TRIBUTARY_RISCV_NM, include_line), expected_symbols());
}

TEST_F(riscv_alias_headers, example_of_the_page_is_a_program) {
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/testbenches/documentation/alias_example.s");
  const std::string program{std::istreambuf_iterator<char>(file), {}};
  const symbols found = assembled(TRIBUTARY_RISCV_AS " -march=rv64ia", TRIBUTARY_RISCV_NM, program);
  EXPECT_EQ(found.count("fetch_add"), 1U);
  EXPECT_EQ(found.count("add"), 1U);
}

}  // namespace
}  // namespace tributary
