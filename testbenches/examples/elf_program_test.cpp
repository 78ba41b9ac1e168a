// SPDX-License-Identifier: Apache-2.0
// The example's loader, on files made by hand.
#include "elf_program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/text_checks.h"

namespace riscv {
namespace {

using tributary::testing::contains;
using tributary::testing::message_of;

constexpr std::uint64_t base = 0x80000000;
constexpr std::size_t program_header = 64;
constexpr std::size_t content = 120;

using bytes = std::vector<std::uint8_t>;

void put(bytes& file, std::size_t offset, std::uint64_t value, unsigned size) {
  for (unsigned byte = 0; byte < size; ++byte) {
    file[offset + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
  }
}

/// An executable with one segment of four bytes, 16 in memory.
bytes small_file() {
  bytes file(content + 4);
  put(file, 0x00, 0x464c457f, 4);
  put(file, 0x04, 0x0102, 2);
  put(file, 0x10, 2, 2);
  put(file, 0x12, 243, 2);
  put(file, 0x18, base + 4, 8);
  put(file, 0x20, program_header, 8);
  put(file, 0x36, 56, 2);
  put(file, 0x38, 1, 2);
  put(file, program_header, 1, 4);
  put(file, program_header + 0x08, content, 8);
  put(file, program_header + 0x10, base, 8);
  put(file, program_header + 0x20, 4, 8);
  put(file, program_header + 0x28, 16, 8);
  put(file, content, 0x04030201, 4);
  return file;
}

std::string refusal(const bytes& file) {
  return message_of<std::runtime_error>([&] { parse_elf(file); });
}

/// What the loader says when `size` bytes at `offset` of the small file are `value`.
std::string refusal(std::size_t offset, std::uint64_t value, unsigned size) {
  bytes file = small_file();
  put(file, offset, value, size);
  return refusal(file);
}

TEST(elf_program, is_loaded_where_it_says) {
  const elf_program program = parse_elf(small_file());
  EXPECT_EQ(program.entry, base + 4);
  ASSERT_EQ(program.segments.size(), 1U);
  EXPECT_EQ(program.segments[0].size, 16U);
  EXPECT_EQ(program.segments[0].address, base);
  EXPECT_EQ(program.segments[0].content, (bytes{1, 2, 3, 4}));
}

TEST(elf_program, that_is_something_else_is_refused_with_a_reason) {
  EXPECT_TRUE(contains(refusal(0x00, 0, 1), "no ELF file"));
  EXPECT_TRUE(contains(refusal(0x04, 1, 1), "64 bits"));
  EXPECT_TRUE(contains(refusal(0x05, 2, 1), "little endian"));
  EXPECT_TRUE(contains(refusal(0x12, 62, 2), "RISC-V"));
  EXPECT_TRUE(contains(refusal(0x10, 1, 2), "local.ld"));
  EXPECT_TRUE(contains(refusal(0x38, 0, 2), "nothing to load"));
  EXPECT_TRUE(contains(refusal(program_header + 0x28, 3, 8), "larger"));
}

TEST(elf_program, that_is_cut_short_is_refused) {
  const bytes whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(contains(refusal(part), "cut short")) << size << " bytes";
  }
  EXPECT_TRUE(contains(refusal(0x20, ~std::uint64_t{0}, 8), "cut short"));
  EXPECT_TRUE(contains(refusal(program_header + 0x20, ~std::uint64_t{0}, 8), "cut short"));
  EXPECT_TRUE(contains(refusal(0x38, 3, 2), "cut short"));
}

TEST(elf_program, that_is_not_there_is_refused) {
  EXPECT_THROW(read_elf("/no such file"), std::runtime_error);
}

}  // namespace
}  // namespace riscv
