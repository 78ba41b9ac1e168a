// SPDX-License-Identifier: Apache-2.0
// A node's DRAM: the published timing (rows V5 and V6), gaps, order on a line, and when bytes land.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/memory/memory_controller.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

memory_controller_config small() {
  memory_controller_config config;
  config.bytes = 4096;
  return config;
}

line_data line_from(word_t first) {
  line_data words{};
  for (std::size_t i = 0; i < line_words; ++i) words[i] = first + i;
  return words;
}
line_stamps stamps_from(cycle_t first, cycle_t step = 1) {
  line_stamps stamps{};
  for (std::size_t i = 0; i < line_words; ++i) stamps[i] = first + i * step;
  return stamps;
}
const line_stamps there_already = stamps_from(0, 0);

/// A memory and its clockwork.
struct node {
  explicit node(const memory_controller_config& config = small())
      : memory(config, clockwork, node_id{5}) {}

  memory_transfer read_line(std::uint64_t offset) {
    return memory.read_line(offset, clockwork.now(), line);
  }
  memory_transfer write_line(std::uint64_t offset, word_t first,
                             const line_stamps& valid = there_already) {
    return memory.write_line(offset, clockwork.now(), line_from(first), valid);
  }
  double statistic(const std::string& name) const { return testing::statistic(memory, name); }

  agenda clockwork;
  memory_controller memory;
  line_data line{};
  word_t word = 0;
};

void expect_transfer(const memory_transfer& transfer, cycle_t first, cycle_t last) {
  EXPECT_EQ(transfer.first, first);
  EXPECT_EQ(transfer.last, last);
}

TEST(memory_controller, V5_a_line_begins_after_14_cycles_and_ends_after_29) {
  node one;
  expect_transfer(one.read_line(256), 14, 29);
  node other;
  other.clockwork.advance_to(1000);
  const memory_transfer transfer = other.read_line(0);
  expect_transfer(transfer, 1014, 1029);
  EXPECT_EQ(transfer.step(line_words), 1U);
}

TEST(memory_controller, V6_a_hundred_lines_back_to_back_take_16_cycles_each) {
  node one;
  for (std::uint64_t i = 0; i < 100; ++i) {
    expect_transfer(one.read_line(i % 32 * line_bytes), 14 + 16 * i, 29 + 16 * i);
  }
  EXPECT_EQ(one.statistic("busy"), 1600);
  EXPECT_EQ(one.statistic("line_reads"), 100);
}

TEST(memory_controller, doublewords_are_an_access_time_apart) {
  node one;
  expect_transfer(one.memory.read_word(8, 0, one.word), 14, 14);
  expect_transfer(one.memory.read_word(16, 0, one.word), 28, 28);
  expect_transfer(one.memory.write_word(24, 0, 1, 0), 42, 42);
  expect_transfer(one.read_line(128), 56, 71);
  EXPECT_EQ(one.statistic("word_reads"), 2);
  EXPECT_EQ(one.statistic("word_writes"), 1);
  EXPECT_EQ(one.statistic("busy"), 19);
  EXPECT_EQ(one.statistic("waiting.max"), 42);
}

TEST(memory_controller, a_write_begins_when_it_need_not_pause) {
  node one;
  // A word every 2 cycles from cycle 50 to 80: the last of 16 unstalled ones is at 80.
  expect_transfer(one.write_line(0, 1, stamps_from(50, 2)), 65, 80);
  EXPECT_EQ(one.statistic("awaited_words.max"), 51);
  node other;
  expect_transfer(other.write_line(0, 1, stamps_from(3)), 14, 29);
  expect_transfer(other.memory.write_word(128, 0, 1, 70), 70, 70);
}

TEST(memory_controller, others_use_the_time_before_a_write_has_its_words) {
  node one;
  expect_transfer(one.write_line(0, 1, stamps_from(50)), 50, 65);
  expect_transfer(one.read_line(128), 14, 29);
  expect_transfer(one.read_line(256), 30, 45);
  expect_transfer(one.read_line(384), 66, 81);  // 46 to 61 would run into the write
  EXPECT_EQ(one.statistic("waiting.max"), 52);
}

TEST(memory_controller, bytes_land_with_the_last_word) {
  node one;
  one.memory.write(8, 7);
  const memory_transfer transfer = one.write_line(0, 100);
  EXPECT_EQ(one.memory.read(8), 7U);
  one.clockwork.advance_to(transfer.last - 1);
  EXPECT_EQ(one.memory.read(8), 7U);
  one.read_line(0);
  EXPECT_EQ(one.line, line_from(100)) << "an access is behind the write";
  EXPECT_EQ(one.memory.writes_pending(), 1U);
  EXPECT_EQ(one.clockwork.next_wakeup(), transfer.last);
  one.clockwork.advance_to(transfer.last);
  EXPECT_EQ(one.memory.read(8), 101U);
  EXPECT_EQ(one.memory.writes_pending(), 0U);
}

