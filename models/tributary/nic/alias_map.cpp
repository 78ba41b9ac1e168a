// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/alias_map.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint64_t smallest_bank = 4096;  // a page, so that an operating system can map it
constexpr std::uint64_t largest_bank = std::uint64_t{1} << 51;
constexpr std::uint64_t bank_count = last_alias_bank + 1;

[[noreturn]] void refuse(const char* key, const std::string& problem, const std::string& allowed,
                         const std::string& advice) {
  throw configuration_error({std::string("aliases.") + key, "", problem, allowed, advice});
}

std::string range_text(std::uint64_t base, std::uint64_t size) {
  return "(base " + std::to_string(base) + ", size " + std::to_string(size) + ")";
}

bool overlap(std::uint64_t base, std::uint64_t size, const address_region& region) {
  return base < region.base + region.size && region.base < base + size;
}

/// The function that a bank applies; `operand` is the register of a load, the data of a store.
word_function function_of_bank(std::uint64_t number, [[maybe_unused]] word_t operand,
                               [[maybe_unused]] word_t compare) {
  switch (number) {
#define TRIBUTARY_ALIAS(name, bank, op, e, f) \
  case bank:                                  \
    return function_of(operation::op, e, f);
#include <tributary/nic/alias_operations.def>
  }
  return {};
}

/// The register at a byte offset in bank 0, or null if there is none that can be written.
word_t* writable_register(alias_registers& registers, std::uint64_t offset) {
  switch (offset) {
#define TRIBUTARY_ALIAS_REGISTER(name, at, reset, meaning) \
  case at:                                                 \
    return &registers.name;
#include <tributary/nic/alias_operations.def>
  }
  return nullptr;
}

/// First byte of the word that holds the byte at an offset.
std::uint64_t word_at(std::uint64_t offset) { return offset - offset % word_bytes; }

}  // namespace

void alias_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add("enabled", enabled, "Whether operations have memory-mapped aliases.");
  parameters.add("base", base, u64{0, std::numeric_limits<std::uint64_t>::max()}, "bytes",
                 "First byte address of the window of aliases, a multiple of size.");
  parameters.add("size", size, u64{smallest_bank, largest_bank}, "bytes",
                 "Size of the aliased range and of each bank of the window, a power of two.");
  parameters.add("target", target, u64{0, address_limit - word_bytes}, "bytes",
                 "First byte address of the aliased range, a multiple of 8.");
}

alias_map::alias_map(const alias_config& config, const address_map& map)
    : config_((check_ranges(config), config)),
      window_size_(config.enabled ? bank_count * config.size : 0) {
  if (config.enabled) check(map);
}

void alias_map::check(const address_map& map) const {
  const std::string window = range_text(config_.base, window_size_);
  const std::string target = range_text(config_.target, config_.size);
  if ((config_.size & (config_.size - 1)) != 0) {
    refuse("size", std::to_string(config_.size) + " is no power of two", "4096, 8192, ... bytes",
           "round it up");
  }
  if (config_.base % config_.size != 0) {
    refuse("base", std::to_string(config_.base) + " is not aligned to the size of a bank",
           "multiples of aliases.size = " + std::to_string(config_.size), "round it up");
  }
  const std::uint64_t highest = std::numeric_limits<std::uint64_t>::max() - window_size_;
  if (config_.base > highest) {
    refuse("base", "the window " + window + " ends beyond the 64 bits of an address",
           "bases of at most " + std::to_string(highest), "lower base or size");
  }
  if (config_.target % word_bytes != 0 ||
      config_.size > address_limit + word_bytes - config_.target) {
    refuse("target",
           "the aliased range " + target +
               " is not aligned to words or reaches beyond the addresses that a packet carries",
           "a multiple of 8, and addresses below " + std::to_string(address_limit + word_bytes),
           "lower target or size");
  }
  bool used = false;
  for (const address_region& region : map.regions()) {
    used = used || overlap(config_.target, config_.size, region);
    if (overlap(config_.base, window_size_, region)) {
      refuse("base",
             "the window " + window + " overlaps region \"" + region.name + "\" " +
                 range_text(region.base, region.size),
             "a window apart from every one of addresses.regions", "move base or the region");
    }
  }
  if (!used) {
    refuse("target", "the aliased range " + target + " holds no region",
           "a range with addresses of addresses.regions", "move target");
  }
}

word_t alias_map::identification() const {
  return word_t{0}
#define TRIBUTARY_ALIAS_FIELD(name, shift, bits, value, meaning) | (word_t{value} << (shift))
#include <tributary/nic/alias_operations.def>
  ;
}

alias_result alias_map::access(alias_registers& registers, const alias_access& access) const {
  if (!contains(access.address)) return {};
  if (access.length != word_bytes) return {alias_outcome::burst_error};
  if (access.address % word_bytes != 0) return {alias_outcome::address_error};
  const std::uint64_t offset = access.address - config_.base;
  const std::uint64_t bank = offset / config_.size;
  if (bank == 0) return access_register(registers, access);
  const word_t operand = access.write ? access.data : registers.operand;
  return {alias_outcome::request, config_.target + offset % config_.size,
          function_of_bank(bank, operand, registers.compare)};
}

std::optional<word_t> alias_map::read_register(const alias_registers& registers,
                                               std::uint64_t offset) const {
  switch (offset) {
#define TRIBUTARY_ALIAS_REGISTER(name, at, reset, meaning) \
  case at:                                                 \
    return registers.name;
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, at, value, meaning) \
  case at:                                                          \
    return value;
#include <tributary/nic/alias_operations.def>
  }
  return std::nullopt;
}

alias_result alias_map::access_register(alias_registers& registers,
                                        const alias_access& access) const {
  const std::uint64_t offset = access.address - config_.base;
  const std::optional<word_t> value = read_register(registers, offset);
  if (!value) return {alias_outcome::address_error};
  if (!access.write) return {alias_outcome::register_read, 0, {}, *value};
  word_t* const written = writable_register(registers, offset);
  if (written == nullptr) return {alias_outcome::command_error};
  *written = access.data;
  return {alias_outcome::register_written};
}

alias_debug_range alias_map::debug_range(std::uint64_t address, std::uint64_t length) const {
  const std::uint64_t offset = address - config_.base;
  const std::uint64_t within = offset % config_.size;
  const bool registers = offset < config_.size;
  return {registers, registers ? within : config_.target + within,
          std::min(length, config_.size - within)};
}

std::size_t alias_map::debug_read(const alias_registers& registers, std::uint64_t offset,
                                  std::uint8_t* data, std::size_t length) const {
  for (std::size_t done = 0; done < length; ++done) {
    const std::uint64_t at = offset + done;
    const std::optional<word_t> value = read_register(registers, word_at(at));
    if (!value) return done;
    const word_t word = *value;
    std::memcpy(data + done, reinterpret_cast<const char*>(&word) + at % word_bytes, 1);
  }
  return length;
}

std::size_t alias_map::debug_write(alias_registers& registers, std::uint64_t offset,
                                   const std::uint8_t* data, std::size_t length) {
  for (std::size_t done = 0; done < length; ++done) {
    const std::uint64_t at = offset + done;
    word_t* const word = writable_register(registers, word_at(at));
    if (word == nullptr) return done;
    std::memcpy(reinterpret_cast<char*>(word) + at % word_bytes, data + done, 1);
  }
  return length;
}

}  // namespace tributary
