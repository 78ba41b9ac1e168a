// SPDX-License-Identifier: Apache-2.0
// When words of a line that comes are there, in all levels of a cache.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tributary/cache/cache.h>
#include <tributary/sim/random_stream.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/cache_bench.h>

namespace tributary {
namespace {

using testing::load_of;
using testing::of_kind;
using testing::statistic;
using testing::store_of;
using bench = testing::cache_bench;
using completions = std::vector<bench::told>;

access prefetch_of(std::uint64_t address, std::uint64_t tag) {
  return of_kind(access_kind::prefetch, load_of(address, tag));
}

TEST(cache_fill, a_line_that_comes_is_in_the_first_level_at_once) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(131, load_of(0x1010, 2));  // word 2 = 3 xor 1: the second that comes
  b.offer(200, load_of(0x1000, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {134, 2, 0}, {200, 3, 0}}));
  EXPECT_EQ(statistic(b.unit, "hits.level_1"), 2);
}

TEST(cache_fill, the_other_half_of_a_line_is_a_hit_of_the_second_level) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(300, load_of(0x1040, 2));
  b.offer(400, load_of(0x1048, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {350, 2, 0}, {400, 3, 0}}));
}

TEST(cache_fill, an_access_that_joined_is_done_with_its_own_word) {
  bench b;
  b.offer(10, load_of(0x1018, 1));
  b.offer(11, load_of(0x1000, 2));   // word 0 = 3 xor 3
  b.offer(12, load_of(0x1078, 3));   // word 15 = 3 xor 12, in the other half
  b.offer(200, load_of(0x1040, 4));  // which the access before has brought into the first level
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {142, 2, 0}, {178, 3, 0}, {200, 4, 0}}));
}

TEST(cache_fill, a_prefetch_ends_in_the_first_level) {
  bench b;
  b.offer(10, prefetch_of(0x1000, 1));
  b.offer(300, load_of(0x1008, 2));
  b.offer(400, prefetch_of(0x1040, 3));  // of the half that is in the second level only
  b.offer(420, load_of(0x1048, 4));
  b.run();
  EXPECT_EQ(b.completions, (completions{{10, 1, 0}, {300, 2, 0}, {400, 3, 0}, {450, 4, 0}}));
}

TEST(cache_fill, a_prefetch_to_write_shared_words_brings_them_to_the_first_level) {
  bench b;
  b.offer(10, load_of(0x1000, 1));
  b.offer(300, of_kind(access_kind::prefetch_exclusive, load_of(0x1040, 2)));
  b.offer(600, store_of(0x1040, 5, 3));
  b.run();
  EXPECT_EQ(b.completions, (completions{{130, 1, 0}, {300, 2, 0}, {600, 3, 0}}));
}

/// When loads and prefetches of lines that never leave are done, told line by line. The bench's
/// memory sends a word each four cycles, the one that was missed first, the others in the order of
/// the exclusive or of their number and its.
class fill_model {
 public:
  fill_model(const cache_config& config, cycle_t latency) : config_(config), latency_(latency) {}

  /// When an access that begins in cycle `now` is done; nothing if it falls together with its
  /// line's arrival, where it may be served before or behind.
  std::optional<cycle_t> done(std::uint64_t address, bool prefetches, cycle_t now) {
    line& about = lines_[address / testing::cache_line_bytes];
    if (about.comes == now) return std::nullopt;
    const std::uint64_t near = address / config_.levels.front().line_bytes;
    if (about.comes == 0) {
      about.comes = now + config_.miss_cycles + latency_;
      about.first = address;
      near_[near] = about.comes;
    } else if (now < about.comes && !prefetches) {
      near_[near] = about.comes;
    } else if (now > about.comes && near_.count(near) == 0) {
      near_[near] = now + config_.levels.back().hit_cycles;
    }
    if (prefetches) return now;
    const std::uint64_t place = (address ^ about.first) % testing::cache_line_bytes / word_bytes;
    return std::max({now, near_.at(near), about.comes + 4 * place});
  }

 private:
  struct line {
    cycle_t comes = 0;
    std::uint64_t first = 0;
  };

  cache_config config_;
  cycle_t latency_;
  std::map<std::uint64_t, line> lines_;
  std::map<std::uint64_t, cycle_t> near_;  // by number, when it is in the first level
};

/// Asks for words of three lines, which no other work delays.
void compare_with_model(std::uint64_t seed) {
  random_stream random(seed, 0U, 0U);
  cache_config config;
  config.accesses = 1024;
  config.levels.back().hit_cycles = 1 + static_cast<std::uint32_t>(random.below(80));
  bench b(config);
  b.latency = 20 + random.below(150);
  fill_model model(config, b.latency);
  std::map<std::uint64_t, cycle_t> expected;
  cycle_t now = 1;
  for (std::uint64_t tag = 1; tag <= 100; ++tag) {
    const std::uint64_t address = 0x10000 + random.below(3 * 16) * word_bytes;
    const bool prefetches = random.below(4) == 0;
    now += 1 + random.below(random.below(2) == 0 ? 4 : 60);
    const std::optional<cycle_t> done = model.done(address, prefetches, now);
    if (!done) continue;
    expected[tag] = *done;
    b.offer(now, prefetches ? prefetch_of(address, tag) : load_of(address, tag));
  }
  b.run();
  ASSERT_EQ(b.completions.size(), expected.size());
  for (const bench::told& each : b.completions) {
    EXPECT_EQ(each.cycle, expected.at(each.tag)) << "access " << each.tag;
  }
  EXPECT_LE(b.asked.size(), 3U);
}

TEST(cache_fill, words_are_there_when_a_model_of_lines_says) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_with_model(seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
