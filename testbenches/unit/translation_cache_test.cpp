// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/virtual_interfaces/translation_cache.h>

#include <cstdint>
#include <map>

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

/// Misses of keys 1 to `keys` in a circle, `rounds` times; what is found is what was kept.
std::uint64_t misses(const translation_cache_place& place, std::uint64_t keys, int rounds) {
  plain_words memory;
  translation_cache<word_memory> cache(memory, place);
  std::uint64_t missed = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint64_t key = 1; key <= keys; ++key) {
      const std::optional<word_t> found = cache.find(key);
      if (found) {
        EXPECT_EQ(*found, key * 7);
      } else {
        ++missed;
        cache.fill(key, key * 7);
      }
    }
  }
  for (const auto& [address, word] : memory.words) {
    EXPECT_GE(address, place.address);
    EXPECT_LT(address, place.address + place.bytes());
  }
  return missed;
}

TEST(translation_cache, misses_all_of_a_circle_that_is_longer_or_none) {
  EXPECT_EQ(misses({64, 128, 1}, 512, 3), 1536u);
  EXPECT_EQ(misses({64, 1024, 1}, 512, 3), 512u);
  EXPECT_EQ(misses({64, 1024, 8}, 512, 3), 512u);
  EXPECT_EQ(misses({64, 128, 8}, 512, 3), 1536u);
  EXPECT_EQ(misses({64, 4, 4}, 4, 5), 4u);
  EXPECT_EQ(misses({64, 4, 4}, 5, 5), 25u);
}

TEST(translation_cache, gives_up_the_way_that_was_filled_first) {
  plain_words memory;
  translation_cache<word_memory> cache(memory, {0, 4, 2});
  for (const std::uint64_t key : {2U, 4U, 6U}) cache.fill(key, key);
  EXPECT_FALSE(cache.find(2));
  EXPECT_EQ(cache.find(4), 4u);
  EXPECT_EQ(cache.find(6), 6u);
  cache.fill(1, 1);
  EXPECT_EQ(cache.find(1), 1u);
  EXPECT_EQ(cache.find(6), 6u);
}

TEST(translation_cache, forgets_one_key_only) {
  plain_words memory;
  translation_cache<word_memory> cache(memory, {0, 4, 2});
  cache.fill(2, 20);
  cache.fill(4, 40);
  cache.drop(2);
  EXPECT_FALSE(cache.find(2));
  EXPECT_EQ(cache.find(4), 40u);
}

}  // namespace
}  // namespace tributary
