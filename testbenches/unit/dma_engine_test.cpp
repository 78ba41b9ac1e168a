// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/dma_engine.h>

#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace tributary {
namespace {

struct plain_words final : word_memory {
  word_t read(std::uint64_t address) const override {
    const auto found = words.find(address);
    return found == words.end() ? 0 : found->second;
  }
  void write(std::uint64_t address, word_t value) override { words[address] = value; }

  std::map<std::uint64_t, word_t> words;
};

host_interface_config slow_bus() {
  host_interface_config config;
  config.to_host = {100, 2};
  config.from_host = {50, 1};
  return config;
}

TEST(dma_engine, moves_one_after_the_other_in_both_directions) {
  agenda time;
  plain_words memory;
  dma_engine engine(slow_bus(), time, memory);
  EXPECT_EQ(engine.store(0, {1, 2}, 10), 142u);
  EXPECT_EQ(engine.load(8, 10), 200u);
  EXPECT_EQ(engine.store(64, {3}, 20), 316u);
  // The bus rests until it is asked again.
  EXPECT_EQ(engine.load(16, 1000), 1066u);
  EXPECT_EQ(engine.transfers().value(), 4u);
  EXPECT_EQ(engine.busy().value(), 132u + 58 + 116 + 66);
}

TEST(dma_engine, has_words_in_memory_at_the_end_of_their_transfer) {
  agenda time;
  plain_words memory;
  dma_engine engine(slow_bus(), time, memory);
  engine.store(0, {1, 2}, 0);
  engine.store(8, {3}, 0);
  EXPECT_FALSE(engine.idle());
  time.advance_to(131);
  EXPECT_TRUE(memory.words.empty());
  time.advance_to(132);
  EXPECT_EQ(memory.read(0), 1u);
  EXPECT_EQ(memory.read(8), 2u);
  time.advance_to(248);
  EXPECT_EQ(memory.read(8), 3u);
  EXPECT_TRUE(engine.idle());
}

TEST(dma_engine, goes_on_where_it_was_saved) {
  agenda time;
  plain_words memory;
  dma_engine engine(slow_bus(), time, memory);
  engine.store(0, {1, 2}, 0);
  time.advance_to(50);
  agenda other_time;
  plain_words other_memory;
  dma_engine other(slow_bus(), other_time, other_memory);
  other.restore(engine.save());
  other_time.restore(time.save());
  EXPECT_EQ(other.load(8, 50), 190u);
  other_time.advance_to(132);
  EXPECT_EQ(other_memory.read(8), 2u);
}

}  // namespace
}  // namespace tributary
