// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <tributary/nic/alias_map.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;

constexpr std::uint64_t base = 0x4000'0000;
constexpr std::uint64_t size = 0x10'0000;
constexpr std::uint64_t target = 0x20'0000;

/// One region of two modules at the aliased range, which is one bank long.
address_map map_of_target() {
  address_map_config config;
  config.regions.resize(1);
  config.regions[0].base = target;
  config.regions[0].size = size;
  return address_map(config, 2);
}

alias_config config_at(std::uint64_t window_base, std::uint64_t bank_size, std::uint64_t of) {
  alias_config config;
  config.enabled = true;
  config.base = window_base;
  config.size = bank_size;
  config.target = of;
  return config;
}

alias_map aliases() { return alias_map(config_at(base, size, target), map_of_target()); }

alias_access load(std::uint64_t address) { return {address, word_bytes, false, 0}; }
alias_access store(std::uint64_t address, word_t data) { return {address, word_bytes, true, data}; }

std::uint64_t register_address(alias_register which) {
  return base + static_cast<std::uint64_t>(which);
}

/// What a bank is to do to the word x, written once more and by hand.
struct expected_bank {
  std::uint64_t number;
  const char* name;
  std::function<word_t(word_t x, word_t operand, word_t compare)> apply;
};

std::vector<expected_bank> expected_banks() {
  using s64 = std::int64_t;
  return {
      {1, "fetch_add", [](word_t x, word_t e, word_t) { return x + e; }},
      {2, "fetch_and", [](word_t x, word_t e, word_t) { return x & e; }},
      {3, "fetch_or", [](word_t x, word_t e, word_t) { return x | e; }},
      {4, "fetch_xor", [](word_t x, word_t e, word_t) { return x ^ e; }},
      {5, "fetch_max",
       [](word_t x, word_t e, word_t) {
         return static_cast<word_t>(std::max(static_cast<s64>(x), static_cast<s64>(e)));
       }},
      {6, "fetch_min",
       [](word_t x, word_t e, word_t) {
         return static_cast<word_t>(std::min(static_cast<s64>(x), static_cast<s64>(e)));
       }},
      {7, "fetch_max_unsigned", [](word_t x, word_t e, word_t) { return std::max(x, e); }},
      {8, "fetch_min_unsigned", [](word_t x, word_t e, word_t) { return std::min(x, e); }},
      {9, "swap", [](word_t, word_t e, word_t) { return e; }},
      {10, "test_and_set", [](word_t, word_t, word_t) { return word_t{1}; }},
      {11, "compare_and_swap", [](word_t x, word_t e, word_t c) { return x == c ? e : x; }},
      {12, "fetch_increment", [](word_t x, word_t, word_t) { return x + 1; }},
      {13, "fetch_decrement", [](word_t x, word_t, word_t) { return x - 1; }},
  };
}

const std::vector<word_t> words{0, 1, 5, 41, ~word_t{0}, word_t{1} << 63, 0x0123456789abcdef};

TEST(alias_map, the_table_holds_the_expected_banks) {
  const std::vector<expected_bank> expected = expected_banks();
  std::uint32_t mask = 0;
  for (const expected_bank& each : expected) mask |= std::uint32_t{1} << each.number;
  EXPECT_EQ(alias_banks, mask);
  EXPECT_EQ(last_alias_bank, expected.size());
}

TEST(alias_map, a_load_takes_the_operand_register) {
  const alias_map map = aliases();
  for (const expected_bank& bank : expected_banks()) {
    for (const word_t operand : words) {
      for (const word_t compare : words) {
        alias_registers registers{operand, compare};
        const alias_result result = map.access(registers, load(base + bank.number * size + 0x40));
        ASSERT_EQ(result.outcome, alias_outcome::request) << bank.name;
        EXPECT_EQ(result.address, target + 0x40) << bank.name;
        for (const word_t x : words) {
          ASSERT_EQ(apply(result.function, x), bank.apply(x, operand, compare)) << bank.name;
        }
        EXPECT_EQ(registers, (alias_registers{operand, compare})) << bank.name;
      }
    }
  }
}

