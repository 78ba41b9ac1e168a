// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/cache/cache.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/cache_bench.h>
#include <support/failure.h>
#include <support/random_choice.h>
#include <support/timed_actions.h>

namespace tributary {
namespace {

using testing::failure;
using testing::load_of;
using testing::of_kind;
using testing::statistic;
using testing::store_of;

constexpr std::uint64_t line_bytes = 128;

using bench = testing::cache_bench;
using completions = std::vector<bench::told>;
using asked_lines = std::vector<bench::asked_line>;

access prefetch_of(std::uint64_t address, std::uint64_t tag) {
  return of_kind(access_kind::prefetch, load_of(address, tag));
}

TEST(cache, a_miss_asks_after_the_search_and_ends_with_its_word) {
  bench b;
  b.memory(0x1018) = 7;
  b.offer(10, load_of(0x1018, 1));
  b.run();
  EXPECT_EQ(b.asked, (asked_lines{{30, line_want::shared, 0x1018}})) << "20 cycles of search";
  EXPECT_EQ(b.completions, (completions{{130, 1, 7}}));
  EXPECT_EQ(b.unit.state_of(0x1000), line_state::shared);
  EXPECT_TRUE(b.unit.idle());
}

TEST(cache, a_hit_takes_what_its_level_takes) {
  bench b;
  b.memory(0x1008) = 1;
  b.memory(0x1048) = 2;
  b.offer(10, load_of(0x1000, 1));
  b.offer(1000, load_of(0x1008, 2));  // in the same 64 bytes
  b.offer(1010, load_of(0x1048, 3));  // in the same 128 bytes
  b.offer(1100, load_of(0x1048, 4));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1000, 2, 1}, {1060, 3, 2}, {1100, 4, 2}}));
  EXPECT_EQ(b.asked.size(), 1U);
  EXPECT_EQ(statistic(b.unit, "hits.level_1"), 2);
  EXPECT_EQ(statistic(b.unit, "hits.level_2"), 1);
}

TEST(cache, words_behind_the_first_come_later) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(11, load_of(0x1010, 2));   // word 2 = 3 xor 1
  b.offer(131, load_of(0x1058, 3));  // word 11 = 3 xor 8: a hit of level 2 would be there in 181
  b.offer(132, load_of(0x1078, 4));  // word 15 = 3 xor 12
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {134, 2, 0}, {181, 3, 0}, {181, 4, 0}}));
}

TEST(cache, a_line_that_comes_is_in_the_first_level_at_once) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(131, load_of(0x1010, 2));  // word 2 = 3 xor 1: the second that comes
  b.offer(200, load_of(0x1000, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {134, 2, 0}, {200, 3, 0}}));
  EXPECT_EQ(statistic(b.unit, "hits.level_1"), 2);
}

TEST(cache, a_prefetched_line_is_in_the_first_level_at_once_though_nobody_waits) {
  bench b;
  b.offer(10, prefetch_of(0x1018, 1));
  b.offer(140, load_of(0x1010, 2));
  b.run();
  EXPECT_EQ(b.completions, (completions{{10, 1, 0}, {140, 2, 0}}));
}

TEST(cache, what_an_access_that_joined_is_about_is_in_the_first_level_at_once) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(12, load_of(0x1078, 2));   // word 15 = 3 xor 12, in the other half
  b.offer(165, load_of(0x1058, 3));  // word 11 = 3 xor 8, which came in 162
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {165, 3, 0}, {178, 2, 0}}));
}

TEST(cache, the_other_half_of_a_line_is_a_hit_of_the_second_level) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(300, load_of(0x1040, 2));
  b.offer(400, load_of(0x1048, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {350, 2, 0}, {400, 3, 0}}));
}

TEST(cache, an_access_that_joined_is_done_with_its_own_word) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(11, load_of(0x1000, 2));   // word 0 = 3 xor 3
  b.offer(12, load_of(0x1078, 3));   // word 15 = 3 xor 12, in the other half
  b.offer(200, load_of(0x1040, 4));  // which the access before has brought into the first level
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {142, 2, 0}, {178, 3, 0}, {200, 4, 0}}));
}

TEST(cache, a_prefetch_ends_in_the_first_level) {
  bench b;
  b.offer(10, prefetch_of(0x1000, 1));
  b.offer(300, load_of(0x1008, 2));
  b.offer(400, prefetch_of(0x1040, 3));  // of the half that is in the second level only
  b.offer(420, load_of(0x1048, 4));
  b.run();
  EXPECT_EQ(b.completions, (completions{{10, 1, 0}, {300, 2, 0}, {400, 3, 0}, {450, 4, 0}}));
}

TEST(cache, a_prefetch_to_write_shared_words_brings_them_to_the_first_level) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(300, of_kind(access_kind::prefetch_exclusive, load_of(0x1040, 2)));
  b.offer(600, store_of(0x1040, 5, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {300, 2, 0}, {600, 3, 0}}));
}

TEST(cache, accesses_to_a_line_that_is_asked_for_join_in_order) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(11, store_of(0x1000, 5, 2));
  b.offer(12, load_of(0x1000, 3));
  b.run();
  EXPECT_EQ(b.asked,
            (asked_lines{{30, line_want::shared, 0x1000}, {130, line_want::upgrade, 0x1000}}))
      << "the store waits behind a read and needs more than the read asked for";
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {230, 2, 0}, {230, 3, 5}}));
  EXPECT_EQ(b.unit.state_of(0x1000), line_state::modified);
  EXPECT_EQ(statistic(b.unit, "joined"), 2);
}

