// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/bus/bus_events.h>
#include <tributary/bus/snooping_bus.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/memory/windowed_port.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/bus_bench.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>
#include <support/unit_trace.h>

namespace tributary {
namespace {

using testing::bus_bench;
using testing::failure;
using testing::load_of;
using testing::statistic;
using testing::store_of;
using testing::timed_actions;

using told = std::vector<bus_bench::told>;
using texts = std::vector<std::string>;

constexpr auto shared = line_want::shared;
constexpr auto exclusive = line_want::exclusive;
constexpr auto upgrade = line_want::upgrade;

/// Masters without caches: what they have is what a test says, and they write down what they are
/// told, as "0 filled 1000 exclusive at 38".
class scripted_masters {
 public:
  explicit scripted_masters(std::size_t masters = 3, const snooping_bus_config& config = {})
      : bus(config, masters, bus_bench::memory_at, clock, memory), all_(masters) {
    memory.line = config.line();
    for (std::size_t i = 0; i < masters; ++i) {
      all_[i].bench = this;
      all_[i].number = i;
      bus.set_client(i, all_[i]);
    }
  }

  void at(cycle_t when, std::function<void()> what) {
    actions_.at(when, std::move(what), wake_rank::processor);
  }
  void ask(std::size_t master, cycle_t when, line_want want, std::uint64_t address,
           std::uint8_t tag = 0) {
    at(when, [=] {
      all_[master].asked[tag] = address;
      bus.lines(master).ask(want, address, tag, when);
    });
  }
  void write_back(std::size_t master, cycle_t when, std::uint64_t line, word_t first) {
    at(when, [=] {
      has(master).erase(line);
      line_data words{};
      words[0] = first;
      bus.lines(master).write_back(line, words, when);
    });
  }
  std::map<std::uint64_t, found_line>& has(std::size_t master) { return all_[master].has; }
  void give(std::size_t master, std::uint64_t line, line_state state, word_t first = 0) {
    found_line held;
    held.before = state;
    held.words[0] = first;
    has(master)[line] = held;
  }
  void run(cycle_t last = 10000) { clock.advance_to(last); }

  agenda clock;
  testing::plain_line_memory memory;
  snooping_bus bus;
  texts told;

 private:
  struct one_master final : line_client {
    void tell(const std::string& what, cycle_t now) const {
      bench->told.push_back(std::to_string(number) + " " + what + " at " + std::to_string(now));
    }
    void filled(std::uint8_t tag, const line_answer& answer, cycle_t now) override {
      tell(fmt::format("filled {:x} {}{} with {}", asked[tag],
                       answer.exclusive ? "exclusive" : "shared", answer.changed ? " changed" : "",
                       answer.words[0]),
           now);
    }
    void upgraded(std::uint8_t tag, cycle_t now) override {
      tell(fmt::format("upgraded {:x}", asked[tag]), now);
    }
    void refused(std::uint8_t tag, cycle_t now) override {
      tell(fmt::format("refused {:x}", asked[tag]), now);
    }
    void room(cycle_t now) override { tell("room", now); }
    void settled(cycle_t) override {}
    found_line intervene(intervention asked_for, std::uint64_t line, cycle_t) override {
      const auto found = has.find(line);
      if (found == has.end()) return {};
      found_line held = found->second;
      if (asked_for == intervention::get) {
        const bool owns = held.before == line_state::modified || held.before == line_state::owned;
        held.left = owns ? line_state::owned : line_state::shared;
        found->second.before = held.left;
      } else {
        has.erase(found);
      }
      return held;
    }

    scripted_masters* bench = nullptr;
    std::size_t number = 0;
    std::map<std::uint64_t, found_line> has;
    std::map<std::uint8_t, std::uint64_t> asked;
  };

