// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;

using block = std::array<std::uint32_t, 4>;

enum class purpose : std::uint32_t { start = 7, address = 8 };

// Known answers published with the generator (Salmon et al., SC 2011).
TEST(philox, gives_the_published_answers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox4x32_10({f, f, f, f}, {f, f}),
            (block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(random_stream, hands_out_the_blocks_of_its_key_and_counter) {
  random_stream stream(0x0123456789abcdefU, 5U, 9U);
  for (std::uint32_t number = 0; number < 3; ++number) {
    for (const std::uint32_t word : philox4x32_10({number, 0, 5, 9}, {0x89abcdefU, 0x01234567U})) {
      EXPECT_EQ(stream.next_u32(), word);
    }
  }
}

TEST(random_stream, enumerations_name_the_same_stream_as_their_numbers) {
  EXPECT_EQ(random_stream(1, pe_id{3}, purpose::start), random_stream(1, 3U, 7U));
  EXPECT_EQ(random_stream(1, 3U, purpose::address), random_stream(1, 3U, 8U));
}

TEST(random_stream, seeds_elements_and_purposes_are_different_streams) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32U}) {
    for (std::uint32_t element : {0U, 1U, 2U}) {
      for (std::uint32_t why : {0U, 1U, 2U}) {
        firsts.insert(random_stream(seed, element, why).next_u64());
      }
    }
  }
  EXPECT_EQ(firsts.size(), 27U);
}

TEST(random_stream, next_u64_is_the_earlier_word_below_the_later) {
  random_stream words(4, 5U, 6U);
  random_stream pairs = words;
  const std::uint64_t low = words.next_u32();
  const std::uint64_t high = words.next_u32();
  EXPECT_EQ(pairs.next_u64(), high << 32U | low);
}

TEST(random_stream, below_stays_below) {
  random_stream stream(1, 2U, 3U);
  EXPECT_EQ(stream.below(0), 0U);
  EXPECT_EQ(stream.below(1), 0U);
  for (const std::uint64_t n :
       {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1000}, std::uint64_t{1} << 63U,
        std::numeric_limits<std::uint64_t>::max()}) {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_LT(stream.below(n), n);
    }
  }
}

// Chi square against a bound that a fair generator passes but once in some 10^9 seeds.
void expect_fair(const std::vector<int>& counts, double bound) {
  double total = 0;
  for (const int each : counts) {
    total += each;
  }
  const double expected = total / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const int each : counts) {
    chi_square += (each - expected) * (each - expected) / expected;
  }
  EXPECT_LT(chi_square, bound);
}

TEST(random_stream, below_is_fair) {
  random_stream few(11, 2U, 3U);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[few.below(7)];
  expect_fair(counts, 55);
  // Without rejection every third number below 3 * 2^62 would come twice as often as its
  // neighbours.
  random_stream many(12, 2U, 3U);
  counts.assign(3, 0);
  for (int i = 0; i < 30000; ++i) ++counts[many.below(std::uint64_t{3} << 62U) % 3];
  expect_fair(counts, 42);
}

TEST(random_stream, bernoulli_at_the_ends_is_certain) {
  random_stream stream(1, 2U, 3U);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(stream.bernoulli(probability_threshold(1.0)));
    ASSERT_FALSE(stream.bernoulli(probability_threshold(0.0)));
  }
}

TEST(random_stream, bernoulli_is_as_likely_as_asked) {
  random_stream stream(13, 2U, 3U);
  int happened = 0;
  for (int i = 0; i < 100000; ++i) {
    happened += stream.bernoulli(probability_threshold(0.1)) ? 1 : 0;
  }
  EXPECT_NEAR(happened, 10000, 6 * std::sqrt(100000 * 0.1 * 0.9));
}

TEST(random_stream, thresholds_are_exact) {
  EXPECT_EQ(probability_threshold(0.0), 0U);
  EXPECT_EQ(probability_threshold(0.5), std::uint64_t{1} << 31U);
  EXPECT_EQ(probability_threshold(1.0), std::uint64_t{1} << 32U);
  EXPECT_EQ(probability_threshold(1.0 / 4294967296.0), 1U);
}

TEST(random_stream, refuses_what_is_no_probability) {
  for (const double p : {-0.001, 1.001, std::nan("")}) {
    const std::string refusal = message_of<error>([p] { probability_threshold(p); });
    EXPECT_TRUE(contains(refusal, "allowed: 0 to 1")) << p;
  }
}

TEST(random_stream, is_a_value) {
  random_stream original(1, 2U, 3U);
  original.next_u32();
  random_stream copy = original;
  EXPECT_EQ(copy, original);
  EXPECT_EQ(copy.next_u64(), original.next_u64());
  copy.next_u32();
  EXPECT_NE(copy, original);
}

TEST(random_stream, continues_after_storing) {
  random_stream original(1, 2U, 3U);
  for (int i = 0; i < 6; ++i) {
    original.next_u32();
  }
  random_stream restored;
  restore_state(save_state(original), restored);
  EXPECT_EQ(restored, original);
  EXPECT_EQ(restored.next_u32(), original.next_u32());
}

}  // namespace
}  // namespace tributary