TEST(alias_map, a_store_takes_its_data) {
  const alias_map map = aliases();
  for (const expected_bank& bank : expected_banks()) {
    for (const word_t data : words) {
      alias_registers registers{77, 5};
      const alias_result result =
          map.access(registers, store(base + bank.number * size + size - 8, data));
      ASSERT_EQ(result.outcome, alias_outcome::request) << bank.name;
      EXPECT_EQ(result.address, target + size - 8) << bank.name;
      for (const word_t x : words) {
        ASSERT_EQ(apply(result.function, x), bank.apply(x, data, 5)) << bank.name;
      }
      EXPECT_EQ(registers, (alias_registers{77, 5})) << bank.name;
    }
  }
}

TEST(alias_map, an_aliased_request_is_the_direct_one) {
  const alias_map map = aliases();
  alias_registers registers;
  const alias_result aliased = map.access(registers, store(base + size + 8, 3));
  EXPECT_EQ(aliased.address, target + 8);
  EXPECT_EQ(aliased.function, function_of(operation::fetch_add, 3));
  const alias_result increment = map.access(registers, load(base + 12 * size + 8));
  EXPECT_EQ(increment.address, aliased.address);
  ASSERT_TRUE(composes(aliased.function.kind, increment.function.kind));
  EXPECT_EQ(compose(aliased.function, increment.function), function_of(operation::fetch_add, 4));
}

TEST(alias_map, the_window_ends_with_its_last_bank) {
  const alias_map map = aliases();
  EXPECT_EQ(map.window_size(), 14 * size);
  EXPECT_TRUE(map.contains(base));
  EXPECT_TRUE(map.contains(base + 14 * size - 1));
  EXPECT_FALSE(map.contains(base - 1));
  EXPECT_FALSE(map.contains(base + 14 * size));
  EXPECT_FALSE(map.contains(target));
  alias_registers registers;
  for (const std::uint64_t address : {target, base - 8, base + 14 * size, std::uint64_t{0}}) {
    EXPECT_EQ(map.access(registers, load(address)).outcome, alias_outcome::outside) << address;
  }
  EXPECT_EQ(map.access(registers, load(base + 14 * size - 8)).outcome, alias_outcome::request);
}

TEST(alias_map, may_lie_at_either_end_of_the_addresses) {
  const std::uint64_t top = std::uint64_t{0} - 15 * size;
  const alias_map high(config_at(top, size, target), map_of_target());
  EXPECT_TRUE(high.contains(top + 14 * size - 1));
  EXPECT_FALSE(high.contains(0));
  address_map_config above;
  above.regions.resize(1);
  above.regions[0].base = 14 * size;
  above.regions[0].size = size;
  const alias_map low(config_at(0, size, 14 * size), address_map(above, 2));
  alias_registers registers;
  EXPECT_EQ(low.access(registers, load(size)).address, 14 * size);
  EXPECT_EQ(low.access(registers, load(14 * size)).outcome, alias_outcome::outside);
}

TEST(alias_map, does_nothing_unless_enabled) {
  alias_config config = config_at(target, 4099, 5);  // refused if it were enabled, as below
  config.size = 5000;
  config.enabled = false;
  const alias_map map(config, map_of_target());
  EXPECT_EQ(map.window_size(), 0U);
  EXPECT_FALSE(map.contains(target));
  alias_registers registers;
  EXPECT_EQ(map.access(registers, load(target)).outcome, alias_outcome::outside);
}

