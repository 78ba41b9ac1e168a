// SPDX-License-Identifier: Apache-2.0
// Data buffers: allocation with the reserves of rules D9 and D10, holders, streaming, double-buffer
// loads (rows V10 and V11).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/data_buffers.h>
#include <tributary/magic/node_events.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/unit_trace.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

constexpr buffer_claim every_claim[] = {buffer_claim::reply_arrival, buffer_claim::other_arrival,
                                        buffer_claim::processor, buffer_claim::handler};

line_data line_from(word_t first) {
  line_data words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = first + i;
  return words;
}

/// Buffers and their clockwork.
struct node {
  explicit node(const data_buffers_config& config = {}) : buffers(config, clockwork, node_id{3}) {}

  payload_handle take(buffer_claim claim = buffer_claim::handler) {
    return buffers.allocate(claim, clockwork.now()).value();
  }
  double statistic(const std::string& name) const { return testing::statistic(buffers, name); }

  agenda clockwork;
  data_buffers buffers;
};

/// Remembers what it is told.
struct recorder final : buffer_listener {
  void buffer_freed(cycle_t now) override { freed.push_back(now); }

  std::vector<cycle_t> freed;
};

TEST(data_buffers, the_last_are_for_arriving_messages_and_for_arriving_replies) {
  node one;
  for (std::uint16_t i = 0; i < 14; ++i) {
    for (const buffer_claim claim : every_claim) EXPECT_TRUE(one.buffers.available(claim));
    const buffer_claim claim = i % 2 == 0 ? buffer_claim::handler : buffer_claim::other_arrival;
    EXPECT_EQ(one.buffers.allocate(claim, 0), payload_handle{i});
  }
  EXPECT_FALSE(one.buffers.available(buffer_claim::processor));
  EXPECT_FALSE(one.buffers.available(buffer_claim::handler));
  EXPECT_EQ(one.buffers.allocate(buffer_claim::processor, 0), std::nullopt);
  EXPECT_TRUE(one.buffers.available(buffer_claim::other_arrival));
  EXPECT_EQ(one.buffers.allocate(buffer_claim::other_arrival, 0), payload_handle{14});
  EXPECT_FALSE(one.buffers.available(buffer_claim::handler));
  EXPECT_FALSE(one.buffers.available(buffer_claim::other_arrival));
  EXPECT_EQ(one.buffers.allocate(buffer_claim::handler, 0), std::nullopt);
  EXPECT_EQ(one.buffers.allocate(buffer_claim::other_arrival, 0), std::nullopt);
  EXPECT_EQ(one.buffers.allocate(buffer_claim::other_arrival, 0), std::nullopt);
  EXPECT_TRUE(one.buffers.available(buffer_claim::reply_arrival));
  EXPECT_EQ(one.buffers.allocate(buffer_claim::reply_arrival, 0), payload_handle{15});
  EXPECT_FALSE(one.buffers.available(buffer_claim::reply_arrival));
  EXPECT_EQ(one.buffers.allocate(buffer_claim::reply_arrival, 0), std::nullopt);

  EXPECT_EQ(one.statistic("allocated.reply_arrival"), 1);
  EXPECT_EQ(one.statistic("allocated.other_arrival"), 8);
  EXPECT_EQ(one.statistic("allocated.handler"), 7);
  EXPECT_EQ(one.statistic("refused.reply_arrival"), 1);
  EXPECT_EQ(one.statistic("refused.other_arrival"), 2);
  EXPECT_EQ(one.statistic("refused.processor"), 1);
  EXPECT_EQ(one.statistic("refused.handler"), 1);
  EXPECT_EQ(one.statistic("high_water"), 16);
}

