// SPDX-License-Identifier: Apache-2.0
// When words of a line that comes are there, in all levels of a cache, against a model.
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
#include <support/cache_bench.h>

namespace tributary {
namespace {

using testing::load_of;
using testing::of_kind;
using bench = testing::cache_bench;

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
    const access load = load_of(address, tag);
    b.offer(now, prefetches ? of_kind(access_kind::prefetch, load) : load);
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