  std::vector<one_master> all_;
  timed_actions actions_{clock};
};

// --- times ---------------------------------------------------------------------------------------

// Asked in cycle 10: the arbiter sees it in 12; address phase 14 to 15; answer in 20; memory's
// first word can move 16 cycles later, in 36, and is there in 38.
TEST(snooping_bus, a_read_takes_its_phases) {
  bus_bench b;
  b.memory.write(0x1008, 7);
  b.offer(0, 10, load_of(0x1008, 1));
  b.offer(0, 11, load_of(0x1000, 2));
  b.run();
  EXPECT_EQ(b.completions(0), (told{{38, 1, 7}, {40, 2, 0}}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::exclusive);
  EXPECT_TRUE(b.bus.idle());
  EXPECT_EQ(statistic(b.bus, "latency.read.mean"), 28);
  EXPECT_EQ(statistic(b.bus, "supplied.memory"), 1);
  EXPECT_EQ(statistic(b.bus, "address.busy"), 1);
  EXPECT_EQ(statistic(b.bus, "data.busy"), 4);
}

TEST(snooping_bus, the_owner_supplies_and_memory_is_not_asked) {
  bus_bench b;
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(1, 100, load_of(0x1000, 2));
  b.run();
  // Answer in 110, two bus cycles until the owner drives, one until the word is there.
  EXPECT_EQ(b.completions(1), (told{{116, 2, 7}}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::owned);
  EXPECT_EQ(b.state(1, 0x1000), line_state::shared);
  EXPECT_EQ(b.memory.reads, 1U);
  EXPECT_EQ(b.memory.writes, 0U);
  EXPECT_EQ(b.memory.read(0x1000), 0U);
  EXPECT_EQ(statistic(b.bus, "supplied.caches"), 1);
}

TEST(snooping_bus, an_upgrade_moves_no_data) {
  bus_bench b;
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(1, 100, load_of(0x1000, 2));
  b.offer(1, 200, store_of(0x1000, 8, 3));
  b.run();
  EXPECT_EQ(b.completions(1).back(), (bus_bench::told{210, 3, 7}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::invalid);
  EXPECT_EQ(b.state(1, 0x1000), line_state::modified);
  EXPECT_EQ(b.caches(1).word_at(0x1000), 8U);
  EXPECT_EQ(statistic(b.bus, "transactions.upgrade"), 1);
  EXPECT_EQ(statistic(b.bus, "data.busy"), 8) << "two lines came before";
}

TEST(snooping_bus, a_changed_line_that_leaves_is_written_back) {
  bus_bench b(2, {}, testing::bus_cache(1024));
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(0, 100, load_of(0x1400, 2));
  b.run();
  EXPECT_EQ(b.memory.read(0x1000), 7U);
  EXPECT_EQ(b.state(0, 0x1000), line_state::invalid);
  EXPECT_EQ(statistic(b.bus, "transactions.write_back"), 1);
}

TEST(snooping_bus, an_edge_sees_what_was_asked_for_before_it) {
  scripted_masters b;
  b.ask(0, 11, shared, 0x1000);
  b.ask(1, 112, shared, 0x2000);
  b.run();
  // In cycle 12 and in cycle 114.
  EXPECT_EQ(b.told, (texts{"0 filled 1000 exclusive with 0 at 38",
                           "1 filled 2000 exclusive with 0 at 140"}));
}

TEST(snooping_bus, words_of_a_slow_memory_wait_until_they_can_move_without_a_pause) {
  bus_bench b;
  b.memory.step = 6;
  b.offer(0, 10, load_of(0x1000, 1));
  b.offer(0, 11, load_of(0x1018, 2));
  b.run();
  // The last is there in 36 + 18, so that the first moves three bus cycles before.
  EXPECT_EQ(b.completions(0), (told{{50, 1, 0}, {56, 2, 0}}));
}

TEST(snooping_bus, memory_of_a_node_brings_lines_too) {
  agenda clock;
  memory_controller_config config;
  config.line_bytes = 32;
  config.first_word = 16;
  config.next_word = 2;
  memory_controller memory(config, clock);
  memory.write(0x1008, 7);
  snooping_bus bus({}, 1, {0x100000, config.bytes}, clock, memory);
  cache caches(testing::bus_cache(1024), clock, bus.lines(0));
  bus.set_client(0, caches);
  timed_actions actions(clock);
  for (const std::uint64_t address : {0x101000U, 0x101400U}) {
    actions.at(
        address == 0x101000 ? 10 : 200,
        [&, address] { caches.offer(0, store_of(address, 5), clock.now()); }, wake_rank::processor);
  }
  clock.advance_to(1000);
  EXPECT_EQ(memory.read(0x1000), 5U) << "written back, at its offset";
  EXPECT_EQ(memory.read(0x1008), 7U);
  EXPECT_EQ(caches.word_at(0x101400), 5U);
}

// --- arbitration ---------------------------------------------------------------------------------

TEST(snooping_bus, masters_go_round_robin_an_address_phase_each_bus_cycle) {
  scripted_masters b;
  testing::unit_trace trace(b.bus);
  for (const std::size_t master : {0U, 1U, 2U}) {
    b.ask(master, 10, shared, 0x1000 + master * 0x100, 0);
    b.ask(master, 10, shared, 0x2000 + master * 0x100, 1);
  }
  b.run();
  texts phases;
  for (const trace_event& each : trace.events()) {
    if (each.kind != &bus_events::address_phase) continue;
    phases.push_back(fmt::format("{} {:x} {} to {}", bus_events::master.in(each.details),
                                 each.address, each.cycle, each.last));
  }
  EXPECT_EQ(phases, (texts{"0 1000 14 to 15", "1 1100 16 to 17", "2 1200 18 to 19",
                           "0 2000 20 to 21", "1 2100 22 to 23", "2 2200 24 to 25"}));
  // From 12 on, when the first is granted, they wait 0, 2, 4, 6, 8 and 10 cycles.
  EXPECT_EQ(statistic(b.bus, "address.waits.sum"), 30);
  EXPECT_EQ(statistic(b.bus, "address.busy"), 6);
}

TEST(snooping_bus, who_drives_data_goes_round_robin) {
  scripted_masters b;
  testing::unit_trace trace(b.bus);
  b.memory.first = 4;
  b.give(1, 0x2000, line_state::modified, 2);
  b.give(2, 0x3000, line_state::modified, 3);
  b.ask(0, 10, shared, 0x1000, 0);
  b.ask(0, 10, shared, 0x2000, 1);
  b.ask(0, 10, shared, 0x3000, 2);
  b.ask(0, 10, shared, 0x4000, 3);
  b.run();
  texts phases;
  for (const trace_event& each : trace.events()) {
    if (each.kind != &bus_events::data_phase) continue;
    phases.push_back(fmt::format("{} {:x} {} to {}", bus_events::source.in(each.details),
                                 each.address, each.cycle, each.last));
  }
  // Masters 0 to 2, then memory as 3. All could move in 24, 26, 28 and 30.
  EXPECT_EQ(phases,
            (texts{"3 1000 24 to 31", "1 2000 32 to 39", "2 3000 40 to 47", "3 4000 48 to 55"}));
  EXPECT_EQ(statistic(b.bus, "data.waits.sum"), 6 + 12 + 18);
}

TEST(snooping_bus, words_of_one_source_go_in_the_order_of_their_address_phases) {
  scripted_masters b;
  b.memory.first = 4;
  b.give(1, 0x2000, line_state::modified, 2);
  b.give(1, 0x3000, line_state::modified, 3);
  b.ask(0, 10, shared, 0x1000, 0);
  b.ask(0, 10, shared, 0x2000, 1);
  b.ask(0, 10, shared, 0x3000, 2);
  b.run();
  EXPECT_EQ(b.told,
            (texts{"0 filled 1000 exclusive with 0 at 26", "0 filled 2000 shared with 2 at 34",
                   "0 filled 3000 shared with 3 at 42"}));
}

TEST(snooping_bus, as_many_transactions_as_there_are_places_are_under_way) {
  snooping_bus_config config;
  config.outstanding = 1;
  scripted_masters b(2, config);
  b.ask(0, 10, shared, 0x1000);
  b.ask(1, 10, shared, 0x2000);
  b.run();
  // The first has moved its last word in 44: then the second is granted.
  EXPECT_EQ(b.told, (texts{"0 filled 1000 exclusive with 0 at 38",
                           "1 filled 2000 exclusive with 0 at 70"}));
}

TEST(snooping_bus, a_line_that_is_under_way_is_waited_for) {
  scripted_masters b;
  b.ask(0, 10, shared, 0x1000);
  b.ask(2, 12, shared, 0x1000);
  b.ask(1, 14, exclusive, 0x1008);
  b.at(30, [&] { EXPECT_TRUE(b.bus.under_way(0x1000)); });
  b.at(38, [&] { b.give(0, 0x1000, line_state::exclusive); });
  b.at(70, [&] { b.give(2, 0x1000, line_state::shared); });
  b.run();
  // One after the other, in the order of asking and not in that of the masters: from 44 and 76 on.
  EXPECT_EQ(b.told,
            (texts{"0 filled 1000 exclusive with 0 at 38", "2 filled 1000 shared with 0 at 70",
                   "1 filled 1008 exclusive with 0 at 102"}));
  EXPECT_FALSE(b.bus.under_way(0x1000));
  EXPECT_TRUE(b.has(0).empty());
}

// --- coherence -----------------------------------------------------------------------------------

TEST(snooping_bus, an_owner_that_keeps_nothing_has_memory_written) {
  cache_config mesi = testing::bus_cache();
  mesi.states = cache_states::mesi;
  bus_bench b(2, {}, mesi);
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(1, 100, load_of(0x1000, 2));
  b.run();
  EXPECT_EQ(b.completions(1), (told{{116, 2, 7}}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::shared);
  EXPECT_EQ(b.memory.read(0x1000), 7U);
  EXPECT_EQ(statistic(b.bus, "memory_updates"), 1);
}

TEST(snooping_bus, a_line_of_an_owner_comes_changed_to_who_takes_it) {
  scripted_masters b;
  b.give(1, 0x1000, line_state::owned, 7);
  b.give(2, 0x1000, line_state::shared, 7);
  b.ask(0, 10, exclusive, 0x1000);
  b.run();
  EXPECT_EQ(b.told, (texts{"0 filled 1000 exclusive changed with 7 at 26"}));
  EXPECT_EQ(b.memory.reads, 0U);
  EXPECT_TRUE(b.has(1).empty());
  EXPECT_TRUE(b.has(2).empty());
}

TEST(snooping_bus, a_write_back_buffer_supplies_readers_and_is_written_back) {
  scripted_masters b;
  b.ask(1, 8, shared, 0x1000);
  b.write_back(0, 10, 0x1000, 7);
  b.at(12, [&] {
    ASSERT_NE(b.bus.leaving(0x1000), nullptr);
    EXPECT_EQ((*b.bus.leaving(0x1000))[0], 7U);
  });
  b.run();
  EXPECT_EQ(b.told, (texts{"1 filled 1000 shared with 7 at 24"}));
  EXPECT_EQ(b.memory.read(0x1000), 7U);
  EXPECT_EQ(b.bus.leaving(0x1000), nullptr);
  EXPECT_EQ(statistic(b.bus, "supplied.write_back_buffers"), 1);
  // It waits for the reader's words, in 30. Granted then, it is answered in 38 and moved in 46.
  EXPECT_EQ(statistic(b.bus, "latency.write_back.sum"), 36);
}

TEST(snooping_bus, who_takes_a_line_out_of_a_buffer_ends_its_write_back) {
  snooping_bus_config config;
  config.write_backs = 1;
  scripted_masters b(2, config);
  b.ask(1, 8, exclusive, 0x1000);
  b.write_back(0, 10, 0x1000, 7);
  b.at(12, [&] { EXPECT_FALSE(b.bus.lines(0).can_take()); });
  b.run();
  EXPECT_EQ(b.told, (texts{"0 room at 18", "1 filled 1000 exclusive changed with 7 at 24"}));
  EXPECT_EQ(b.memory.writes, 0U);
  EXPECT_TRUE(b.bus.idle());
}

TEST(snooping_bus, an_upgrade_waits_for_a_write_back_of_its_line) {
  scripted_masters b;
  b.give(1, 0x1000, line_state::shared, 7);
  b.ask(1, 8, upgrade, 0x1000);
  b.write_back(0, 10, 0x1000, 7);
  b.run();
  // Answered in 18 by retry; the write-back goes then, and ends in 34; the retry comes in 34.
  EXPECT_EQ(b.told, (texts{"1 upgraded 1000 at 42"}));
  EXPECT_EQ(statistic(b.bus, "retries"), 1);
  EXPECT_EQ(b.memory.read(0x1000), 7U);
}

TEST(snooping_bus, a_master_waits_for_its_own_write_back) {
  scripted_masters b;
  b.write_back(0, 10, 0x1000, 7);
  b.ask(0, 10, shared, 0x1000);
  b.run();
  // The last word has moved in 28.
  EXPECT_EQ(b.told, (texts{"0 filled 1000 exclusive with 7 at 54"}));
}

TEST(snooping_bus, an_upgrade_that_lost_its_line_is_refused) {
  scripted_masters b;
  for (const std::size_t master : {0U, 1U, 2U}) b.give(master, 0x1000, line_state::shared);
  for (const std::size_t master : {0U, 1U, 2U}) b.ask(master, 10, upgrade, 0x1000);
  b.run();
  EXPECT_EQ(b.told,
            (texts{"0 upgraded 1000 at 20", "1 refused 1000 at 20", "2 refused 1000 at 20"}));
  EXPECT_EQ(b.has(0).size(), 1U);
  EXPECT_TRUE(b.has(1).empty());
  EXPECT_EQ(statistic(b.bus, "refused_upgrades"), 2);
  EXPECT_TRUE(b.bus.idle());
}

TEST(snooping_bus, of_two_store_conditionals_one_stores) {
  bus_bench b;
  for (const std::size_t i : {0U, 1U}) {
    access linked = load_of(0x1000, 1);
    linked.kind = access_kind::load_linked;
    access conditional = store_of(0x1000, 5 + i, 2);
    conditional.kind = access_kind::store_conditional;
    b.offer(i, 10, linked);
    b.offer(i, 200, conditional);
  }
  b.run();
  // The second one's upgrade is refused, and it asks for nothing more.
  EXPECT_EQ(b.completions(0).back(), (bus_bench::told{210, 2, 1}));
  EXPECT_EQ(b.completions(1).back(), (bus_bench::told{210, 2, 0}));
  EXPECT_EQ(b.caches(0).word_at(0x1000), 5U);
  EXPECT_EQ(statistic(b.bus, "transactions.read_exclusive"), 0);
}

TEST(snooping_bus, two_owners_end_the_simulation) {
  scripted_masters b;
  b.give(1, 0x1000, line_state::modified);
  b.give(2, 0x1000, line_state::owned);
  b.ask(0, 10, shared, 0x1000);
  const std::string problem = failure<simulation_error>([&] { b.run(); });
  EXPECT_TRUE(testing::names(problem, {"cycle 20", "line 0x1000", "masters 1 and 2"})) << problem;
}

// --- watchers ------------------------------------------------------------------------------------

/// Says what a test says, and keeps what it saw.
class scripted_watcher final : public transaction_watcher {
 public:
  watch_verdict watch(const watched_transaction& seen, cycle_t now) override {
    told.push_back(
        fmt::format("{} {:x} of {} at {}", name_of(seen.kind), seen.address, seen.master, now));
    EXPECT_EQ(seen.line, seen.address & ~std::uint64_t{31});
    return seen.master == put_off ? verdict : watch_verdict::pass;
  }
  std::size_t put_off = 0;
  watch_verdict verdict = watch_verdict::defer;
  texts told;
};

TEST(snooping_bus, a_deferred_transaction_comes_again_when_it_is_resumed) {
  scripted_masters b;
  scripted_watcher watcher;
  b.bus.watch({0x1000, 0x1000}, watcher);
  b.ask(0, 10, shared, 0x1008);
  b.ask(1, 30, exclusive, 0x1000);
  b.ask(2, 30, shared, 0x3000);
  b.at(80, [&] {
    EXPECT_FALSE(b.bus.idle());
    ASSERT_TRUE(b.bus.oldest_deferred());
    EXPECT_EQ(b.bus.oldest_deferred()->master, 0U);
    EXPECT_EQ(b.bus.oldest_deferred()->line, 0x1000U);
    EXPECT_EQ(b.bus.oldest_deferred()->since, 10U);
  });
  b.at(101, [&] {
    watcher.put_off = 9;
    EXPECT_EQ(b.bus.resume(0x2000, 101), 0U);
    EXPECT_EQ(b.bus.resume(0x1018, 101), 1U) << "any address of the line";
  });
  b.run();
  // It keeps the line from nobody meanwhile.
  EXPECT_EQ(watcher.told, (texts{"read 1008 of 0 at 20", "read_exclusive 1000 of 1 at 40",
                                 "read 1008 of 0 at 110"}));
  EXPECT_EQ(b.told,
            (texts{"1 filled 1000 exclusive with 0 at 58", "2 filled 3000 exclusive with 0 at 66",
                   "0 filled 1008 exclusive with 0 at 128"}));
  EXPECT_EQ(statistic(b.bus, "deferrals"), 1);
  EXPECT_EQ(statistic(b.bus, "resumed"), 1);
  EXPECT_EQ(statistic(b.bus, "latency.read.max"), 118);
}

TEST(snooping_bus, a_deferred_upgrade_that_loses_its_line_is_refused) {
  scripted_masters b;
  scripted_watcher watcher;
  b.bus.watch({0x1000, 0x1000}, watcher);
  b.give(0, 0x1000, line_state::shared);
  b.ask(0, 10, upgrade, 0x1000);
  b.ask(1, 50, exclusive, 0x1000);
  b.at(100, [&] { EXPECT_EQ(b.bus.resume(0x1000, 100), 0U); });
  b.run();
  EXPECT_EQ(b.told, (texts{"0 refused 1000 at 60", "1 filled 1000 exclusive with 0 at 78"}));
}

TEST(snooping_bus, a_retried_transaction_comes_again_by_itself) {
  scripted_masters b;
  scripted_watcher watcher;
  watcher.verdict = watch_verdict::retry;
  b.bus.watch({0x1000, 0x1000}, watcher);
  b.ask(0, 10, shared, 0x1000);
  b.at(50, [&] { watcher.put_off = 9; });
  b.run();
  // Answered in 20 and, 8 bus cycles and the phases later, in 44 and 68.
  EXPECT_EQ(watcher.told,
            (texts{"read 1000 of 0 at 20", "read 1000 of 0 at 44", "read 1000 of 0 at 68"}));
  EXPECT_EQ(b.told, (texts{"0 filled 1000 exclusive with 0 at 86"}));
  EXPECT_EQ(statistic(b.bus, "retries"), 2);
}

/// As of the words of a lock in a line with other words.
TEST(snooping_bus, a_watcher_of_a_part_of_a_line_is_asked) {
  scripted_masters b;
  scripted_watcher in_the_middle;
  scripted_watcher of_many;
  in_the_middle.put_off = of_many.put_off = 9;
  b.bus.watch({0x1008, 8}, in_the_middle);
  b.bus.watch({0x1010, 0x18}, of_many);  // up to the next line's first word
  b.ask(0, 10, shared, 0x1000);
  b.ask(1, 100, exclusive, 0x1038);
  b.ask(2, 200, shared, 0x1040);
  b.run();
  EXPECT_EQ(in_the_middle.told, (texts{"read 1000 of 0 at 20"}));
  EXPECT_EQ(of_many.told, (texts{"read 1000 of 0 at 20", "read_exclusive 1038 of 1 at 110"}));
}

/// Else two masters could each keep the write-back from the bus that the other one waits for.
TEST(snooping_bus, a_retried_transaction_lets_a_write_back_of_its_master_go_first) {
  snooping_bus_config config;
  config.outstanding = 1;
  config.retry = 4;
  scripted_masters b(2, config);
  b.give(0, 0x1000, line_state::shared);
  b.give(1, 0x2000, line_state::shared);
  b.ask(0, 10, upgrade, 0x1000);
  b.ask(1, 10, upgrade, 0x2000);
  b.write_back(0, 10, 0x2000, 1);
  b.write_back(1, 10, 0x1000, 2);
  b.run();
  ASSERT_EQ(b.told.size(), 2U);
  EXPECT_TRUE(b.bus.idle());
  EXPECT_EQ(statistic(b.bus, "retries"), 2);
}

// --- devices -------------------------------------------------------------------------------------

/// Words of a test, and what was done to them.
class scripted_device final : public bus_device {
 public:
  static constexpr bus_range range{std::uint64_t{1} << 32, 0x100};

  device_answer read(std::uint64_t address, cycle_t now) override {
    told.push_back(fmt::format("read {:x} at {}", address - range.base, now));
    if (busy > 0) return --busy, device_answer::later();
    return device_answer::word(words[address - range.base], now + latency);
  }
  bool write(std::uint64_t address, word_t value, cycle_t now) override {
    told.push_back(fmt::format("write {} to {:x} at {}", value, address - range.base, now));
    if (busy > 0) return --busy, false;
    words[address - range.base] = value;
    return true;
  }

  cycle_t latency = 4;
  int busy = 0;
  std::map<std::uint64_t, word_t> words;
  texts told;
};

constexpr std::uint64_t device_base = scripted_device::range.base;

TEST(snooping_bus, uncached_accesses_go_one_at_a_time) {
  bus_bench b;
  scripted_device device;
  device.words[8] = 9;
  b.bus.attach(scripted_device::range, device);
  b.offer_word(0, 10, load_of(device_base + 8, 1));
  b.offer_word(0, 11, store_of(device_base + 16, 5, 2));
  b.at(13, [&] {
    EXPECT_EQ(b.bus.words(0).outstanding(0), 1U);
    EXPECT_EQ(b.bus.words(0).waiting(0), 1U);
  });
  b.run();
  // The read is answered in 20, its word moves in 24 and is there in 26. Then the write is granted,
  // answered in 34, and moved in 36.
  EXPECT_EQ(device.told, (texts{"read 8 at 20", "write 5 to 10 at 36"}));
  EXPECT_EQ(b.completions(0), (told{{26, 1, 9}, {36, 2, 0}}));
  EXPECT_EQ(statistic(b.bus, "latency.uncached_read.mean"), 16);
  EXPECT_EQ(statistic(b.bus, "transactions.uncached_write"), 1);
}

TEST(snooping_bus, a_device_that_is_busy_is_asked_again) {
  bus_bench b;
  scripted_device device;
  b.bus.attach(scripted_device::range, device);
  device.busy = 1;
  b.offer_word(0, 10, load_of(device_base, 1));
  b.at(90, [&] { device.busy = 1; });
  b.offer_word(0, 100, store_of(device_base, 5, 2));
  b.run();
  EXPECT_EQ(device.told,
            (texts{"read 0 at 20", "read 0 at 44", "write 5 to 0 at 112", "write 5 to 0 at 138"}));
  EXPECT_EQ(b.completions(0), (told{{50, 1, 0}, {138, 2, 0}}));
  EXPECT_EQ(statistic(b.bus, "retries"), 2);
}

TEST(snooping_bus, a_posted_store_is_complete_when_the_port_has_it) {
  snooping_bus_config config;
  config.uncached = 1;
  bus_bench b(1, config);
  scripted_device device;
  b.bus.attach(scripted_device::range, device);
  b.offer_word(0, 10, posted_store(device_base, 5, 1));
  b.at(12, [&] {
    EXPECT_FALSE(b.bus.words(0).can_take(0));
    EXPECT_EQ(b.bus.words(0).incomplete_stores(0), 1U);
  });
  b.run();
  EXPECT_EQ(b.completions(0), (told{{11, 1, 0}}));
  EXPECT_EQ(b.processors[0]->settlements, (std::vector<cycle_t>{22}));
  EXPECT_EQ(b.processors[0]->rooms, (std::vector<cycle_t>{22}));
  EXPECT_EQ(b.bus.words(0).incomplete_stores(0), 0U);
}

TEST(snooping_bus, caches_and_devices_stand_under_one_port) {
  bus_bench b(1);
  scripted_device device;
  b.bus.attach(scripted_device::range, device);
  windowed_port port("port", {{~(scripted_device::range.bytes - 1), device_base, &b.bus.words(0),
                               nullptr, true, true},
                              {0, 0, &b.caches(0)}});
  port.set_client(b.processors[0].get());
  b.at(10, [&] { port.offer(0, store_of(0x1000, 3, 1), 10); });
  b.at(11, [&] { port.offer(0, store_of(device_base, 5, 2), 11); });
  b.run();
  // The store to the device waits until the line has come.
  EXPECT_EQ(b.completions(0), (told{{38, 1, 0}, {39, 2, 0}}));
  EXPECT_EQ(device.told, (texts{"write 5 to 0 at 50"}));
}

// --- errors --------------------------------------------------------------------------------------

TEST(snooping_bus, configurations_are_refused_by_key) {
  agenda clock;
  testing::plain_line_memory memory;
  const auto refusal = [&](const snooping_bus_config& config, std::size_t masters,
                           const bus_range& at) {
    return failure<configuration_error>([&] { snooping_bus(config, masters, at, clock, memory); });
  };
  snooping_bus_config config;
  EXPECT_EQ(refusal(config, 10, {0, 1024}), "");
  EXPECT_TRUE(testing::names(refusal(config, 0, {0, 1024}), {"masters", "1 to 64"}));
  EXPECT_TRUE(testing::names(refusal(config, 65, {0, 1024}), {"masters", "65"}));
  EXPECT_TRUE(testing::names(refusal(config, 2, {16, 1024}), {"memory", "0x10", "32"}));
  EXPECT_TRUE(testing::names(refusal(config, 2, {0, 1000}), {"memory", "0x3e8"}));
  config.line_bytes = 48;
  EXPECT_TRUE(testing::names(refusal(config, 2, {0, 1024}), {"line_bytes", "48"}));
  config.line_bytes = 32;
  config.ratio = 0;
  EXPECT_TRUE(testing::names(refusal(config, 2, {0, 1024}), {"ratio", "1 to 64"}));
}

TEST(snooping_bus, ranges_that_meet_are_refused) {
  bus_bench b;
  scripted_device device;
  scripted_watcher watcher;
  const auto refusal = [&](const bus_range& at) {
    return failure<configuration_error>([&] { b.bus.attach(at, device); });
  };
  EXPECT_EQ(refusal(scripted_device::range), "");
  EXPECT_TRUE(testing::names(refusal({device_base + 0xf8, 0x100}), {"0x100", "another device"}));
  EXPECT_TRUE(testing::names(refusal({0xfffff8, 8}), {"0xfffff8", "memory"}));
  EXPECT_TRUE(testing::names(refusal({device_base + 0x1000, 12}), {"multiples of 8"}));
  EXPECT_TRUE(testing::names(refusal({device_base + 0x1000, 0}), {"multiples of 8"}));
  b.bus.watch({0x1000, 0x1000}, watcher);
  EXPECT_TRUE(testing::names(failure<configuration_error>([&] {
                               b.bus.watch({0, 0x1008}, watcher);
                             }),
                             {"watcher"}));
  EXPECT_TRUE(testing::names(failure<configuration_error>([&] {
                               b.bus.watch({0x8000, 0}, watcher);
                             }),
                             {"none"}));
}

TEST(snooping_bus, what_no_master_may_ask_for_ends_the_simulation) {
  scripted_masters b;
  scripted_device device;
  b.bus.attach(scripted_device::range, device);
  const auto problem = [](auto&& action) { return failure<simulation_error>(action); };
  line_port& lines = b.bus.lines(0);
  EXPECT_TRUE(testing::names(problem([&] { lines.check(1 << 24); }), {"0x1000000", "memory"}));
  agenda clock;
  testing::plain_line_memory memory;
  snooping_bus without_caches({}, 2, bus_bench::memory_at, clock, memory);
  EXPECT_TRUE(testing::names(problem([&] { without_caches.lines(1).ask(shared, 0x1000, 0, 0); }),
                             {"cycle 0", "master 1", "0x1000", "no cache", "set_client"}));
  lines.ask(shared, 0x1000, 3, 0);
  EXPECT_TRUE(
      testing::names(problem([&] { lines.ask(shared, 0x2000, 3, 0); }), {"master 0", "tag 3"}));
  EXPECT_TRUE(testing::names(problem([&] { lines.ask(shared, 0x2000, 8, 0); }), {"tag 8"}));
  for (const std::uint64_t line : {0x3000U, 0x4000U}) lines.write_back(line, {}, 0);
  EXPECT_TRUE(
      testing::names(problem([&] { lines.write_back(0x5000, {}, 0); }), {"0x5000", "2 wait"}));
  processor_port& words = b.bus.words(0);
  EXPECT_TRUE(testing::names(problem([&] { words.check(0, load_of(0x1000)); }), {"0x1000"}));
  EXPECT_TRUE(testing::names(problem([&] { words.check(0, load_of(device_base + 4)); }), {"word"}));
  access add = load_of(device_base);
  add.function = function_of(operation::fetch_add, 1);
  EXPECT_TRUE(testing::names(problem([&] { words.check(0, add); }), {"no load or store"}));
  access linked = load_of(device_base);
  linked.kind = access_kind::load_linked;
  EXPECT_TRUE(testing::names(problem([&] { words.check(0, linked); }), {"no load or store"}));
  for (unsigned i = 0; i < 4; ++i) words.offer(0, load_of(device_base), 0);
  EXPECT_TRUE(
      testing::names(problem([&] { words.offer(0, load_of(device_base), 0); }), {"4 wait"}));
}

// --- statistics, traces, checkpoints -------------------------------------------------------------

TEST(snooping_bus, tells_how_busy_it_was) {
  bus_bench b;
  b.offer(0, 10, load_of(0x1000, 1));
  b.run();
  statistics_tree tree;
  b.bus.report(tree.root(), 100);
  EXPECT_DOUBLE_EQ(tree.find("address.utilisation"), 0.02);
  EXPECT_DOUBLE_EQ(tree.find("data.utilisation"), 0.08);
  b.bus.reset_statistics();
  for (const flat_statistic& each : testing::report_of(b.bus).flatten()) {
    EXPECT_FALSE(each.value > 0) << each.path << " = " << each.value;
  }
}

TEST(snooping_bus, phases_are_events) {
  bus_bench b;
  testing::unit_trace trace(b.bus);
  b.offer(0, 10, store_of(0x1008, 1, 1));
  b.offer(1, 100, load_of(0x1008, 2));
  b.run();
  texts seen;
  for (const trace_event& each : trace.events()) {
    std::string text =
        fmt::format("{} {} {} to {}", trace.track(each), each.kind->name, each.cycle, each.last);
    trace.catalog.for_each_detail(each, [&](const char* name, std::uint64_t value,
                                            const std::string* of_value) {
      text += fmt::format(", {} {}", name, of_value == nullptr ? fmt::to_string(value) : *of_value);
    });
    seen.push_back(text);
  }
  EXPECT_EQ(seen,
            (texts{"bus.address address_phase 14 to 15, transaction read_exclusive, master 0, "
                   "verdict pass",
                   "bus.address address_phase 104 to 105, transaction read, master 1, verdict pass",
                   "bus.data data_phase 36 to 43, transaction read_exclusive, master 0, source 2",
                   "bus.data data_phase 114 to 121, transaction read, master 1, source 0"}));
}

/// Four processors and a device, and what they ask for.
struct saved_bench {
  saved_bench() : b(4, {}, testing::bus_cache(64)) { b.bus.attach(scripted_device::range, device); }

  /// Asks in some of the cycles behind `from` up to `last`, and runs until then.
  void go_on(cycle_t from, cycle_t last) {
    for (cycle_t when = 10; when <= last; when += 13) {
      if (when <= from) continue;
      const std::size_t master = when % 4;
      const std::uint64_t address = 0x1000 + when % 7 * 16;
      b.at(when, [this, master, address, when] {
        if (!b.caches(master).can_take()) return;
        b.caches(master).offer(
            master, when % 3 == 0 ? store_of(address, when, when) : load_of(address, when), when);
      });
      if (when % 5 == 0) b.offer_word(master, when, posted_store(device_base, when, when));
    }
    b.run(last);
  }
  texts state() const {
    texts all{b.clock.save(), b.bus.save()};
    for (const auto& each : b.processors) all.push_back(each->unit.save());
    return all;
  }
  void restore(const saved_bench& other) {
    b.clock.restore(other.b.clock.save());
    b.bus.restore(other.b.bus.save());
    b.memory.lines = other.b.memory.lines;
    for (std::size_t i = 0; i < 4; ++i) b.caches(i).restore(other.b.processors[i]->unit.save());
  }

  bus_bench b;
  scripted_device device;
};

TEST(snooping_bus, goes_on_from_a_saved_state) {
  bool was_busy = false;
  // At edges and between them, in the middle of what is under way.
  for (const cycle_t when : {12U, 21U, 37U, 100U, 333U, 721U}) {
    saved_bench first;
    first.go_on(0, when);
    was_busy = was_busy || !first.b.bus.idle();
    saved_bench second;
    second.restore(first);
    EXPECT_EQ(second.state(), first.state());
    for (saved_bench* const each : {&first, &second}) each->go_on(when, 2000);
    EXPECT_EQ(second.state(), first.state()) << when;
    EXPECT_EQ(second.b.memory.lines, first.b.memory.lines) << when;
  }
  EXPECT_TRUE(was_busy);
}

/// What a machine says to a state that is no state of it, when it is restored or goes on; "" if it
/// cannot tell the two apart.
std::string said_of(const saved_bench& saved, const std::string& of_bus,
                    const std::string& of_cache, cycle_t when) {
  saved_bench forged;
  forged.restore(saved);
  return failure<error>([&] {
    forged.b.bus.restore(of_bus);
    forged.b.caches(1).restore(of_cache);
    forged.go_on(when, when + 200);
  });
}

/// Whatever one of many bytes becomes: no place that is none is used, which the sanitizers see.
TEST(snooping_bus, a_forged_state_is_refused_or_does_no_harm) {
  for (const cycle_t when : {100U, 333U}) {
    saved_bench saved;
    saved.go_on(0, when);
    const std::string bus = saved.b.bus.save();
    const std::string own = saved.b.processors[1]->unit.save();
    EXPECT_EQ(said_of(saved, bus, own, when), "");
    std::size_t refused = 0;
    for (std::size_t i = 0; i < bus.size(); i += 3) {
      std::string forged = bus;
      forged[i] = static_cast<char>(forged[i] ^ (i / 3 % 2 == 0 ? '\x01' : '\xfe'));
      if (!said_of(saved, forged, own, when).empty()) ++refused;
    }
    EXPECT_GT(refused, 70U);
    refused = 0;
    for (std::size_t i = 0; i < own.size(); i += 3) {
      std::string forged = own;
      forged[i] = static_cast<char>(forged[i] ^ (i / 3 % 2 == 0 ? '\x01' : '\xfe'));
      if (!said_of(saved, bus, forged, when).empty()) ++refused;
    }
    EXPECT_GT(refused, 20U);
  }
}

TEST(snooping_bus, the_state_of_another_bus_is_refused) {
  bus_bench two(2);
  bus_bench three(3);
  EXPECT_NE(failure<input_error>([&] { three.bus.restore(two.bus.save()); }), "");
  snooping_bus_config config;
  config.outstanding = 3;
  bus_bench shallow(2, config);
  EXPECT_NE(failure<input_error>([&] { shallow.bus.restore(two.bus.save()); }), "");
  EXPECT_NE(failure<input_error>([&] { two.bus.restore("short"); }), "");
}

}  // namespace
}  // namespace tributary
