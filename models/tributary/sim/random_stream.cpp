// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/random_stream.h>

#include <cmath>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

// Multipliers and key increments of Philox4x32 (Salmon et al., SC 2011, section 4.3; the increments
// are the golden ratio and the square root of 3 less 1, on a scale of 2^32).
constexpr std::uint64_t multiplier_0 = 0xD2511F53U;
constexpr std::uint64_t multiplier_1 = 0xCD9E8D57U;
constexpr std::uint32_t key_increment_0 = 0x9E3779B9U;
constexpr std::uint32_t key_increment_1 = 0xBB67AE85U;
constexpr int rounds = 10;

constexpr std::uint32_t low_word(std::uint64_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t high_word(std::uint64_t value) noexcept {
  return static_cast<std::uint32_t>(value >> 32U);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) noexcept {
  // In variables, which compilers keep in registers.
  auto [word_0, word_1, word_2, word_3] = counter;
  auto [key_0, key_1] = key;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product_0 = multiplier_0 * word_0;
    const std::uint64_t product_1 = multiplier_1 * word_2;
    word_0 = high_word(product_1) ^ word_1 ^ key_0;
    word_1 = low_word(product_1);
    word_2 = high_word(product_0) ^ word_3 ^ key_1;
    word_3 = low_word(product_0);
    key_0 += key_increment_0;
    key_1 += key_increment_1;
  }
  return {word_0, word_1, word_2, word_3};
}

std::uint64_t probability_threshold(double p) {
  if (!(p >= 0.0 && p <= 1.0)) {
    throw error("a probability of " + std::to_string(p) +
                " cannot be drawn (allowed: 0 to 1); check it where it is read");
  }
  // 2^32 p is exact in a double; rounded to the nearest threshold, 0 and 1 stay exact.
  return static_cast<std::uint64_t>(std::llround(p * 4294967296.0));
}

void random_stream::refill() noexcept {
  words_ = philox4x32_10({low_word(block_), high_word(block_), element_, purpose_},
                         {low_word(seed_), high_word(seed_)});
  ++block_;
  used_ = 0;
}

}  // namespace tributary
