// SPDX-License-Identifier: Apache-2.0
// Lists of physical addresses in use, which a change of a translation makes 0.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include <tributary/protocols/pages_in_use.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/handler_asker.h>

namespace tributary {
namespace {

using asker = testing::handler_asker;

constexpr std::uint64_t page = 4096;

/// Lists, and the copies of addresses in words behind them.
class lists {
 public:
  explicit lists(const pages_in_use_config& config = {}, const pages_in_use_costs& costs = {})
      : in_use(config, costs) {}

  void place(std::uint64_t storage) {
    in_use.place(storage);
    copies_ = storage + in_use.storage_bytes();
  }
  std::uint64_t copy(std::uint64_t number) const { return copies_ + number * word_bytes; }
  void add(handler_context& context, std::uint64_t number, std::uint64_t address) const {
    context.store(copy(number), address);
    in_use.add(context, number, copy(number), 100 + number);
  }

  pages_in_use in_use;

 private:
  std::uint64_t copies_ = 0;
};

TEST(pages_in_use_test, adding_costs_8_and_9_where_the_list_has_others) {
  lists table;
  asker ask;
  const auto cycles = [&](std::uint64_t number, std::uint64_t address) {
    return ask([&](handler_context& context, std::uint64_t storage) {
             table.place(storage);
             table.add(context, number, address);
             return word_t{0};
           })
        .second;
  };
  EXPECT_EQ(cycles(0, 5 * page + 8), 8U);
  EXPECT_EQ(cycles(1, 6 * page), 8U) << "another list";
  EXPECT_EQ(cycles(2, 5 * page + 16), 9U);
}

TEST(pages_in_use_test, a_change_writes_0_into_the_copies_of_its_page_alone) {
  lists table;
  asker ask;
  ask([&](handler_context& context, std::uint64_t storage) {
    table.place(storage);
    // Pages 5 and 21 share a list of 16.
    table.add(context, 0, 5 * page + 8);
    table.add(context, 1, 21 * page + 16);
    table.add(context, 2, 5 * page + 24);
    table.add(context, 3, 6 * page);
    table.in_use.invalidate(context, 5 * page);
    const std::array<word_t, 4> left{0, 21 * page + 16, 0, 6 * page};
    for (std::uint64_t i = 0; i < left.size(); ++i) {
      const word_t copied = context.load(table.copy(i));
      EXPECT_EQ(copied, left[i]);
      EXPECT_EQ(table.in_use.is_obsolete(context, i, copied), copied == 0);
      EXPECT_EQ(table.in_use.virtual_address(context, i), 100 + i);
    }
    return word_t{0};
  });
}

TEST(pages_in_use_test, address_0_is_an_address) {
  lists table;
  asker ask;
  ask([&](handler_context& context, std::uint64_t storage) {
    table.place(storage);
    table.add(context, 0, 0);
    EXPECT_FALSE(table.in_use.is_obsolete(context, 0, 0));
    table.in_use.invalidate(context, 0);
    EXPECT_TRUE(table.in_use.is_obsolete(context, 0, 0));
    return word_t{0};
  });
}

TEST(pages_in_use_test, a_change_and_a_test_cost_what_the_table_says) {
  lists table;
  asker ask;
  const auto cycles = [&](auto&& what) {
    return ask([&](handler_context& context, std::uint64_t storage) {
             table.place(storage);
             what(context);
             return word_t{0};
           })
        .second;
  };
  cycles([&](handler_context& context) {
    table.add(context, 0, 5 * page);
    table.add(context, 1, 21 * page);
  });
  EXPECT_EQ(cycles([&](handler_context& context) { table.in_use.invalidate(context, 5 * page); }),
            8U + 2 * 4);
  EXPECT_EQ(cycles([&](handler_context& context) { table.in_use.is_obsolete(context, 1, 7); }), 1U);
  EXPECT_EQ(cycles([&](handler_context& context) { table.in_use.remove(context, 0); }), 0U)
      << "the change has taken it out";
  EXPECT_EQ(cycles([&](handler_context& context) { table.in_use.remove(context, 1); }), 8U);
}

/// Against plain values, with few lists so that they are long.
TEST(pages_in_use_test, random_additions_removals_and_changes) {
  pages_in_use_config config;
  config.buckets = 2;
  pages_in_use_costs free{0, 0, 0, 0, 0, 0};
  lists table(config, free);
  asker ask;
  random_stream draws(11U, 0U, 1U);
  std::array<std::optional<word_t>, pages_in_use::places> wanted;
  const auto take_step = [&](handler_context& context) {
    const std::uint64_t number = draws.below(pages_in_use::places);
    const std::uint64_t address = draws.below(8) * page + draws.below(512) * word_bytes;
    if (draws.below(4) == 0) {
      table.in_use.invalidate(context, address - address % page);
      for (auto& each : wanted) {
        if (each && *each / page == address / page) each.reset();
      }
    } else if (wanted[number]) {
      table.in_use.remove(context, number);
      wanted[number].reset();
    } else {
      table.add(context, number, address);
      wanted[number] = address;
    }
  };
  constexpr int handlers = 40;  // each has a bounded number of operations
  for (int run = 0; run < handlers && !::testing::Test::HasFailure(); ++run) {
    ask([&](handler_context& context, std::uint64_t storage) {
      table.place(storage);
      for (int step = 0; step < 500; ++step) {
        take_step(context);
        for (std::uint64_t i = 0; i < pages_in_use::places; ++i) {
          EXPECT_EQ(table.in_use.has(context, i), wanted[i].has_value());
          if (wanted[i]) {
            EXPECT_EQ(context.load(table.copy(i)), *wanted[i]);
          }
        }
      }
      return word_t{0};
    });
  }
}

TEST(pages_in_use_test, lists_that_are_no_power_of_two_are_refused) {
  pages_in_use_config config;
  config.buckets = 12;
  EXPECT_THROW(pages_in_use(config, {}), configuration_error);
}

}  // namespace
}  // namespace tributary
