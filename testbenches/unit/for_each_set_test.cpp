// SPDX-License-Identifier: Apache-2.0
// for_each_set compared with a plain loop, for all counts around its blocks and groups.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/sim/active_groups.h>
#include <tributary/sim/for_each_set.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/small_number.h>

namespace tributary {
namespace {

constexpr std::size_t most = 300;  // two groups, a block and a rest

/// Bytes of which one in `rarity` is not zero.
std::vector<std::uint8_t> random_bytes(random_stream& random, std::size_t count,
                                       std::uint32_t rarity) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& each : bytes) {
    if (random.below(rarity) == 0) each = static_cast<std::uint8_t>(random.below(256));
  }
  return bytes;
}

std::vector<std::size_t> places_of(const std::vector<std::uint8_t>& bytes, std::uint8_t mask) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if ((bytes[i] & mask) != 0) places.push_back(i);
  }
  return places;
}

class for_each_set_of_counts : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(for_each_set_of_counts, visits_what_a_plain_loop_does) {
  random_stream random(1, 0U, 0U);
  for (std::size_t count = 0; count <= most; ++count) {
    for (const std::uint8_t mask :
         {std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{0x80}, std::uint8_t{0xff}}) {
      const std::vector<std::uint8_t> bytes = random_bytes(random, count, GetParam());
      std::vector<std::size_t> visited;
      for_each_set(bytes, mask, [&](std::size_t i) { visited.push_back(i); });
      EXPECT_EQ(visited, places_of(bytes, mask)) << count << " bytes, mask " << int{mask};
    }
  }
}

TEST_P(for_each_set_of_counts, passes_quiet_groups) {
  constexpr std::size_t width = active_groups::width;
  random_stream random(2, 0U, 0U);
  for (std::size_t count = 1; count <= most; ++count) {
    active_groups active(count);
    std::vector<std::uint8_t> bytes = random_bytes(random, count, GetParam());
    std::vector<std::uint8_t> seen = bytes;
    active.for_each_and_keep([&](std::size_t first, std::size_t last) {
      const bool quiet = random.below(2) == 0;
      for (std::size_t i = first; quiet && i < last; ++i) seen[i] = 0;
      return !quiet;
    });
    const std::vector<small_number> numbers(bytes.begin(), bytes.end());
    std::vector<std::size_t> visited;
    for_each_set(numbers, active, 0xff, [&](std::size_t i) { visited.push_back(i); });
    EXPECT_EQ(visited, places_of(seen, 0xff)) << count << " bytes in groups of " << width;
  }
}

INSTANTIATE_TEST_SUITE_P(rarities, for_each_set_of_counts, ::testing::Values(1, 4, 40));

}  // namespace
}  // namespace tributary