TEST(alias_map, takes_aligned_words_only) {
  const alias_map map = aliases();
  for (const std::uint64_t bank : {0U, 1U, 13U}) {
    for (const bool write : {false, true}) {
      alias_registers registers{1, 2};
      const std::uint64_t first = base + bank * size + 0x10;
      for (const std::uint64_t length : {0U, 1U, 2U, 4U, 7U, 9U, 16U, 64U}) {
        EXPECT_EQ(map.access(registers, {first, length, write, 9}).outcome,
                  alias_outcome::burst_error);
        EXPECT_EQ(map.access(registers, {first + 4, length, write, 9}).outcome,
                  alias_outcome::burst_error);
      }
      for (std::uint64_t offset = 1; offset < word_bytes; ++offset) {
        EXPECT_EQ(map.access(registers, {first + offset, word_bytes, write, 9}).outcome,
                  alias_outcome::address_error);
      }
      EXPECT_EQ(registers, (alias_registers{1, 2}));
    }
  }
}

TEST(alias_map, registers_can_be_saved_and_restored) {
  const alias_map map = aliases();
  alias_registers port;
  const std::vector<alias_register> writable{alias_register::operand, alias_register::compare};
  std::vector<word_t> saved;
  for (const alias_register which : writable) {
    const alias_result read = map.access(port, load(register_address(which)));
    ASSERT_EQ(read.outcome, alias_outcome::register_read);
    EXPECT_EQ(read.value, 0U) << "the reset value";
    EXPECT_EQ(map.access(port, store(register_address(which), 100 + saved.size())).outcome,
              alias_outcome::register_written);
    saved.push_back(map.access(port, load(register_address(which))).value);
  }
  EXPECT_EQ(saved, (std::vector<word_t>{100, 101}));
  EXPECT_EQ(port, (alias_registers{100, 101}));
  alias_registers other;
  map.access(other, store(register_address(alias_register::operand), 7));
  EXPECT_EQ(port, (alias_registers{100, 101})) << "another port has its own";
}

TEST(alias_map, constant_registers_refuse_stores) {
  const alias_map map = aliases();
  alias_registers registers{1, 2};
  for (const alias_register which : {alias_register::identification, alias_register::target}) {
    EXPECT_EQ(map.access(registers, store(register_address(which), 9)).outcome,
              alias_outcome::command_error);
  }
  EXPECT_EQ(registers, (alias_registers{1, 2}));
  EXPECT_EQ(map.access(registers, load(register_address(alias_register::target))).value, target);
}

TEST(alias_map, the_identification_lists_banks_and_size) {
  const alias_map map = aliases();
  alias_registers registers;
  const word_t value =
      map.access(registers, load(register_address(alias_register::identification))).value;
  EXPECT_EQ(value, map.identification());
  EXPECT_EQ(value & 0xffff'ffff, 0x3ffeU) << "banks 1 to 13";
  EXPECT_EQ((value >> 32) & 0xff, 1U) << "version";
  EXPECT_EQ((value >> 40) & 0xff, 20U) << "2^20 bytes a bank";
  EXPECT_EQ(value >> 48, 0x5441U);
}

TEST(alias_map, where_no_register_is_the_address_is_wrong) {
  const alias_map map = aliases();
  alias_registers registers{1, 2};
  for (const std::uint64_t offset : {std::uint64_t{0x20}, std::uint64_t{0xff8}, size - 8}) {
    EXPECT_EQ(map.access(registers, load(base + offset)).outcome, alias_outcome::address_error);
    EXPECT_EQ(map.access(registers, store(base + offset, 9)).outcome, alias_outcome::address_error);
  }
  EXPECT_EQ(registers, (alias_registers{1, 2}));
}

TEST(alias_map, registers_do_not_overlap) {
  std::set<std::uint32_t> offsets;
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) \
  EXPECT_TRUE(offsets.insert(offset).second && (offset) % word_bytes == 0) << #name;
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, offset, value, meaning) \
  EXPECT_TRUE(offsets.insert(offset).second && (offset) % word_bytes == 0) << #name;
#include <tributary/nic/alias_operations.def>
  EXPECT_EQ(offsets.size(), 4U);
}

TEST(alias_map_debug, accesses_memory_within_a_bank) {
  const alias_map map = aliases();
  const alias_debug_range inside = map.debug_range(base + 3 * size + 5, 100);
  EXPECT_FALSE(inside.registers);
  EXPECT_EQ(inside.address, target + 5);
  EXPECT_EQ(inside.length, 100U);
  const alias_debug_range cut = map.debug_range(base + 4 * size - 3, 100);
  EXPECT_EQ(cut.address, target + size - 3);
  EXPECT_EQ(cut.length, 3U);
}