TEST(data_buffers, is_free_when_the_last_holder_has_released_it) {
  node one;
  recorder who;
  one.buffers.add_listener(who);
  testing::unit_trace trace(one.buffers);
  one.clockwork.advance_to(5);
  const payload_handle data = one.take();
  one.buffers.retain(data);
  EXPECT_EQ(one.buffers.holders(data), 2U);
  one.buffers.release(data, 5);
  EXPECT_EQ(one.buffers.holders(data), 1U);
  one.buffers.release(data, 30);
  one.clockwork.advance_to(29);
  EXPECT_EQ(one.buffers.holders(data), 1U);
  EXPECT_EQ(one.buffers.in_use(), 1U);
  EXPECT_TRUE(who.freed.empty());
  one.clockwork.advance_to(30);
  EXPECT_EQ(one.buffers.holders(data), 0U);
  EXPECT_EQ(one.buffers.in_use(), 0U);
  EXPECT_EQ(who.freed, std::vector<cycle_t>{30});
  EXPECT_EQ(one.statistic("residency.sum"), 25);

  const std::vector<trace_event>& events = trace.events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, &node_events::buffer_taken);
  EXPECT_EQ(events[0].cycle, 5U);
  EXPECT_EQ(events[1].kind, &node_events::buffer_freed);
  EXPECT_EQ(events[1].cycle, 30U);
  EXPECT_EQ(trace.track(events[1]), "data_buffers.buffer.0");
}

/// A listener finds the buffer, and may take it at once.
TEST(data_buffers, a_listener_may_take_what_was_freed) {
  struct taker final : buffer_listener {
    explicit taker(node& where) : one(where) {}
    void buffer_freed(cycle_t now) override {
      taken = one.buffers.allocate(buffer_claim::other_arrival, now);
    }
    node& one;
    std::optional<payload_handle> taken;
  };
  data_buffers_config config;
  config.buffers = 2;
  config.arrival_reserve = 0;
  node one(config);
  taker who(one);
  one.buffers.add_listener(who);
  const payload_handle data = one.take();
  one.buffers.set_word(data, 0, 1, 0);
  one.buffers.release(data, 7);
  one.clockwork.advance_to(7);
  EXPECT_EQ(who.taken, data);
  EXPECT_EQ(one.buffers.holders(data), 1U);
  EXPECT_FALSE(one.buffers.filled(data, 0)) << "valid bits are cleared";
}

/// As of a speculative read that nobody needed: memory still writes into the buffer.
TEST(data_buffers, what_was_handed_over_is_no_longer_held) {
  node one;
  const payload_handle data = one.take();
  one.buffers.retain(data);
  one.buffers.hand_over(data);
  one.buffers.hand_over(data);
  EXPECT_EQ(one.buffers.holders(data), 2U);
  EXPECT_THROW(one.buffers.hand_over(data), simulation_error);
  EXPECT_THROW(one.buffers.retain(data), simulation_error);
  EXPECT_THROW(one.buffers.release(data, 0), simulation_error);
  one.buffers.release_handed_over(data, 0);
  one.buffers.release_handed_over(data, 4);
  one.clockwork.advance_to(4);
  EXPECT_EQ(one.buffers.in_use(), 0U);

  const payload_handle kept = one.take();
  EXPECT_THROW(one.buffers.release_handed_over(kept, 5), simulation_error);
  EXPECT_EQ(one.buffers.holders(kept), 1U);
}

/// Two who always want one share what is freed.
TEST(data_buffers, listeners_take_turns) {
  struct taker final : buffer_listener {
    explicit taker(node& where) : one(where) {}
    void buffer_freed(cycle_t now) override {
      const auto got = one.buffers.allocate(buffer_claim::other_arrival, now);
      if (!got) return;
      ++taken;
      one.buffers.release(*got, now + 10);
    }
    node& one;
    int taken = 0;
  };
  data_buffers_config config;
  config.buffers = 2;
  config.arrival_reserve = 0;
  node one(config);
  taker first(one);
  taker second(one);
  one.buffers.add_listener(first);
  one.buffers.add_listener(second);
  one.buffers.release(one.take(), 10);
  one.clockwork.advance_to(105);
  EXPECT_EQ(first.taken, 5);
  EXPECT_EQ(second.taken, 5);
}