/// Whoever looks in the cycle in which bytes land sees them, however early it asked to be woken.
TEST(memory_controller, bytes_land_before_others_look) {
  struct looker final : timed_block {
    explicit looker(node& where) : one(where) {}
    void wake(cycle_t, std::uint64_t) override { seen = one.memory.read(0); }
    node& one;
    word_t seen = 0;
  };
  node one;
  looker who(one);
  one.clockwork.wake(who, 29, 0, wake_rank::arrival);
  one.write_line(0, 100);
  one.clockwork.advance_to(29);
  EXPECT_EQ(who.seen, 100U);
}

TEST(memory_controller, a_large_memory_takes_no_more_than_is_written) {
  memory_controller_config config;
  config.bytes = std::uint64_t{1} << 40;
  node one(config);
  one.write_line(config.bytes - 128, 1);
  one.clockwork.advance_to(100);
  EXPECT_EQ(one.memory.read(config.bytes - 8), 16U);
}

TEST(memory_controller, a_line_moves_in_sub_block_order_from_the_word_of_its_offset) {
  node one;
  // Word i comes in the place i xor 5: the write need not wait for any of them.
  line_stamps valid{};
  for (std::size_t i = 0; i < line_words; ++i) valid[i] = 50 + (i ^ 5U);
  expect_transfer(one.write_line(256 + 5 * 8, 1, valid), 50, 65);
  expect_transfer(one.write_line(512, 1, valid), 66, 81);  // word 0 would come too late in 50
  expect_transfer(one.read_line(256 + 13 * 8), 82, 97);
  EXPECT_EQ(one.line, line_from(1)) << "the line is the same from whichever word it begins";
  one.clockwork.advance_to(200);
  EXPECT_EQ(one.memory.read(256), 1U);
  EXPECT_EQ(one.memory.read(256 + 15 * 8), 16U);
}

TEST(memory_controller, errors_name_node_cycle_and_offset) {
  node one;
  one.clockwork.advance_to(3);
  EXPECT_TRUE(
      testing::names(testing::failure([&] { one.read_line(12); }), {"node 5, cycle 3", "12", "8"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.write_line(4096, 1); }),
                             {"node 5, cycle 3", "4096"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.memory.read(4); }),
                             {"node 5, cycle 3", "offset 4", "8"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.memory.read_word(8, 2, one.word); }),
                             {"node 5, cycle 3", "offset 8", "cycle 2"}));
  line_stamps valid = there_already;
  valid[9] = never;
  EXPECT_TRUE(testing::names(testing::failure([&] { one.write_line(0, 1, valid); }),
                             {"node 5, cycle 3", "offset 0", "doubleword 9"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.memory.write_word(8, 3, 1, never); }),
                             {"node 5, cycle 3", "offset 8"}));
  // Nothing of this took the port.
  expect_transfer(one.read_line(0), 17, 32);
}

TEST(memory_controller, a_size_is_whole_lines) {
  memory_controller_config config;
  config.bytes = 1000;
  EXPECT_THROW(config.validate(), configuration_error);
  config.bytes = 64;
  EXPECT_THROW(config.validate(), configuration_error);
  config = {};
  config.next_word = 0;
  EXPECT_THROW(config.validate(), configuration_error);
}

/// The same without gaps, windows or overlays: a list of everything that ever was.
class plain_reference {
 public:
  explicit plain_reference(const memory_controller_config& config) : config_(config) {}

  cycle_t place(std::uint64_t line, std::size_t words, cycle_t allowed) {
    const std::uint64_t moving = words * config_.next_word;
    cycle_t begin = allowed;
    while (!fits(line, begin, moving)) ++begin;
    accesses_.push_back({line, begin, moving});
    return begin;
  }
  void write(std::uint64_t offset, word_t value, cycle_t lands) {
    newest[offset] = value;
    landing_.push_back({offset, value, lands});
  }
  word_t landed(std::uint64_t offset, cycle_t now) const {
    word_t value = 0;
    for (const auto& each : landing_) {
      if (each.offset == offset && each.at <= now) value = each.value;
    }
    return value;
  }

  std::map<std::uint64_t, word_t> newest;

