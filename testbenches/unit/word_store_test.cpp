// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <tributary/memory/byte_store.h>
#include <tributary/memory/fetch_op_unit.h>
#include <tributary/memory/word_store.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

TEST(word_store, agrees_with_a_map_on_random_use) {
  random_stream random(1, 0U, 0U);
  word_store words;
  EXPECT_TRUE(words.contents().empty());
  EXPECT_EQ(words.read((std::uint64_t{1} << 63) + 5), 0U);
  std::map<std::uint64_t, word_t> model;
  for (int step = 0; step < 50000; ++step) {
    // Locations that collide: same low bits, or neighbours.
    const std::uint64_t module = random.below(8);
    const std::uint64_t row = random.below(2) == 0 ? random.below(3000) : random.below(8) << 20;
    const std::uint64_t location = (module << 48) | row;
    ASSERT_EQ(words.read(location), model.count(location) != 0 ? model[location] : 0);
    const word_t value = random.below(4) == 0 ? 0 : random.next_u64();
    words.write(location, value);
    model[location] = value;
    ASSERT_EQ(words.read(location), value);
  }
  std::vector<std::pair<std::uint64_t, word_t>> expected;
  for (const auto& word : model) {
    if (word.second != 0) expected.emplace_back(word);
  }
  EXPECT_EQ(words.contents(), expected);
}

TEST(word_store, equality_ignores_history) {
  word_store one;
  word_store other;
  for (std::uint64_t i = 0; i < 500; ++i) {
    one.write(i, i);
    other.write(499 - i, 499 - i);
  }
  other.write(100000, 5);
  EXPECT_FALSE(one == other);
  other.write(100000, 0);
  EXPECT_TRUE(one == other);
}

TEST(fetch_op_unit, answers_the_old_word_and_leaves_the_new_one) {
  word_store words;
  packet request;
  request.location = 77;
  request.set_function({form::add, 5, 0});
  EXPECT_EQ(perform_fetch_op(request, words), 0U);
  EXPECT_EQ(perform_fetch_op(request, words), 5U);
  request.set_function({form::constant, 1, 0});
  EXPECT_EQ(perform_fetch_op(request, words), 10U) << "stores answer the old word too";
  request.set_function({form::identity, 0, 0});
  EXPECT_EQ(perform_fetch_op(request, words), 1U);
  request.set_function({form::compare_and_swap, 2, 9});
  EXPECT_EQ(perform_fetch_op(request, words), 1U);
  EXPECT_EQ(words.read(77), 1U) << "expected 2, so nothing was swapped";
  request.set_function({form::compare_and_swap, 1, 9});
  perform_fetch_op(request, words);
  EXPECT_EQ(words.read(77), 9U);
}

using word_list = std::vector<std::pair<std::uint64_t, word_t>>;

TEST(byte_store, contents_are_the_words_that_are_not_0_and_come_back) {
  const word_list words = {{0, 5}, {4088, 6}, {4096, 7}, {9992, ~word_t{0}}};
  for (const bool flat : {true, false}) {
    byte_store store(10000, flat);
    for (const auto& [offset, value] : words) store.set_word(offset, value);
    store.set_word(5000, 1);
    store.set_word(5000, 0);
    EXPECT_EQ(store.contents(), words) << flat;
    byte_store other(10000, !flat);
    other.set_word(8, 9);
    other.set_word(6000, 9);
    const unsigned char* const place = other.data();
    other.set_contents(words);
    EXPECT_EQ(other.contents(), words) << flat;
    EXPECT_EQ(other.word(6000), 0U);
    EXPECT_EQ(other.data(), place);  // others may have pointers to it
  }
}

TEST(byte_store, contents_of_another_size_are_refused) {
  byte_store store(64, true);
  EXPECT_THROW(store.set_contents({{64, 1}}), input_error);
  EXPECT_THROW(store.set_contents({{4, 1}}), input_error);
}

}  // namespace
}  // namespace tributary