TEST(data_buffers, V10_memory_to_a_slower_consumer_streams_from_the_first_word) {
  node one;
  memory_controller memory({}, one.clockwork);
  for (std::uint64_t i = 0; i < line_words; ++i) memory.write(i * 8, 100 + i);
  const payload_handle data = one.take();
  line_data words{};
  const memory_transfer transfer = memory.read_line(0, 0, words);
  one.buffers.fill(data, words, transfer);
  // The network interface sends a line in 40 cycles: a word every 2.5.
  const cycle_t start = one.buffers.earliest_start(data, line_words, 5, 2, 0);
  EXPECT_EQ(start, 14U);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_LE(one.buffers.valid(data, i), start + i * 5 / 2) << "underrun at word " << i;
    EXPECT_EQ(one.buffers.word(data, i), 100 + i);
  }
  // One as fast as memory can just follow it; one of two words a cycle waits for half of them.
  EXPECT_EQ(one.buffers.earliest_start(data, line_words, 1, 1, 0), 14U);
  EXPECT_EQ(one.buffers.earliest_start(data, line_words, 1, 2, 0), 22U);
  EXPECT_EQ(one.buffers.earliest_start(data, line_words, 5, 2, 20), 20U);
}

TEST(data_buffers, a_line_in_sub_block_order_streams_from_the_word_that_was_missed) {
  node one;
  const payload_handle data = one.take();
  one.buffers.fill(data, line_from(100), {14, 29}, 11);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(one.buffers.word(data, i), 100 + i);
    EXPECT_EQ(one.buffers.valid(data, i), 14 + (i ^ 11U)) << "word " << i;
  }
  EXPECT_EQ(one.buffers.earliest_start(data, line_words, 1, 1, 0, 11), 14U);
  // In another order it waits: word 0 comes 11 cycles behind the first.
  EXPECT_EQ(one.buffers.earliest_start(data, line_words, 1, 1, 0), 25U);
}

TEST(data_buffers, a_word_that_was_shifted_in_is_wasted_once) {
  node one;
  const payload_handle a = one.take();
  const payload_handle b = one.take();
  one.buffers.fill_realigned(a, b, 5, line_from(100), {14, 29});
  one.buffers.set_word(a, 5, 1, 30);
  EXPECT_EQ(one.statistic("wasted_words"), 1);
  one.buffers.set_word(a, 5, 2, 31);
  EXPECT_EQ(one.statistic("wasted_words"), 1);
}

TEST(data_buffers, V11_n_realigned_lines_take_n_plus_1_loads) {
  for (std::uint64_t shift = 1; shift < 16; ++shift) {
    for (const std::uint64_t lines : {1U, 2U, 7U, 14U}) {
      node one;
      memory_controller memory({}, one.clockwork);
      for (std::uint64_t i = 0; i < (lines + 1) * line_words; ++i) memory.write(i * 8, 1000 + i);
      // Line n of the result is words n * 16 + shift to n * 16 + shift + 15 of memory: word i of a
      // line in memory belongs to the end of one result, and from `shift` on to the next.
      std::vector<payload_handle> results;
      for (std::uint64_t n = 0; n < lines; ++n) results.push_back(one.take());
      for (std::uint64_t n = 0; n <= lines; ++n) {
        line_data words{};
        const memory_transfer transfer = memory.read_line(n * line_bytes, 0, words);
        const payload_handle before =
            n == 0 ? one.take(buffer_claim::reply_arrival) : results[n - 1];
        const payload_handle behind = n == lines ? before : results[n];
        one.buffers.fill_realigned(before, behind, line_words - shift, words, transfer);
      }
      for (std::uint64_t n = 0; n < lines; ++n) {
        for (std::uint64_t i = 0; i < line_words; ++i) {
          ASSERT_EQ(one.buffers.word(results[n], i), 1000 + n * line_words + shift + i);
        }
        // The last word of it is word shift - 1 of line n + 1, streaming at 16 cycles a line.
        EXPECT_EQ(one.buffers.full(results[n]), 14 + 16 * (n + 1) + shift - 1);
      }
      EXPECT_EQ(testing::statistic(memory, "line_reads"), static_cast<double>(lines + 1));
      EXPECT_EQ(one.statistic("realigned_loads"), static_cast<double>(lines + 1));
      EXPECT_EQ(one.statistic("wasted_words"), static_cast<double>(line_words - shift));
    }
  }
}

TEST(data_buffers, a_buffer_spills_to_memory_as_it_fills) {
  node one;
  memory_controller memory({}, one.clockwork);
  const payload_handle data = one.take();
  one.buffers.fill(data, line_from(7), {100, 115});
  const memory_transfer transfer =
      memory.write_line(256, 0, one.buffers.words(data), one.buffers.stamps(data));
  EXPECT_EQ(transfer.first, 100U);
  one.clockwork.advance_to(transfer.last);
  EXPECT_EQ(memory.read(256 + 24), 10U);
}