TEST(cache, accesses_to_other_lines_pass_a_miss) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(500, store_of(0x2000, 5, 2));
  b.offer(501, load_of(0x1000, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {501, 3, 0}, {620, 2, 0}}));
}

TEST(cache, one_access_begins_in_a_cycle) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  for (std::uint64_t tag = 2; tag < 5; ++tag) b.offer(1000, load_of(0x1000, tag));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1000, 2, 0}, {1001, 3, 0}, {1002, 4, 0}}));
}

TEST(cache, a_fifth_line_waits_until_one_has_come) {
  bench b;
  for (std::uint64_t i = 0; i < 5; ++i) b.offer(10, load_of(0x1000 + i * 0x100, i));
  b.run(200);
  ASSERT_EQ(b.asked.size(), 4U);
  EXPECT_EQ(b.asked[3].cycle, 33U);
  b.run();
  ASSERT_EQ(b.asked.size(), 5U);
  // The first line has its last word 60 cycles after its first.
  EXPECT_EQ(b.asked[4].cycle, 130U + 60 + 20);
  EXPECT_EQ(b.completions.back().tag, 4U);
}

TEST(cache, the_least_recently_used_line_leaves_behind_the_request) {
  cache_config config;
  config.levels.back().bytes = std::uint64_t{32} << 10;
  bench b(config);
  const std::uint64_t way = std::uint64_t{16} << 10;
  b.offer(10, store_of(0, 9, 1));
  b.offer(1000, load_of(way, 2));
  b.offer(2000, load_of(2 * way, 3));  // line 0 leaves, which was used first
  b.offer(3000, load_of(3 * way, 4));
  b.run();
  const std::vector<std::string> expected{"ask 0",  "ask 16384", "ask 32768",
                                          "back 0", "ask 49152", "hint 16384"};
  EXPECT_EQ(b.left, expected);
  EXPECT_EQ(b.memory(0), 9U);
  EXPECT_EQ(b.unit.state_of(0), line_state::invalid);
  EXPECT_EQ(b.unit.state_of(2 * way), line_state::shared);
  EXPECT_EQ(statistic(b.unit, "write_backs"), 1);
  EXPECT_EQ(statistic(b.unit, "replacement_hints"), 1);
}

/// A set of two lines that are read, the first once more, and a third: which of them are there.
std::vector<bool> lines_left(replacement_policy replacement) {
  cache_config config;
  config.levels.back().bytes = std::uint64_t{32} << 10;
  config.levels.back().replacement = replacement;
  bench b(config);
  const std::uint64_t way = std::uint64_t{16} << 10;
  b.offer(10, load_of(0, 1));
  b.offer(1000, load_of(way, 2));
  b.offer(2000, load_of(64, 3));  // a hit of the second level
  b.offer(3000, load_of(2 * way, 4));
  b.run();
  std::vector<bool> there;
  for (std::uint64_t i = 0; i < 3; ++i) {
    there.push_back(b.unit.state_of(i * way) != line_state::invalid);
  }
  return there;
}

