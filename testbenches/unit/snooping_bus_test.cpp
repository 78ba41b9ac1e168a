// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/sim/error.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/bus_bench.h>
#include <support/failure.h>

namespace tributary {
namespace {

using testing::bus_bench;
using testing::failure;
using testing::load_of;
using testing::statistic;
using testing::store_of;

using told = std::vector<bus_bench::told>;

// --- times ---------------------------------------------------------------------------------------

// Asked in cycle 10: the arbiter sees it in 12; address phase 14 to 15; answer in 20; memory's
// first word can move 16 cycles later, in 36, and is there in 38.
TEST(snooping_bus, a_read_takes_its_phases) {
  bus_bench b;
  b.memory.write(0x1008, 7);
  b.offer(0, 10, load_of(0x1008, 1));
  b.offer(0, 11, load_of(0x1000, 2));
  b.run();
  EXPECT_EQ(b.completions(0), (told{{38, 1, 7}, {40, 2, 0}}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::exclusive);
  EXPECT_TRUE(b.bus.idle());
  EXPECT_EQ(statistic(b.bus, "latency.read.mean"), 28);
  EXPECT_EQ(statistic(b.bus, "supplied.memory"), 1);
  EXPECT_EQ(statistic(b.bus, "address.busy"), 1);
  EXPECT_EQ(statistic(b.bus, "data.busy"), 4);
}

TEST(snooping_bus, the_owner_supplies_and_memory_is_not_asked) {
  bus_bench b;
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(1, 100, load_of(0x1000, 2));
  b.run();
  // Answer in 110, two bus cycles until the owner drives, one until the word is there.
  EXPECT_EQ(b.completions(1), (told{{116, 2, 7}}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::owned);
  EXPECT_EQ(b.state(1, 0x1000), line_state::shared);
  EXPECT_EQ(b.memory.reads, 1U);
  EXPECT_EQ(b.memory.writes, 0U);
  EXPECT_EQ(b.memory.read(0x1000), 0U);
  EXPECT_EQ(statistic(b.bus, "supplied.caches"), 1);
}

TEST(snooping_bus, an_upgrade_moves_no_data) {
  bus_bench b;
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(1, 100, load_of(0x1000, 2));
  b.offer(1, 200, store_of(0x1000, 8, 3));
  b.run();
  EXPECT_EQ(b.completions(1).back(), (bus_bench::told{210, 3, 7}));
  EXPECT_EQ(b.state(0, 0x1000), line_state::invalid);
  EXPECT_EQ(b.state(1, 0x1000), line_state::modified);
  EXPECT_EQ(b.caches(1).word_at(0x1000), 8U);
  EXPECT_EQ(statistic(b.bus, "transactions.upgrade"), 1);
  EXPECT_EQ(statistic(b.bus, "data.busy"), 8) << "two lines came before";
}

TEST(snooping_bus, a_changed_line_that_leaves_is_written_back) {
  bus_bench b(2, {}, testing::bus_cache(1024));
  b.offer(0, 10, store_of(0x1000, 7, 1));
  b.offer(0, 100, load_of(0x1400, 2));
  b.run();
  EXPECT_EQ(b.memory.read(0x1000), 7U);
  EXPECT_EQ(b.state(0, 0x1000), line_state::invalid);
  EXPECT_EQ(statistic(b.bus, "transactions.write_back"), 1);
}

}  // namespace
}  // namespace tributary
