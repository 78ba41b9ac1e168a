// SPDX-License-Identifier: Apache-2.0
// Translations kept by handlers, and lines that handlers own.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include <tributary/protocols/pp_ownership.h>
#include <tributary/protocols/software_tlb.h>
#include <tributary/sim/error.h>

#include <support/handler_asker.h>

namespace tributary {
namespace {

using asker = testing::handler_asker;

using answer = std::pair<word_t, std::uint64_t>;

TEST(software_tlb_test, a_hit_costs_8_and_7_a_probe) {
  software_tlb table({}, {});
  asker ask;
  ask([&](handler_context& context, std::uint64_t storage) {
    table.place(storage);
    for (std::uint64_t page = 0; page < 16; ++page) {
      table.enter(context, page * 4096 + 5, 3,
                  {page * 8192 + 4096, page % 2 == 1 ? page_access::read : page_access::write});
    }
    return word_t{0};
  });
  for (std::uint64_t page = 0; page < 16; ++page) {
    // V12: 15 cycles for the first, 120 for the sixteenth (FLASH 4.2.1)
    EXPECT_EQ(ask([&](handler_context& context, std::uint64_t) {
                const translation_lookup one = table.find(context, page * 4096 + 24, 3, false);
                const bool is_read_only = one.page.access == page_access::read;
                return one.result == translated::found && is_read_only == (page % 2 == 1)
                           ? one.page.address
                           : ~word_t{0};
              }),
              answer(page * 8192 + 4096 + 24, 8 + 7 * (page + 1)));
  }
}

TEST(software_tlb_test, misses) {
  software_tlb table({}, {});
  asker ask;
  ask([&](handler_context& context, std::uint64_t storage) {
    table.place(storage);
    table.enter(context, 0x5000, 3, {0x9000, page_access::read});
    table.enter(context, 0x6000, 3, {0xa000, page_access::write});
    table.remove(context, 0x6000, 3);
    return word_t{0};
  });
  const auto found = [&](std::uint64_t address, std::uint8_t process, bool write) {
    return ask([&](handler_context& context, std::uint64_t) {
      return word_t{table.find(context, address, process, write).result == translated::found};
    });
  };
  EXPECT_EQ(found(0x5000, 3, false).first, 1U);
  EXPECT_EQ(found(0x5000, 3, true).first, 0U);   // protected
  EXPECT_EQ(found(0x5000, 4, false).first, 0U);  // somebody else's
  EXPECT_EQ(found(0x6000, 3, false).first, 0U);  // removed
  EXPECT_EQ(found(0x7000, 3, false), answer(0, 8 + 7 * 16));
}

/// Missing: the kernel is asked. Refused: it has said no.
TEST(software_tlb_test, what_a_process_may_do_with_a_page) {
  struct {
    page_access entered;
    translated read;
    translated written;
  } const cases[] = {{page_access::write, translated::found, translated::found},
                     {page_access::read, translated::found, translated::missing},
                     {page_access::read_and_no_write, translated::found, translated::refused},
                     {page_access::none, translated::refused, translated::refused}};
  software_tlb table({}, {});
  asker ask;
  for (const auto& each : cases) {
    for (const bool write : {false, true}) {
      const word_t found = ask([&](handler_context& context, std::uint64_t storage) {
                             table.place(storage);
                             // Each takes the place of the one before.
                             table.enter(context, 0x5000, 3, {0x9000, each.entered});
                             const translation_lookup page = table.find(context, 0x5008, 3, write);
                             EXPECT_EQ(page.page.address, 0x9008U);
                             return static_cast<word_t>(page.result);
                           }).first;
      EXPECT_EQ(static_cast<translated>(found), write ? each.written : each.read)
          << static_cast<int>(each.entered) << (write ? ", written" : ", read");
    }
  }
}

TEST(software_tlb_test, a_full_bucket_gives_its_entries_up_by_turns) {
  software_tlb_config config;
  config.ways = 2;
  config.buckets = 2;
  software_tlb table(config, {});
  EXPECT_EQ(table.storage_bytes(), 80U);
  asker ask;
  const word_t found = ask([&](handler_context& context, std::uint64_t storage) {
                         table.place(storage);
                         for (const std::uint64_t page : {0U, 2U, 4U, 1U, 4U, 6U, 0U}) {
                           table.enter(context, page * 4096, 0, {page * 4096, page_access::write});
                         }
                         word_t pages = 0;
                         for (std::uint64_t page = 0; page < 8; ++page) {
                           const auto one = table.find(context, page * 4096, 0, true);
                           if (one.result == translated::found) pages |= word_t{1} << page;
                         }
                         return pages;
                       }).first;
  EXPECT_EQ(found, 0b01000011U);
}

TEST(software_tlb_test, sizes_that_are_no_powers_of_two_are_refused) {
  software_tlb_config config;
  config.buckets = 3;
  EXPECT_THROW(software_tlb(config, {}), configuration_error);
  config.buckets = 1;
  config.page_bytes = 5000;
  EXPECT_THROW(software_tlb(config, {}), configuration_error);
}

TEST(pp_ownership_test, a_local_idle_line_costs_68_and_48) {
  uncached_lines lines;
  pp_ownership ownership({}, lines);
  asker ask;
  ask.machine().node(0).memory().write(0x208, 41);
  EXPECT_EQ(ask([&](handler_context& context, std::uint64_t) {
              const cycle_t begun = context.now();
              const acquired_line line = ownership.acquire(context, 0x200);
              if (!line) return word_t{1};
              const cycle_t owned = context.now();
              const word_t value = context.word(*line, 1);
              context.set_word(*line, 1, value + 1);
              ownership.release(context, 0x200, *line);
              return (owned - begun) * 1000 + value;
            }),
            answer(68041, 116));
  EXPECT_EQ(ask.machine().node(0).memory().read(0x208), 42U);
}

TEST(pp_ownership_test, a_remote_line_is_not_to_be_had) {
  uncached_lines lines;
  pp_ownership ownership({}, lines);
  asker ask;
  const std::uint64_t remote = address_layout().address_of(node_id{1}, 0, 0);
  EXPECT_EQ(ask([&](handler_context& context, std::uint64_t) {
              return word_t{ownership.acquire(context, remote).is_available};
            }),
            answer(0, 0));
}

}  // namespace
}  // namespace tributary