TEST(cache, the_line_that_leaves_is_a_choice) {
  EXPECT_EQ(lines_left(replacement_policy::least_recent), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(lines_left(replacement_policy::first_in), (std::vector<bool>{false, true, true}));
}

TEST(cache, levels_choose_by_themselves) {
  cache_config config;
  config.levels.front().replacement = replacement_policy::first_in;
  bench b(config);
  const std::uint64_t way = std::uint64_t{16} << 10;
  b.offer(10, load_of(0, 1));
  b.offer(1000, load_of(way, 2));
  b.offer(2000, load_of(0, 3));
  b.offer(3000, load_of(2 * way, 4));
  b.offer(4000, load_of(way, 5));
  b.offer(5000, load_of(0, 6));
  b.run();
  ASSERT_EQ(b.completions.size(), 6U);
  EXPECT_EQ(b.completions[4].cycle, 4000U);
  EXPECT_EQ(b.completions[5].cycle, 5050U) << "line 0 left the first level, though used last";
}

/// One line more than a set of four ways holds, again and again.
class crowded_set : public bench {
 public:
  static constexpr std::uint64_t lines = 5;

  crowded_set() : bench(config()) {}
  /// Round after round, 1000 cycles for each line.
  void read(std::uint64_t first_round, std::uint64_t rounds) {
    for (std::uint64_t i = first_round * lines; i < (first_round + rounds) * lines; ++i) {
      offer(1000 * (i + 1), load_of(i % lines << 14U, i));
    }
    run(1000 * (first_round + rounds) * lines + 900);
  }
  /// How often each line left.
  std::vector<std::uint64_t> departures() const {
    std::vector<std::uint64_t> times(lines);
    for (std::uint64_t i = 0; i < lines; ++i) {
      times[i] = static_cast<std::uint64_t>(
          std::count(left.begin(), left.end(), "hint " + std::to_string(i << 14U)));
    }
    return times;
  }

 private:
  static cache_config config() {
    cache_config config;
    config.levels.front().replacement = replacement_policy::random;
    config.levels.back().bytes = std::uint64_t{64} << 10;
    config.levels.back().ways = 4;
    config.levels.back().replacement = replacement_policy::random;
    return config;
  }
};

TEST(cache, a_random_line_leaves_in_every_run_the_same) {
  crowded_set one;
  crowded_set other;
  one.read(0, 400);
  other.read(0, 400);
  EXPECT_EQ(one.left, other.left);
  std::uint64_t all = 0;
  for (const std::uint64_t each : one.departures()) {
    EXPECT_GT(each, 50U) << "each line leaves now and then";
    all += each;
  }
  EXPECT_LT(all, 1600U) << "of 2000 reads; in turns of the least recent none would be a hit";
}

/// Whatever a byte becomes: it is refused by what is wrong, or does no harm, which the sanitizers
/// see.
TEST(cache, a_forged_state_is_refused_by_what_is_wrong) {
  cache_config config;
  config.levels.erase(config.levels.begin());
  config.levels.back().bytes = 1024;
  bench saved(config);
  saved.answers = false;
  saved.offer(10, load_of(0x1000, 1));
  saved.offer(11, load_of(0x2000, 2));
  saved.at(60, [&] { saved.answer(0, line_want::shared, 0x1000, 60); });
  saved.run(61);
  const std::string state = saved.unit.save();
  std::string all;
  const auto forge = [&](std::size_t place, unsigned with) {
    std::string forged = state;
    forged[place] = static_cast<char>(static_cast<unsigned char>(forged[place]) ^ with);
    bench restored(config);
    restored.clock.restore(saved.clock.save());
    const std::string said = failure<error>([&] {
      restored.unit.restore(forged);
      restored.at(70, [&] { restored.answer(1, line_want::shared, 0x2000, 70); });
      restored.run(2000);
    });
    if (all.find(said) == std::string::npos) all += said + "\n";
  };
  for (std::size_t i = 0; i < state.size(); ++i) {
    for (const unsigned with : {0x01U, 0x05U, 0xfeU}) forge(i, with);
  }
  for (const char* const each :
       {"a line of the cache is in no state", "a miss of the cache is at no stage",
        "a miss of the cache has no place", "the cache counts other accesses",
        "an access of the cache waits for another line"}) {
    EXPECT_NE(all.find(each), std::string::npos) << each << " is not said in\n" << all;
  }
}

TEST(cache, random_choices_go_on_from_a_saved_state) {
  crowded_set first;
  first.read(0, 20);
  crowded_set second;
  second.clock.restore(first.clock.save());
  second.unit.restore(first.unit.save());
  first.left.clear();
  for (crowded_set* const each : {&first, &second}) each->read(20, 20);
  EXPECT_EQ(first.left, second.left);
  EXPECT_EQ(first.unit.save(), second.unit.save());
}

/// Levels of one way, each four times as large as the one before.
cache_config stacked(std::size_t levels) {
  cache_config config;
  config.levels = {{1024, 1, 32, 1}, {4096, 1, 64, 7}, {std::uint64_t{16} << 10, 1, 128, 50}};
  config.levels.resize(levels);
  config.levels.back().line_bytes = line_bytes;
  return config;
}

TEST(cache, levels_stack_and_each_takes_its_own_time) {
  for (const std::size_t levels : {1U, 2U, 3U}) {
    const cache_config config = stacked(levels);
    for (std::size_t level = 0; level < levels; ++level) {
      SCOPED_TRACE(std::to_string(levels) + " levels, a hit in " + std::to_string(level + 1));
      bench b(config);
      b.offer(10, load_of(0, 1));
      // Takes the place in all levels before.
      if (level != 0) b.offer(1000, load_of(config.levels[level - 1].bytes, 2));
      b.offer(2000, load_of(0, 3));
      b.run();
      EXPECT_EQ(b.asked.size(), level == 0 ? 1U : 2U);
      EXPECT_EQ(b.completions.back(), (bench::told{2000 + config.levels[level].hit_cycles, 3, 0}));
      EXPECT_EQ(statistic(b.unit, "hits.level_" + std::to_string(level + 1)), 1);
    }
  }
}

TEST(cache, programs_see_the_same_words_in_any_number_of_levels) {
  for (const std::size_t levels : {1U, 2U, 3U}) {
    cache_config config = stacked(levels);
    for (cache_level_config& each : config.levels) each.bytes /= 4;
    bench b(config);
    random_stream random(1, 0U, 0U);
    std::map<std::uint64_t, word_t> memory;
    std::map<std::uint64_t, word_t> expected;  // by tag, of the loads
    for (std::uint64_t tag = 1; tag <= 2000; ++tag) {
      const std::uint64_t address = random.below(1024) * 8;
      if (random.below(2) == 0) {
        memory[address] = tag;
        b.offer(tag * 200, store_of(address, tag, tag));
      } else {
        expected[tag] = memory[address];
        b.offer(tag * 200, load_of(address, tag));
      }
    }
    b.run(500000);
    EXPECT_TRUE(b.unit.idle());
    EXPECT_EQ(b.completions.size(), 2000U);
    std::map<std::uint64_t, word_t> loaded;
    for (const bench::told& each : b.completions) {
      if (expected.count(each.tag) != 0) loaded[each.tag] = each.value;
    }
    EXPECT_EQ(loaded, expected);
    for (std::size_t i = 0; i < levels; ++i) {
      EXPECT_GT(statistic(b.unit, "hits.level_" + std::to_string(i + 1)), 0);
    }
    EXPECT_GT(statistic(b.unit, "write_backs"), 0);
  }
}

TEST(cache, shared_lines_leave_unseen_without_hints) {
  cache_config config;
  config.levels.back().bytes = std::uint64_t{32} << 10;
  config.replacement_hints = false;
  bench b(config);
  for (std::uint64_t i = 0; i < 3; ++i) b.offer(10 + 1000 * i, load_of(i << 14U, i));
  b.run();
  EXPECT_EQ(b.left, (std::vector<std::string>{"ask 0", "ask 16384", "ask 32768"}));
}

TEST(cache, asks_when_the_port_has_room) {
  bench b;
  b.has_room = false;
  b.offer(10, load_of(0x1000, 1));
  b.at(500, [&] {
    b.has_room = true;
    b.unit.room(500);
  });
  b.run();
  EXPECT_EQ(b.asked, (asked_lines{{500, line_want::shared, 0x1000}}));
}

TEST(cache, interventions_take_what_they_say) {
  struct row {
    access before;
    intervention asked;
    line_state found;
    line_state left;
  };
  const std::vector<row> rows{
      {load_of(0x1000), intervention::get, line_state::shared, line_state::shared},
      {load_of(0x1000), intervention::get_exclusive, line_state::shared, line_state::invalid},
      {load_of(0x1000), intervention::invalidate, line_state::shared, line_state::invalid},
      {store_of(0x1000, 6), intervention::get, line_state::modified, line_state::shared},
      {store_of(0x1000, 6), intervention::get_exclusive, line_state::modified, line_state::invalid},
      {store_of(0x1000, 6), intervention::invalidate, line_state::modified, line_state::invalid},
      {of_kind(access_kind::prefetch_exclusive, load_of(0x1000)), intervention::get,
       line_state::exclusive, line_state::shared},
      {load_of(0x2000), intervention::get, line_state::invalid, line_state::invalid}};
  for (const row& each : rows) {
    SCOPED_TRACE(std::string(name_of(each.asked)) + " of " + name_of(each.found));
    bench b;
    b.offer(10, each.before);
    b.offer(1000, load_of(0x1000 + (each.found == line_state::invalid ? 0x3000 : 0), 1));
    b.run(5000);
    const found_line found = b.unit.intervene(each.asked, 0x1000, 5000);
    EXPECT_EQ(found.before, each.found);
    EXPECT_EQ(found.words[0], each.found == line_state::modified ? 6U : 0U);
    EXPECT_EQ(b.unit.state_of(0x1000), each.left);
    const std::size_t asked = b.asked.size();
    b.offer(6000, load_of(0x1000, 2));
    b.run();
    EXPECT_EQ(b.asked.size(), asked + (each.left == line_state::invalid ? 1 : 0))
        << "no level keeps a line that was taken";
  }
}

cache_config moesi_caches() {
  cache_config config;
  config.states = cache_states::moesi;
  return config;
}

TEST(cache, moesi_keeps_a_changed_line_that_others_read) {
  bench b(moesi_caches());
  b.offer(10, store_of(0x1000, 5, 1));
  b.run(2000);
  ASSERT_EQ(b.unit.state_of(0x1000), line_state::modified);
  const found_line found = b.unit.intervene(intervention::get, 0x1000, b.clock.now());
  EXPECT_EQ(found.before, line_state::modified);
  EXPECT_EQ(found.left, line_state::owned);
  EXPECT_EQ(found.words[0], 5U);
  const found_line again = b.unit.intervene(intervention::get, 0x1000, b.clock.now());
  EXPECT_EQ(again.before, line_state::owned);
  EXPECT_EQ(again.left, line_state::owned);
  // It serves loads; a store asks for an upgrade.
  b.offer(3000, load_of(0x1000, 2));
  b.offer(3100, store_of(0x1008, 6, 3));
  b.run(6000);
  ASSERT_EQ(b.asked.size(), 2U);
  EXPECT_EQ(b.asked.back().want, line_want::upgrade);
  EXPECT_EQ(b.unit.state_of(0x1000), line_state::modified);
  EXPECT_EQ(b.unit.word_at(0x1000), 5U);
  EXPECT_EQ(b.unit.intervene(intervention::get_exclusive, 0x1000, b.clock.now()).left,
            line_state::invalid);
  EXPECT_EQ(b.unit.state_of(0x1000), line_state::invalid);
}

TEST(cache, moesi_writes_back_what_memory_does_not_have) {
  constexpr std::uint64_t way = std::uint64_t{1} << 19;
  struct step {
    bool store;
    bool others_read;
    bool changed;
    const char* left;
  };
  // An exclusive line that another cache had changed is changed, though nobody has stored.
  for (const step& each : {step{true, false, false, "back 4096"},
                           {true, true, false, "back 4096"},
                           {false, false, false, "hint 4096"},
                           {false, false, true, "back 4096"}}) {
    cache_config config = moesi_caches();
    config.levels.back().ways = 1;
    bench b(config);
    b.answers = false;
    b.offer(10, each.store ? store_of(0x1000, 5, 1) : load_of(0x1000, 1));
    b.at(500, [&] {
      line_answer answer;
      answer.exclusive = true;
      answer.changed = each.changed;
      b.unit.filled(0, answer, 500);
    });
    b.run(1000);
    if (each.others_read) b.unit.intervene(intervention::get, 0x1000, b.clock.now());
    b.offer(2000, load_of(0x1000 + 2 * way, 2));
    b.run(3000);
    EXPECT_EQ(b.left.back(), each.left);
  }
}

TEST(cache, a_direct_mapped_megabyte_of_short_lines_is_a_configuration) {
  cache_config config = moesi_caches();
  config.levels = {{std::uint64_t{1} << 20, 1, 32, 0}};
  EXPECT_NO_THROW(config.validate());
  const statistics_tree tree = testing::report_of(bench(config).unit);
  EXPECT_EQ(tree.find("interventions.get.owned"), 0);
  EXPECT_NE(failure([] {
              const statistics_tree mesi = testing::report_of(bench().unit);
              mesi.find("interventions.get.owned");
            }),
            "")
      << "MESI has no owned lines";
}

TEST(cache, a_conditional_store_stores_if_its_line_stayed) {
  const access linked = of_kind(access_kind::load_linked, load_of(0x1000, 1));
  const access conditional = of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2));
  bench b;
  b.offer(10, linked);
  b.offer(1000, conditional);
  b.offer(2000, of_kind(access_kind::store_conditional, store_of(0x1000, 9, 3)));
  b.offer(3000, load_of(0x1000, 4));
  b.run();
  EXPECT_EQ(b.asked,
            (asked_lines{{30, line_want::shared, 0x1000}, {1020, line_want::upgrade, 0x1000}}));
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1120, 2, 1}, {2000, 3, 0}, {3000, 4, 8}}))
      << "a pair is good for one store";
  EXPECT_EQ(statistic(b.unit, "conditional_stores"), 2);
  EXPECT_EQ(statistic(b.unit, "conditional_stores_failed"), 1);
}

