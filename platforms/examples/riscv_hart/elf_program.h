// SPDX-License-Identifier: Apache-2.0
// Programs for the hart, as a compiler and a linker leave them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace riscv {

/// A part of a program: `content` goes to `address`, and zeros follow up to `size` bytes.
struct elf_segment {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::vector<std::uint8_t> content;
};

struct elf_program {
  std::uint64_t entry = 0;
  std::vector<elf_segment> segments;
};

/// Reads an executable: ELF64, little endian, RISC-V, linked to fixed addresses (System V ABI,
/// chapters 4 and 5; RISC-V ELF psABI). Throws `std::runtime_error` that says what is wrong with
/// any other content.
elf_program parse_elf(const std::vector<std::uint8_t>& file);

/// The same of a file; its path precedes the message.
elf_program read_elf(const std::string& path);

}  // namespace riscv