TEST(data_buffers, errors_name_buffer_node_and_cycle) {
  node one;
  one.clockwork.advance_to(8);
  const std::string where = "node 3, cycle 8: data buffer 0: ";
  const payload_handle data = one.take();
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.word(data, 2); }),
                             {where, "doubleword 2"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.set_word(data, 16, 0, 8); }),
                             {where, "set", "doubleword 16"}));
  EXPECT_TRUE(
      testing::names(testing::failure([&] { one.buffers.fill_realigned(data, data, 16, {}, {}); }),
                     {where, "16 doubleword", "0", "15"}));
  EXPECT_TRUE(
      testing::names(testing::failure([&] { one.buffers.release(data, 7); }), {where, "cycle 7"}));
  one.buffers.release(data, 10);
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.release(data, 10); }),
                             {where, "released"}));
  EXPECT_TRUE(
      testing::names(testing::failure([&] { one.buffers.retain(data); }), {where, "retained"}));
  one.clockwork.advance_to(10);
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.set_word(data, 0, 0, 10); }),
                             {"node 3", "cycle 10", "buffer 0", "set", "free"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.release(data, 10); }),
                             {"node 3", "cycle 10", "buffer 0", "released", "free"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.retain(payload_handle{16}); }),
                             {"node 3", "cycle 10", "buffer 16", "16"}));
  EXPECT_TRUE(testing::names(testing::failure([&] { one.buffers.word(no_payload, 0); }),
                             {"node 3", "cycle 10", "awaited"}));
}

TEST(data_buffers, a_reserve_of_all_is_refused) {
  data_buffers_config config;
  config.reply_reserve = 15;
  EXPECT_THROW(config.validate(), configuration_error);
  config.buffers = 17;
  EXPECT_NO_THROW(config.validate());
  config.arrival_reserve = 2;
  EXPECT_THROW(config.validate(), configuration_error);
  config.buffers = 0;
  EXPECT_THROW(config.validate(), configuration_error);
}

/// A list of holders by the cycle in which they let go, and words by their stamps.
struct plain_buffer {
  std::vector<cycle_t> holders;  // until when; `never` for those who have not said
  std::array<std::optional<std::pair<word_t, cycle_t>>, most_line_words> words;

  std::uint32_t held(cycle_t now) const {
    std::uint32_t count = 0;
    for (const cycle_t each : holders) count += each > now ? 1 : 0;
    return count == 0 && settled > now ? 1 : count;
  }

  cycle_t settled = 0;
};