TEST(cache, a_conditional_store_that_lost_its_line_asks_for_nothing) {
  bench b;
  b.offer(10, of_kind(access_kind::load_linked, load_of(0x1000, 1)));
  b.at(500, [&] { b.unit.intervene(intervention::invalidate, 0x1000, 500); });
  b.offer(1000, of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2)));
  b.run();
  EXPECT_EQ(b.asked.size(), 1U);
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1000, 2, 0}}));
}

TEST(cache, a_conditional_store_fails_when_its_upgrade_is_refused_for_an_invalidation) {
  bench b;
  b.offer(10, of_kind(access_kind::load_linked, load_of(0x1000, 1)));
  b.offer(1000, of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2)));
  b.at(1050, [&] {
    b.unit.intervene(intervention::invalidate, 0x1000, 1050);
    b.refuses = true;
  });
  b.run();
  EXPECT_EQ(b.asked.size(), 2U);
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1120, 2, 0}}));
  EXPECT_TRUE(b.unit.idle());
}

/// Elements 4 and 5 are the processes of one processor.
TEST(cache, each_process_remembers_a_line_of_its_own) {
  const auto linked = [](std::uint64_t address, std::uint64_t tag) {
    return of_kind(access_kind::load_linked, load_of(address, tag));
  };
  const auto conditional = [](std::uint64_t address, std::uint64_t tag) {
    return of_kind(access_kind::store_conditional, store_of(address, 8, tag));
  };
  bench b({}, 2);
  b.offer(10, linked(0x1000, 1), 4);
  b.offer(500, linked(0x2000, 2), 5);
  b.offer(1000, conditional(0x1000, 3), 4);
  b.offer(2000, conditional(0x2000, 4), 5);
  b.offer(3000, linked(0x1000, 5), 5);
  b.offer(3010, conditional(0x1000, 6), 4);
  b.offer(3020, conditional(0x1000, 7), 5);
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0},
                                        {600 + 20, 2, 0},
                                        {1120, 3, 1},
                                        {2120, 4, 1},
                                        {3000, 5, 8},
                                        {3010, 6, 0},
                                        {3020, 7, 1}}))
      << "one that has stored no longer remembers, and one that has not takes nothing away";
}