 private:
  struct access {
    std::uint64_t line;
    cycle_t begin;
    std::uint64_t moving;
  };
  struct write_of_word {
    std::uint64_t offset;
    word_t value;
    cycle_t at;
  };

  /// Of two accesses the address of the later is accepted `first_word` before its words move, not
  /// before the words of the earlier begin to move (or have moved), and no two words collide.
  bool in_order(const access& early, const access& late) const {
    if (late.begin < early.begin + early.moving) return false;
    const cycle_t free = config_.overlap ? early.begin : early.begin + early.moving;
    return late.begin >= free + config_.first_word;
  }
  bool fits(std::uint64_t line, cycle_t begin, std::uint64_t moving) const {
    const access mine{line, begin, moving};
    return std::all_of(accesses_.begin(), accesses_.end(), [&](const access& other) {
      return in_order(other, mine) || (other.line != line && in_order(mine, other));
    });
  }

  memory_controller_config config_;
  std::vector<access> accesses_;
  std::vector<write_of_word> landing_;
};

class random_accesses : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(random_accesses, agree_with_a_plain_reference) {
  random_stream random(20260101, GetParam(), 1U);
  memory_controller_config config;
  config.bytes = 1024;
  if (GetParam() != 0) {
    config.first_word = static_cast<std::uint32_t>(1 + random.below(40));
    config.next_word = static_cast<std::uint32_t>(1 + random.below(3));
    config.overlap = random.below(2) == 0;
    config.line_bytes = least_line_bytes << random.below(4);
  }
  node one(config);
  plain_reference reference(config);
  cycle_t now = 0;
  for (int access = 0; access < 100; ++access) {
    now += random.below(4) == 0 ? random.below(60) : 0;
    one.clockwork.advance_to(now);
    const std::uint64_t offset = random.below(config.bytes / 8) * 8;
    const std::uint64_t line = config.line().start(offset);
    ASSERT_EQ(one.memory.read(offset), reference.landed(offset, now));
    cycle_t allowed = now + config.first_word;
    memory_transfer found;
    std::size_t words = config.line().words();
    cycle_t first = 0;
    switch (random.below(4)) {
      case 0:
        found = one.read_line(offset);
        first = reference.place(line, words, allowed);
        for (std::size_t i = 0; i < words; ++i) {
          ASSERT_EQ(one.line[i], reference.newest[line + 8 * i]);
        }
        break;
      case 1:
        words = 1;
        found = one.memory.read_word(offset, now, one.word);
        first = reference.place(line, words, allowed);
        ASSERT_EQ(one.word, reference.newest[offset]);
        break;
      case 2: {
        line_data data{};
        line_stamps valid{};
        const std::uint64_t spread = random.below(200);
        for (std::size_t i = 0; i < words; ++i) {
          data[i] = random.next_u64();
          valid[i] = random.below(now + spread + 1);
          const std::uint64_t place = i ^ (offset - line) / 8;
          while (allowed + place * config.next_word < valid[i]) ++allowed;
        }
        found = one.memory.write_line(offset, now, data, valid);
        first = reference.place(line, words, allowed);
        for (std::size_t i = 0; i < words; ++i) {
          reference.write(line + 8 * i, data[i], found.last);
        }
        break;
      }
      default: {
        words = 1;
        const cycle_t valid = now + random.below(100);
        allowed = std::max(allowed, valid);
        const word_t value = random.next_u64();
        found = one.memory.write_word(offset, now, value, valid);
        first = reference.place(line, words, allowed);
        reference.write(offset, value, found.last);
      }
    }
    ASSERT_EQ(found.first, first) << "access " << access;
    ASSERT_EQ(found.last, first + (words - 1) * config.next_word) << "access " << access;
    if (words > 1) {
      ASSERT_EQ(found.step(words), config.next_word) << "access " << access;
    }
  }
  one.clockwork.advance_to(now + 1000000);
  EXPECT_EQ(one.memory.writes_pending(), 0U);
  for (const auto& [offset, value] : reference.newest) ASSERT_EQ(one.memory.read(offset), value);
}

INSTANTIATE_TEST_SUITE_P(seeds, random_accesses, ::testing::Range(0U, 12U));

TEST(memory_controller, a_state_of_a_larger_memory_is_refused) {
  memory_controller_config large = small();
  large.bytes = 8192;
  node saved(large);
  saved.memory.write(4096, 1);
  node other;
  EXPECT_THROW(other.memory.restore(saved.memory.save()), input_error);
  node waiting(large);
  waiting.write_line(4096, 1);
  EXPECT_THROW(other.memory.restore(waiting.memory.save()), input_error);
}

}  // namespace
}  // namespace tributary
