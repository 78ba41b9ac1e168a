// SPDX-License-Identifier: Apache-2.0
#include "elf_program.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace riscv {
namespace {

/// A file whose every access is checked.
class elf_file {
 public:
  explicit elf_file(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  std::uint64_t number(std::uint64_t offset, unsigned size) const {
    check(offset, size);
    std::uint64_t value = 0;
    for (unsigned byte = size; byte-- > 0;) value = value << 8 | bytes_[offset + byte];
    return value;
  }

  std::vector<std::uint8_t> part(std::uint64_t offset, std::uint64_t size) const {
    check(offset, size);
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  void check(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      throw std::runtime_error("the ELF file is cut short: it has " +
                               std::to_string(bytes_.size()) + " bytes and speaks of byte " +
                               std::to_string(offset) + " and " + std::to_string(size) +
                               " from there on");
    }
  }

  const std::vector<std::uint8_t>& bytes_;
};

void require(bool condition, const char* problem) {
  if (!condition) throw std::runtime_error(problem);
}

void check_header(const elf_file& file) {
  constexpr std::uint64_t magic = 0x464c457f;  // "\x7fELF"
  constexpr std::uint64_t class_64_little_endian = 0x0102;
  constexpr std::uint64_t executable = 2;
  constexpr std::uint64_t risc_v = 243;
  require(file.number(0, 4) == magic, "this is no ELF file");
  require(file.number(4, 2) == class_64_little_endian,
          "the ELF file is not of 64 bits, little endian; compile for rv64");
  require(file.number(0x12, 2) == risc_v, "the ELF file is not for RISC-V");
  require(file.number(0x10, 2) == executable,
          "the ELF file is not linked to fixed addresses; link it with local.ld");
}

/// Adds what a program header says of a loadable segment.
void add_segment(const elf_file& file, std::uint64_t header, elf_program& program) {
  constexpr std::uint64_t loadable = 1;
  if (file.number(header, 4) != loadable) return;
  elf_segment segment;
  segment.address = file.number(header + 0x10, 8);
  segment.content = file.part(file.number(header + 0x08, 8), file.number(header + 0x20, 8));
  segment.size = file.number(header + 0x28, 8);
  require(segment.size >= segment.content.size(),
          "a segment of the ELF file is larger than its memory");
  if (segment.size > 0) program.segments.push_back(std::move(segment));
}

}  // namespace

elf_program parse_elf(const std::vector<std::uint8_t>& bytes) {
  const elf_file file(bytes);
  check_header(file);
  elf_program program;
  program.entry = file.number(0x18, 8);
  const std::uint64_t headers = file.number(0x20, 8);
  const std::uint64_t header_size = file.number(0x36, 2);
  const std::uint64_t count = file.number(0x38, 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    add_segment(file, headers + i * header_size, program);
  }
  require(!program.segments.empty(), "the ELF file has nothing to load");
  return program;
}

elf_program read_elf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be opened");
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  try {
    return parse_elf(bytes);
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(path + ": " + problem.what());
  }
}

}  // namespace riscv