/// What another process has written, by whatever store, is not overwritten by a pair before it.
TEST(cache, a_process_forgets_a_line_when_another_one_writes_there) {
  for (const access& written :
       {store_of(0x1008, 5, 9), of_kind(access_kind::store_conditional, store_of(0x1000, 5, 9))}) {
    bench b({}, 2);
    b.offer(10, of_kind(access_kind::load_linked, load_of(0x1000, 1)), 0);
    b.offer(300, of_kind(access_kind::load_linked, load_of(0x1000, 2)), 1);
    b.offer(500, written, 1);
    b.offer(900, of_kind(access_kind::load_linked, load_of(0x1000, 3)), 1);
    b.offer(1000, of_kind(access_kind::store_conditional, store_of(0x1000, 8, 4)), 0);
    b.run();
    ASSERT_EQ(b.completions.size(), 5U);
    EXPECT_EQ(b.completions.back(), (bench::told{1000, 4, 0}));
  }
}

/// With the line goes the link of every process.
TEST(cache, all_processes_forget_a_line_that_leaves) {
  bench b({}, 2);
  for (const std::size_t element : {0U, 1U}) {
    b.offer(10 + 200 * element, of_kind(access_kind::load_linked, load_of(0x1000, element)),
            element);
  }
  b.at(500, [&] { b.unit.intervene(intervention::invalidate, 0x1000, 500); });
  for (const std::size_t element : {0U, 1U}) {
    b.offer(600 + element,
            of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2 + element)), element);
  }
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 0, 0}, {210, 1, 0}, {600, 2, 0}, {601, 3, 0}}));
}

TEST(cache, is_of_the_processes_of_one_processor) {
  bench b({}, 2);
  b.unit.offer(4, load_of(0x1000), 10);
  EXPECT_EQ(failure([&] { b.unit.offer(5, load_of(0x1000), 11); }), "");
  EXPECT_NE(failure([&] { b.unit.offer(6, load_of(0x1000), 12); }).find("element 6"),
            std::string::npos);
}