TEST(alias_map_debug, reads_and_writes_bytes_of_registers) {
  const alias_map map = aliases();
  const alias_debug_range range = map.debug_range(base + 0x10, 64);
  ASSERT_TRUE(range.registers);
  EXPECT_EQ(range.address, 0x10U);
  alias_registers registers{0x0807060504030201, 0x100f0e0d0c0b0a09};
  std::array<std::uint8_t, 64> bytes{};
  ASSERT_EQ(map.debug_read(registers, 0x13, bytes.data(), bytes.size()), 13U)
      << "up to where registers end";
  const std::array<word_t, 2> both{registers.operand, registers.compare};
  EXPECT_EQ(std::memcmp(bytes.data(), reinterpret_cast<const char*>(both.data()) + 3, 13), 0);

  const std::array<word_t, 2> wanted{11, 12};
  std::memcpy(bytes.data(), wanted.data(), 16);
  EXPECT_EQ(alias_map::debug_write(registers, 0x10, bytes.data(), bytes.size()), 16U);
  EXPECT_EQ(registers, (alias_registers{11, 12}));
  EXPECT_EQ(alias_map::debug_write(registers, 0x08, bytes.data(), 16), 0U) << "a constant";
  EXPECT_EQ(registers, (alias_registers{11, 12}));
  word_t identification = 0;
  EXPECT_EQ(map.debug_read(registers, 0, reinterpret_cast<std::uint8_t*>(&identification), 8), 8U);
  EXPECT_EQ(identification, map.identification());
  EXPECT_EQ(map.debug_read(registers, 0x20, bytes.data(), 8), 0U);
}

TEST(alias_map, refuses_what_cannot_work) {
  const address_map map = map_of_target();
  const auto refusal = [&](const alias_config& config) {
    return message_of<configuration_error>([&] { alias_map(config, map); });
  };
  struct refused {
    alias_config config;
    const char* key;
    const char* problem;
  };
  const std::uint64_t top = std::uint64_t{0} - size;
  const std::vector<refused> cases{
      {config_at(base, 12288, target), "aliases.size", "is no power of two"},
      {config_at(base, 2048, target), "size", "4096"},
      {config_at(base + 4096, size, target), "aliases.base", "is not aligned"},
      {config_at(top, size, target), "aliases.base", "64 bits"},
      {config_at(base, size, target + 4), "aliases.target", "not aligned"},
      {config_at(std::uint64_t{1} << 60, std::uint64_t{1} << 51, 8), "aliases.target", "beyond"},
      {config_at(0, size, target), "aliases.base", "overlaps region \"shared\""},
      {config_at(target, size, target), "aliases.base", "overlaps region"},
      {config_at(base, size, target + size), "aliases.target", "holds no region"},
  };
  for (const refused& each : cases) {
    const std::string message = refusal(each.config);
    EXPECT_TRUE(contains(message, each.key));
    EXPECT_TRUE(contains(message, each.problem));
  }
  EXPECT_EQ(refusal(config_at(base, size, target)), "");
  EXPECT_EQ(refusal(config_at(target + size, size, target)), "") << "right behind the region";
  EXPECT_EQ(refusal(config_at(std::uint64_t{1} << 60, std::uint64_t{1} << 51, 0)), "");
}

TEST(alias_map, defaults_fit_the_default_regions) {
  alias_config config;
  parameter_set parameters = parameter_set::of(config);
  parameters.set_assignment("enabled=true");
  EXPECT_TRUE(config.enabled);
  const address_map regions(address_map_config{}, 4);
  const alias_map map(config, regions);
  alias_registers registers;
  const alias_result last = map.access(registers, load(config.base + 2 * config.size - 8));
  EXPECT_EQ(regions.region_of(last.address)->name, "shared");
}

}  // namespace
}  // namespace tributary
