// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/processing_elements.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tributary {
namespace {

/// The cycles of the first requests of all slots, element after element.
std::vector<cycle_t> first_requests(std::uint32_t window, std::uint32_t elements,
                                    std::uint32_t slots, std::uint64_t seed) {
  processing_element_config config;
  config.start_window = window;
  processing_elements tested(config, elements, slots, seed);
  std::vector<cycle_t> starts(std::size_t{elements} * slots);
  for (cycle_t now = 0; now <= window + 1; ++now) {
    tested.wake(now, [&](const pe_slot& due) { starts[due.pe * slots + due.slot] = now; });
  }
  return starts;
}

TEST(processing_elements, first_requests_fill_the_window_and_nothing_outside_it) {
  for (const std::uint32_t window : {1U, 2U, 1000U}) {
    const std::vector<cycle_t> starts = first_requests(window, 8192, 2, 5);
    EXPECT_EQ(*std::min_element(starts.begin(), starts.end()), 1U) << "window " << window;
    EXPECT_EQ(*std::max_element(starts.begin(), starts.end()), window) << "window " << window;
  }
}

// Seeds are samples only if the next seed does not give each slot the start of its neighbour.
TEST(processing_elements, consecutive_seeds_share_no_sequence_of_starts) {
  const std::vector<cycle_t> first = first_requests(100000, 64, 2, 1);
  const std::vector<cycle_t> second = first_requests(100000, 64, 2, 2);
  std::size_t equal = 0;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) equal += second[i] == first[i + 1] ? 1 : 0;
  EXPECT_LE(equal, 1U);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace tributary