TEST(cache, a_store_whose_upgrade_is_refused_asks_for_the_line) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(1000, store_of(0x1000, 8, 2));
  b.at(1050, [&] {
    b.unit.intervene(intervention::invalidate, 0x1000, 1050);
    b.refuses = true;
  });
  b.at(1130, [&] { b.refuses = false; });
  b.run();
  EXPECT_EQ(b.asked, (asked_lines{{30, line_want::shared, 0x1000},
                                  {1020, line_want::upgrade, 0x1000},
                                  {1160, line_want::exclusive, 0x1000}}))
      << "40 cycles after the refusal";
  EXPECT_EQ(b.completions.back(), (bench::told{1260, 2, 0}));
}

TEST(cache, prefetches_wait_for_nothing_and_are_given_up) {
  bench b;
  b.offer(10, prefetch_of(0x1000, 1));
  b.offer(100, load_of(0x1000, 2));
  b.offer(1000, prefetch_of(0x1000, 3));
  b.offer(2000, of_kind(access_kind::prefetch_exclusive, load_of(0x1000, 4)));
  b.at(2500, [&] { b.refuses = true; });
  b.offer(3000, prefetch_of(0x2000, 5));
  b.run();
  EXPECT_EQ(b.completions,
            (completions{{10, 1, 0}, {130, 2, 0}, {1000, 3, 0}, {2000, 4, 0}, {3000, 5, 0}}));
  EXPECT_EQ(b.asked, (asked_lines{{30, line_want::shared, 0x1000},
                                  {2020, line_want::upgrade, 0x1000},
                                  {3020, line_want::shared, 0x2000}}));
  EXPECT_EQ(b.unit.state_of(0x1000), line_state::exclusive);
  EXPECT_EQ(b.unit.state_of(0x2000), line_state::invalid);
  EXPECT_TRUE(b.unit.idle());
}

TEST(cache, prefetches_without_a_free_miss_wait_or_are_dropped) {
  for (const bool wait : {true, false}) {
    SCOPED_TRACE(wait ? "wait" : "dropped");
    cache_config config;
    config.outstanding = 1;
    config.prefetches_wait = wait;
    bench b(config);
    b.offer(10, load_of(0x1000, 1));
    b.offer(11, prefetch_of(0x2000, 2));
    b.offer(12, prefetch_of(0x1000, 3));
    b.run();
    EXPECT_EQ(b.asked.size(), wait ? 2U : 1U);
    EXPECT_EQ(b.unit.state_of(0x2000), wait ? line_state::shared : line_state::invalid);
    EXPECT_EQ(testing::statistic(b.unit, "prefetches_dropped"), wait ? 0 : 1);
    ASSERT_EQ(b.completions.size(), 3U);
    const std::uint64_t last = b.completions.back().tag;
    EXPECT_EQ(last, wait ? 3U : 1U) << "what is behind a prefetch waits with it";
    EXPECT_TRUE(b.unit.idle());
  }
}

TEST(cache, answers_that_nobody_asked_for_are_refused) {
  bench b;
  const std::string problem = failure([&] { b.unit.refused(2, 0); });
  EXPECT_NE(problem.find("tag 2"), std::string::npos) << problem;
  EXPECT_NE(failure([&] { b.unit.offer(0, load_of(4), 0); }).find("0x4"), std::string::npos);
}

TEST(cache, levels_that_do_not_nest_are_refused_by_key) {
  const auto key_of = [](const std::function<void(cache_config&)>& change) {
    cache_config config;
    change(config);
    return failure<configuration_error>([&] { config.validate(); });
  };
  EXPECT_EQ(key_of([](cache_config&) {}), "");
  EXPECT_NE(key_of([](cache_config& c) { c.levels[0].bytes = 3000; }).find("levels.0.bytes"),
            std::string::npos);
  EXPECT_NE(
      key_of([](cache_config& c) { c.levels[1].line_bytes = 96; }).find("levels.1.line_bytes"),
      std::string::npos);
  EXPECT_NE(
      key_of([](cache_config& c) { c.levels[1].line_bytes = 32; }).find("levels.1.line_bytes"),
      std::string::npos);
  EXPECT_NE(key_of([](cache_config& c) { c.levels[1].bytes = 16 << 10; }).find("levels.1.bytes"),
            std::string::npos);
  EXPECT_NE(key_of([](cache_config& c) { c.levels.clear(); }).find("levels"), std::string::npos);
}

/// Memory that others use as well: it takes lines back and refuses, at random. Even words of a line
/// are the processor's, odd ones are counted up by the others.
class contended_bench : private memory_client, private line_port {
 public:
  static constexpr std::uint64_t lines = 12;
  static constexpr std::uint64_t prefetch_tag = 0;

  explicit contended_bench(std::uint64_t seed)
      : random(seed, 0U, 0U), unit(small_cache(random), clock, *this) {
    unit.set_client(this);
    for (cycle_t now = 1; now < 40000; now += 1 + random.below(40)) {
      actions_.at(
          now, [this, now] { act(now); }, wake_rank::processor);
    }
  }

  void run() {
    clock.advance_to(60000);
    ASSERT_TRUE(unit.idle());
    EXPECT_TRUE(offered_.empty()) << "everything that was asked for has come";
    for (std::uint64_t line = 0; line < lines; ++line) take(intervention::get_exclusive, line);
    for (const auto& [address, value] : written_) {
      EXPECT_EQ(word_at(address), value) << "at " << address;
    }
  }

