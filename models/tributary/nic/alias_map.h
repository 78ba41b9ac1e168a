// SPDX-License-Identifier: Apache-2.0
// Memory-mapped aliases of the operations, for initiators that can only load and store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tributary/memory/address_map.h>
#include <tributary/memory/operation.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Where the window of aliases lies and what it is an image of. It has one bank of registers and
/// one bank per operation, each of `size` bytes; the address of a word in bank n is
/// base + n * size + (word - target).
struct alias_config {
  bool enabled = false;
  /// First byte address of the window, a multiple of `size`.
  std::uint64_t base = std::uint64_t{1} << 44;
  /// Size of a bank in bytes, a power of two from 4096 on, and so of the aliased range.
  std::uint64_t size = std::uint64_t{1} << 40;
  /// First byte address of the aliased range, a multiple of 8.
  std::uint64_t target = 0;

  void bind(parameter_set& parameters);
};

#define TRIBUTARY_ALIAS_CONSTANT(name, value) inline constexpr std::uint32_t alias_##name = (value);
#include <tributary/nic/alias_operations.def>

/// The banks with an operation, one bit per bank.
inline constexpr std::uint32_t alias_banks = 0
#define TRIBUTARY_ALIAS(name, bank, operation, e, f) | (std::uint32_t{1} << (bank))
#include <tributary/nic/alias_operations.def>
    ;

static_assert((alias_banks & (alias_banks + 2)) == 0, "banks are numbered from 1 without a hole");

/// The largest number of a bank.
inline constexpr std::uint32_t last_alias_bank = log2_of(std::uint64_t{alias_banks} + 1) - 1;

/// Byte offsets of the registers in bank 0.
enum class alias_register : std::uint32_t {
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) name = (offset),
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, offset, value, meaning) name = (offset),
#include <tributary/nic/alias_operations.def>
};

/// The registers of one port that can be written, at their reset values.
struct alias_registers {
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) word_t name = (reset);
#include <tributary/nic/alias_operations.def>

  TRIBUTARY_STATE(operand, compare);
};

constexpr bool operator==(const alias_registers& x, const alias_registers& y) {
  return x.operand == y.operand && x.compare == y.compare;
}
constexpr bool operator!=(const alias_registers& x, const alias_registers& y) { return !(x == y); }

/// A load or a store at a port.
struct alias_access {
  std::uint64_t address = 0;  ///< first byte address
  std::uint64_t length = word_bytes;
  bool write = false;
  word_t data = 0;  ///< of a store of 8 bytes
};

/// What an access at a port comes to.
enum class alias_outcome : std::uint8_t {
  outside,           ///< not in the window: an ordinary access
  request,           ///< a request for `address` with `function`; a load returns the old word
  register_read,     ///< done: `value` is what the register holds
  register_written,  ///< done
  address_error,     ///< not aligned, or no register
  burst_error,       ///< not 8 bytes
  command_error      ///< a store to a register that can only be read
};

/// What an access at a port comes to, with what goes on into the network or back.
struct alias_result {
  alias_outcome outcome = alias_outcome::outside;
  std::uint64_t address = 0;  ///< byte address in the aliased range, of a request
  word_function function{};   ///< of a request
  word_t value = 0;           ///< of a register that was read
};

/// What a debug access touches: bytes of memory or of registers, never an operation.
struct alias_debug_range {
  bool registers = false;
  std::uint64_t address = 0;  ///< byte address in the aliased range, or in the bank of registers
  std::uint64_t length = 0;   ///< bytes of the access that lie in the same bank
};

/// The window of aliases as the ports of a network share it; the registers belong to each port.
///
/// Requests from aliases carry the address of the word itself, so they combine with any other
/// request to it. The table is alias_operations.def; the layout is this project's.
class alias_map {
 public:
  /// Throws `configuration_error` for a size that is no power of two, for a base or target that is
  /// not aligned, for a window that ends beyond 2^64, for an aliased range beyond `address_limit`
  /// or without any address of `map`, and for a window that overlaps a region of `map`. Checks
  /// only ranges unless the aliases are enabled.
  alias_map(const alias_config& config, const address_map& map);

  const alias_config& config() const { return config_; }

  /// Size of the window in bytes; 0 if the aliases are not enabled.
  std::uint64_t window_size() const { return window_size_; }

  /// Whether a byte address lies in the window. DMI to one that does is to be refused.
  bool contains(std::uint64_t address) const { return address - config_.base < window_size_; }

  /// Decides a load or store by its first address, with the registers of its port, which a store
  /// may change. Nothing is changed on an error. A request may still address no region of the map.
  /// Byte enables and streaming are up to the caller: an alias takes a whole word or nothing.
  alias_result access(alias_registers& registers, const alias_access& access) const;

  /// Where a debug access of `length` bytes at `address` reads or writes; `address` is in the
  /// window.
  alias_debug_range debug_range(std::uint64_t address, std::uint64_t length) const;

  /// Copies bytes of the registers to `data`, from a byte offset in bank 0, in the host's order of
  /// bytes. Returns how many there are, at most `length`.
  std::size_t debug_read(const alias_registers& registers, std::uint64_t offset, std::uint8_t* data,
                         std::size_t length) const;

  /// Copies bytes of `data` to the registers and returns how many, at most `length`: it ends where
  /// a register is missing or cannot be written.
  static std::size_t debug_write(alias_registers& registers, std::uint64_t offset,
                                 const std::uint8_t* data, std::size_t length);

  /// What the identification register reads.
  word_t identification() const;

 private:
  void check(const address_map& map) const;
  std::optional<word_t> read_register(const alias_registers& registers, std::uint64_t offset) const;
  alias_result access_register(alias_registers& registers, const alias_access& access) const;

  alias_config config_;
  std::uint64_t window_size_;
};

}  // namespace tributary
