// SPDX-License-Identifier: Apache-2.0
// The block transfer on MAGIC nodes, in cycles.
#include <gtest/gtest.h>

#include <cstdint>

#include <support/copying_machine.h>

namespace tributary {
namespace {

using testing::copying_machine;
using testing::small_machine;

TEST(block_transfer_magic_test, one_page_takes_22500_ns) {
  copying_machine run(small_machine(2), {}, {}, {{{0, 0x2000, 1, 0x21000, 4096}}});
  const cycle_t last = run.run();
  const std::uint64_t cycles = last - run.begun();
  EXPECT_EQ(run.outcomes(0)[0].result, block_transfer_result::accepted);
  // FLASH 5.4.3
  EXPECT_NEAR(static_cast<double>(cycles), 2250, 2250 * 0.015);
  EXPECT_EQ(run.of_handler(0, "block_transfer.transfer", "sum"), 1484.0);
  EXPECT_EQ(run.of_handler(0, "block_transfer.transfer", "count"), 8.0);
  RecordProperty("cycles", static_cast<int>(cycles));
}

TEST(block_transfer_magic_test, delegation) {
  const auto cycles = [](std::uint32_t from, std::uint32_t to) {
    copying_machine run(small_machine(3), {}, {}, {{{from, 0x2000, to, 0x21000, 4096}}});
    const cycle_t last = run.run();
    return static_cast<double>(last - run.begun());
  };
  const double local = cycles(0, 1);
  // V43: about 2.5 us more (FLASH 5.3.2)
  EXPECT_NEAR(cycles(1, 2) - local, 250, 50);
  EXPECT_NEAR(cycles(1, 0) - local, 250, 50);
  RecordProperty("more", static_cast<int>(cycles(1, 0) - local));
}

}  // namespace
}  // namespace tributary