  agenda clock;
  random_stream random;
  cache unit;
  std::uint64_t completed_accesses = 0;
  std::uint64_t stored_pairs = 0;

 private:
  struct open_access {
    std::uint64_t address;
    word_t least;  ///< of a word of others; the exact value of one of the processor's
  };
  struct open_line {
    line_want want;
    std::uint64_t line;
    bool lost = false;
  };

  static cache_config small_cache(random_stream& random) {
    cache_config config;
    config.levels = {{128, 1, 64, 0}, {256, 2, 64, 10}, {512, 2, line_bytes, 50}};
    config.levels.erase(config.levels.begin(),
                        config.levels.begin() + static_cast<std::ptrdiff_t>(random.below(3)));
    for (cache_level_config& each : config.levels) {
      each.replacement =
          testing::one_of(random, {replacement_policy::least_recent, replacement_policy::first_in,
                                   replacement_policy::random});
    }
    config.outstanding = testing::between(random, 1, 4);
    return config;
  }

  word_t& word_at(std::uint64_t address) {
    return memory_[address / line_bytes][address % line_bytes / 8];
  }

  void act(cycle_t now) {
    if (random.below(3) != 0) {
      ask_for_one(now);
    } else {
      const std::uint64_t line = random.below(lines);
      const auto asked = static_cast<intervention>(random.below(intervention_count));
      // As a directory would, which knows who may have changed it.
      const bool changed = unit.state_of(line * line_bytes) > line_state::shared;
      take(changed && asked == intervention::invalidate ? intervention::get_exclusive : asked,
           line);
      if (asked != intervention::get) ++word_at(line * line_bytes + 8);
    }
  }

  void take(intervention asked, std::uint64_t line) {
    const found_line found = unit.intervene(asked, line * line_bytes, clock.now());
    if (found.before > line_state::shared) memory_[line] = found.words;
    if (asked == intervention::get) return;
    for (auto& [tag, open] : open_) {
      if (open.line == line && open.want != line_want::exclusive) open.lost = true;
    }
  }

  void ask_for_one(cycle_t now) {
    if (!unit.can_take()) return;
    const std::uint64_t line = random.below(lines);
    const bool own = random.below(2) == 0;
    const std::uint64_t address = line * line_bytes + (own ? 0 : 8);
    const std::uint64_t tag = next_tag_++;
    if (paired_.count(address) != 0) return;
    if (random.below(8) == 0) {
      unit.offer(
          0,
          of_kind(testing::one_of(random, {access_kind::prefetch, access_kind::prefetch_exclusive}),
                  load_of(address, prefetch_tag)),
          now);
    } else if (own && random.below(4) == 0) {
      offer_pair(address, tag, now);
    } else if (own && random.below(2) == 0) {
      offered_[tag] = {address, written_[address]};
      unit.offer(0, store_of(address, tag, tag), now);
      written_[address] = tag;
    } else {
      offered_[tag] = {address, own ? written_[address] : seen_[address]};
      unit.offer(0, load_of(address, tag), now);
    }
  }

  /// A load-linked and a store-conditional at once; what it left is known when it has ended.
  void offer_pair(std::uint64_t address, std::uint64_t tag, cycle_t now) {
    offered_[tag] = {address, written_[address]};
    unit.offer(0, of_kind(access_kind::load_linked, load_of(address, tag)), now);
    if (!unit.can_take()) return;
    const std::uint64_t second = next_tag_++;
    paired_[address] = second;
    unit.offer(0, of_kind(access_kind::store_conditional, store_of(address, second, second)), now);
  }

  void completed(const completion& ended, cycle_t) override {
    if (ended.tag == prefetch_tag) return;
    for (auto pair = paired_.begin(); pair != paired_.end(); ++pair) {
      if (pair->second != ended.tag) continue;
      if (ended.value == 1) {
        written_[pair->first] = ended.tag;
        ++stored_pairs;
      }
      paired_.erase(pair);
      return;
    }
    const open_access open = offered_.at(ended.tag);
    offered_.erase(ended.tag);
    ++completed_accesses;
    if (open.address % line_bytes == 0) {
      EXPECT_EQ(ended.value, open.least) << "in program order, at " << open.address;
    } else {
      EXPECT_GE(ended.value, open.least) << "what was seen stays seen, at " << open.address;
      EXPECT_LE(ended.value, word_at(open.address));
      word_t& seen = seen_[open.address];
      seen = std::max(seen, ended.value);
    }
  }
  void room(std::size_t, cycle_t) override {}

  bool can_take() const override { return true; }
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override {
    open_[tag] = {want, address / line_bytes};
    const cycle_t at = now + 1 + random.below(200);
    actions_.at(
        at, [this, tag, at] { answer(tag, at); }, wake_rank::processor);
  }
  void answer(std::uint8_t tag, cycle_t now) {
    const open_line open = open_.at(tag);
    open_.erase(tag);
    if (open.lost || random.below(5) == 0) {
      unit.refused(tag, now);
    } else if (open.want == line_want::upgrade) {
      unit.upgraded(tag, now);
    } else {
      line_answer answer;
      answer.exclusive = open.want == line_want::exclusive;
      answer.words = memory_[open.line];
      for (std::size_t i = 0; i < line_bytes / 8; ++i) answer.valid[i] = now + random.below(60);
      unit.filled(tag, answer, now);
    }
  }
  void write_back(std::uint64_t line, const line_data& words, cycle_t) override {
    memory_[line / line_bytes] = words;
  }
  void replaced(std::uint64_t, cycle_t) override {}

