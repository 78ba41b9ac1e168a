// SPDX-License-Identifier: Apache-2.0
// What a hart needs of the world around it.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/memory/operation.h>

namespace riscv {

/// A read-modify-write of a doubleword. Of a compare-and-swap `e` is the expected value and `f` the
/// new one; every other operation has its operand in `e`.
struct atomic {
  tributary::operation operation = tributary::operation::swap;
  std::uint64_t e = 0;
  std::uint64_t f = 0;

  tributary::word_function function() const { return tributary::function_of(operation, e, f); }
};

/// Loads, stores and atomics on byte addresses; little endian. The hart asks for naturally aligned
/// accesses of 1, 2, 4 or 8 bytes only, and for the next one when the last has returned, so an
/// implementation may suspend its caller for as long as the access takes.
class memory_port {
 public:
  virtual ~memory_port() = default;

  /// The bytes at `address`, zero-extended, or nothing where there is no memory.
  virtual std::optional<std::uint64_t> load(std::uint64_t address, unsigned size) = 0;

  /// Writes the low `size` bytes of `value`. Returns false where there is no memory.
  virtual bool store(std::uint64_t address, unsigned size, std::uint64_t value) = 0;

  /// Performs `access` on the doubleword at `address`, with nothing between reading and writing it.
  /// Returns the doubleword as it was, or nothing where there is no memory.
  virtual std::optional<std::uint64_t> perform(std::uint64_t address, const atomic& access) = 0;

  /// An instruction has ended, and there is a next one: the time that it took passes.
  virtual void pass_instruction() {}

 protected:
  memory_port() = default;
  memory_port(const memory_port&) = default;
  memory_port& operator=(const memory_port&) = default;
};

}  // namespace riscv