class random_buffers : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(random_buffers, agree_with_a_plain_reference) {
  random_stream random(20260102, GetParam(), 1U);
  data_buffers_config config;
  config.buffers = static_cast<std::uint32_t>(2 + random.below(15));
  config.reply_reserve = static_cast<std::uint32_t>(random.below(config.buffers));
  config.arrival_reserve =
      static_cast<std::uint32_t>(random.below(config.buffers - config.reply_reserve));
  config.line = line_size(least_line_bytes << random.below(4));
  const std::size_t line = config.line.words();
  node one(config);
  std::vector<plain_buffer> plain(config.buffers);
  cycle_t now = 0;
  for (int step = 0; step < 4000; ++step) {
    if (random.below(3) == 0) now += random.below(5);
    one.clockwork.advance_to(now);
    std::uint32_t free = 0;
    std::uint32_t lowest_free = config.buffers;
    for (std::uint32_t i = config.buffers; i-- > 0;) {
      const std::uint32_t held = plain[i].held(now);
      ASSERT_EQ(one.buffers.holders(payload_handle{static_cast<std::uint16_t>(i)}), held);
      if (held != 0) continue;
      ++free;
      lowest_free = i;
    }
    for (const buffer_claim claim : every_claim) {
      std::uint32_t kept = 0;
      if (claim != buffer_claim::reply_arrival) kept += config.reply_reserve;
      if (claim == buffer_claim::processor || claim == buffer_claim::handler) {
        kept += config.arrival_reserve;
      }
      ASSERT_EQ(one.buffers.available(claim), free > kept);
    }
    ASSERT_EQ(one.buffers.in_use(), config.buffers - free);

    const auto number = static_cast<std::uint16_t>(random.below(config.buffers));
    const payload_handle data{number};
    plain_buffer& mine = plain[number];
    const bool mine_to_release = [&] {
      for (const cycle_t each : mine.holders) {
        if (each == never) return true;
      }
      return false;
    }();
    const auto set = [](plain_buffer& into, std::size_t i, word_t value, cycle_t valid) {
      into.words[i] = std::make_pair(value, valid);
      into.settled = std::max(into.settled, valid);
    };
    switch (random.below(7)) {
      case 0: {
        const buffer_claim claim = every_claim[random.below(4)];
        const bool possible = one.buffers.available(claim);
        const auto got = one.buffers.allocate(claim, now);
        ASSERT_EQ(got.has_value(), possible);
        if (!got) break;
        ASSERT_EQ(static_cast<std::uint32_t>(*got), lowest_free);
        plain[lowest_free] = {};
        plain[lowest_free].holders = {never};
        break;
      }
      case 1:
        if (!mine_to_release) break;
        one.buffers.retain(data);
        mine.holders.push_back(never);
        break;
      case 2:
      case 3: {
        if (!mine_to_release) break;
        const cycle_t until = now + random.below(3) * random.below(10);
        one.buffers.release(data, until);
        for (cycle_t& each : mine.holders) {
          if (each != never) continue;
          each = until;
          break;
        }
        break;
      }
      case 4: {
        if (mine.held(now) == 0) break;
        const std::size_t i = random.below(line);
        const word_t value = random.next_u64();
        const cycle_t valid = now + random.below(30);
        one.buffers.set_word(data, i, value, valid);
        set(mine, i, value, valid);
        break;
      }
      case 5: {
        if (mine.held(now) == 0) break;
        const line_data words = line_from(random.next_u64());
        const cycle_t first = now + random.below(30);
        const std::size_t missed = random.below(line);
        one.buffers.fill(data, words, {first, first + line - 1}, missed);
        for (std::size_t i = 0; i < line; ++i) set(mine, i, words[i], first + (i ^ missed));
        break;
      }
      default: {
        const auto second = static_cast<std::uint16_t>(random.below(config.buffers));
        if (mine.held(now) == 0 || plain[second].held(now) == 0) break;
        const line_data words = line_from(random.next_u64());
        const cycle_t first = now + random.below(30);
        const std::uint64_t offset = random.below(line);
        one.buffers.fill_realigned(data, payload_handle{second}, offset, words,
                                   {first, first + line - 1});
        for (std::size_t i = 0; i < line; ++i) {
          if (offset + i < line) {
            set(mine, offset + i, words[i], first + i);
          } else if (second != number) {
            set(plain[second], offset + i - line, words[i], first + i);
          }
        }
      }
    }

    if (mine.held(now) == 0) continue;
    const std::size_t length = random.below(4) == 0 ? line : random.below(line + 1);
    const std::size_t missed = length == line ? random.below(line) : 0;
    const std::uint64_t numerator = 1 + random.below(10);
    const std::uint64_t denominator = 1 + random.below(5);
    cycle_t full = 0;
    cycle_t start = now + random.below(10);
    const cycle_t not_before = start;
    for (std::size_t i = 0; i < line; ++i) {
      ASSERT_EQ(one.buffers.filled(data, i), mine.words[i].has_value());
      if (!mine.words[i]) {
        if (i < length) full = start = never;
        continue;
      }
      ASSERT_EQ(one.buffers.word(data, i), mine.words[i]->first);
      ASSERT_EQ(one.buffers.valid(data, i), mine.words[i]->second);
      if (i >= length || start == never) continue;
      full = std::max(full, mine.words[i]->second);
      while (start + (i ^ missed) * numerator / denominator < mine.words[i]->second) ++start;
    }
    ASSERT_EQ(one.buffers.full(data, length), full);
    ASSERT_EQ(one.buffers.earliest_start(data, length, numerator, denominator, not_before, missed),
              start);
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_buffers, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace tributary