  testing::timed_actions actions_{clock};
  std::map<std::uint64_t, line_data> memory_;
  std::map<std::uint8_t, open_line> open_;
  std::map<std::uint64_t, open_access> offered_;
  std::map<std::uint64_t, word_t> written_;
  std::map<std::uint64_t, std::uint64_t> paired_;  // by address, the store-conditional's tag
  std::map<std::uint64_t, word_t> seen_;
  std::uint64_t next_tag_ = 1;
};

TEST(cache, words_are_right_while_others_take_lines) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    contended_bench b(seed);
    b.run();
    EXPECT_GT(b.completed_accesses, 100U);
    EXPECT_GT(b.stored_pairs, 0U);
    if (HasFailure()) return;
  }
}

TEST(cache, a_conditional_store_waits_for_its_load) {
  bench b;
  b.offer(10, of_kind(access_kind::load_linked, load_of(0x1000, 1)));
  b.offer(11, of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2)));
  b.offer(2000, of_kind(access_kind::store_conditional, store_of(0x1000, 9, 3)));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {230, 2, 1}, {2000, 3, 0}}));
}

TEST(cache, a_conditional_store_that_loses_its_line_before_it_asks_does_not_ask) {
  bench b;
  b.offer(10, of_kind(access_kind::load_linked, load_of(0x1000, 1)));
  b.offer(1000, of_kind(access_kind::store_conditional, store_of(0x1000, 8, 2)));
  b.at(1010, [&] { b.unit.intervene(intervention::invalidate, 0x1000, 1010); });
  b.run();
  EXPECT_EQ(b.asked.size(), 1U);
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {1020, 2, 0}}));
  EXPECT_TRUE(b.unit.idle());
}

TEST(cache, stalled_accesses_begin_one_in_a_cycle) {
  cache_config config;
  config.outstanding = 1;
  bench b(config);
  b.offer(10, load_of(0x1000, 1));
  b.offer(500, load_of(0x2000, 2));
  for (std::uint64_t tag = 3; tag < 6; ++tag) b.offer(501, load_of(0x3000, tag));
  for (std::uint64_t tag = 6; tag < 8; ++tag) b.offer(501, load_of(0x1000, tag));
  b.run();
  // The second line is whole in 680. The accesses to the third begin then, and the last two behind.
  const completions expected{{130, 1, 0}, {620, 2, 0}, {683, 6, 0}, {684, 7, 0},
                             {800, 3, 0}, {800, 4, 0}, {800, 5, 0}};
  EXPECT_EQ(b.completions, expected);
}

TEST(cache, goes_on_from_a_saved_state) {
  cache_config config;
  config.outstanding = 3;
  bench first(config);
  first.answers = false;
  first.offer(10, load_of(0x1000, 1));
  first.offer(11, store_of(0x1000, 3, 2));
  first.offer(13, prefetch_of(0x2000, 3));
  first.offer(14, of_kind(access_kind::load_linked, load_of(0x3000, 4)));
  first.offer(15, of_kind(access_kind::store_conditional, store_of(0x3000, 7, 5)));
  first.offer(16, load_of(0x4000, 6));
  first.at(34, [&] { first.has_room = false; });
  first.at(50, [&] { first.answer(1, line_want::shared, 0x2000, 50); });
  first.run(60);
  ASSERT_EQ(first.asked.size(), 2U) << "one is asked for, one is filling, one blocked";
  ASSERT_EQ(first.unit.waiting(), 1U) << "and one access has no miss";

  bench second(config);
  second.clock.restore(first.clock.save());
  second.unit.restore(first.unit.save());
  EXPECT_EQ(second.unit.save(), first.unit.save());
  bench other;
  EXPECT_NE(failure<input_error>([&] { other.unit.restore(first.unit.save()); }), "")
      << "of a cache with four misses";
  first.completions.clear();
  for (bench* const each : {&first, &second}) {
    each->answers = true;
    each->has_room = true;
    each->at(70, [=] { each->answer(0, line_want::shared, 0x1000, 70); });
    each->at(80, [=] { each->unit.room(80); });
    each->run();
    EXPECT_TRUE(each->unit.idle());
  }
  EXPECT_EQ(first.completions.size(), 5U);
  EXPECT_EQ(first.completions, second.completions);
  EXPECT_EQ(first.unit.save(), second.unit.save());
}

TEST(cache, a_word_is_not_there_before_its_line_has_come_to_the_first_level) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(11, load_of(0x9000, 2));   // the same set of the first level
  b.offer(12, load_of(0x11000, 3));  // which has two ways
  b.run(1000);
  b.completions.clear();
  b.offer(2000, load_of(0x1000, 4));
  b.offer(2001, load_of(0x1008, 5));
  b.run();
  ASSERT_EQ(b.completions.size(), 2U);
  EXPECT_EQ(b.completions[0].cycle, 2050U);
  EXPECT_EQ(b.completions[1].cycle, 2050U) << "the second finds the line in the first level";
}

TEST(cache, is_of_one_processor) {
  bench b;
  b.at(10, [&] { b.unit.offer(3, load_of(0x1000, 1), 10); });
  b.at(11, [&] {
    EXPECT_NE(
        failure([&] { b.unit.offer(4, load_of(0x1008, 2), 11); }).find("element 4 after element 3"),
        std::string::npos);
  });
  b.run();
}

}  // namespace
}  // namespace tributary
