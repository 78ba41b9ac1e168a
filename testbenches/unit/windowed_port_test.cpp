// SPDX-License-Identifier: Apache-2.0
// A processor's port by windows, and a port in a slower clock.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/clock_crossing.h>
#include <tributary/memory/windowed_port.h>
#include <tributary/sim/error.h>

#include <support/accesses.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/told_port.h>

namespace tributary {
namespace {

using testing::failure;
using testing::load_of;
using testing::store_of;
using testing::told_port;

constexpr std::uint64_t other_space = std::uint64_t{1} << 20;

/// What a client was told: "completed 3 at 10".
class told_client final : public memory_client {
 public:
  void completed(const completion& ended, cycle_t now) override {
    told.push_back("completed " + std::to_string(ended.tag) + " at " + std::to_string(now));
  }
  void room(std::size_t, cycle_t now) override { told.push_back("room at " + std::to_string(now)); }
  void settled(std::size_t, cycle_t now) override {
    told.push_back("settled at " + std::to_string(now));
  }
  std::vector<std::string> told;
};

/// Caches for space 0, past them everything else, as a node has it.
struct two_windows {
  two_windows() : unit("accesses", windows(cached, uncached)) { unit.set_client(&client); }

  static std::vector<port_window> windows(told_port& first, told_port& second) {
    port_window lines;
    lines.mask = other_space;
    lines.port = &first;
    port_window others;
    others.port = &second;
    others.posts_stores = true;
    others.waits_for_stores = true;
    return {lines, others};
  }

  told_port cached;
  told_port uncached;
  told_client client;
  windowed_port unit;
};

using told = std::vector<std::string>;

TEST(windowed_port, accesses_go_where_their_address_leads) {
  two_windows b;
  b.unit.offer(0, load_of(0x40, 1), 5);
  b.cached.answer(7);
  b.unit.offer(0, load_of(other_space + 0x48, 2), 8);
  b.uncached.answer(9);
  ASSERT_EQ(b.cached.taken.size(), 1U);
  EXPECT_EQ(b.cached.taken[0].second.address, 0x40U);
  ASSERT_EQ(b.uncached.taken.size(), 1U);
  EXPECT_EQ(b.uncached.taken[0].second.address, other_space + 0x48);
  EXPECT_EQ(b.client.told, (told{"completed 1 at 7", "completed 2 at 9"}));
  EXPECT_TRUE(b.unit.idle());
}

/// Two windows of one port do not wait for each other.
TEST(windowed_port, windows_of_one_port_are_one) {
  told_port cached;
  told_port uncached;
  told_client client;
  std::vector<port_window> windows = two_windows::windows(cached, uncached);
  port_window page;
  page.mask = other_space | 0xf000;
  page.value = other_space | 0x1000;
  page.port = &cached;
  windows.insert(windows.begin() + 1, page);
  windowed_port unit("accesses", windows);
  unit.set_client(&client);
  unit.offer(0, load_of(0x40, 1), 5);
  unit.offer(0, load_of(other_space + 0x1008, 2), 6);
  EXPECT_EQ(cached.taken.size(), 2U);
  unit.offer(0, load_of(other_space + 0x2008, 3), 7);
  EXPECT_TRUE(uncached.taken.empty()) << "it waits for those to the other port";
  cached.answer(8);
  cached.answer(9);
  EXPECT_EQ(uncached.taken.size(), 1U);
  EXPECT_EQ(unit.outstanding(0), 1U);
}

TEST(windowed_port, an_access_waits_for_those_to_other_windows) {
  two_windows b;
  b.unit.offer(0, load_of(0x40, 1), 5);
  b.unit.offer(0, load_of(0x80, 2), 6);
  EXPECT_EQ(b.cached.taken.size(), 2U) << "of one window they follow at once";
  b.unit.offer(0, store_of(other_space, 9, 3), 7);
  EXPECT_FALSE(b.unit.can_take());
  EXPECT_EQ(b.unit.waiting(), 1U);
  EXPECT_NE(failure([&] { b.unit.offer(0, load_of(0xc0, 4), 7); }).find("0xc0"), std::string::npos);
  b.cached.answer(10);
  EXPECT_TRUE(b.uncached.taken.empty());
  b.cached.answer(12);
  ASSERT_EQ(b.uncached.taken.size(), 1U);
  EXPECT_EQ(b.uncached.taken[0].first, 12U);
  EXPECT_TRUE(b.uncached.taken[0].second.posted) << "a store of this window";
  EXPECT_EQ(b.client.told, (told{"completed 1 at 10", "completed 2 at 12", "room at 12"}));
}

TEST(windowed_port, a_load_past_the_caches_waits_for_incomplete_stores_and_a_store_does_not) {
  two_windows b;
  b.cached.incomplete = 2;
  b.unit.offer(0, store_of(other_space, 9, 1), 5);
  ASSERT_EQ(b.uncached.taken.size(), 1U);
  b.uncached.answer(6);
  b.unit.offer(0, load_of(other_space, 2), 7);
  EXPECT_EQ(b.uncached.taken.size(), 1U);
  b.cached.settle(20);
  ASSERT_EQ(b.uncached.taken.size(), 2U);
  EXPECT_EQ(b.uncached.taken[1].first, 20U);
  EXPECT_EQ(b.client.told, (told{"completed 1 at 6", "room at 20", "settled at 20"}));
}

TEST(windowed_port, an_access_waits_for_its_ports_room) {
  two_windows b;
  b.uncached.room = false;
  b.unit.offer(0, load_of(other_space, 1), 5);
  EXPECT_TRUE(b.uncached.taken.empty());
  b.uncached.tell_room(8);
  EXPECT_EQ(b.uncached.taken.size(), 1U);
  b.cached.room = false;
  EXPECT_FALSE(b.unit.can_take()) << "the next access may be for the first window";
  b.cached.tell_room(11);
  EXPECT_EQ(b.client.told, (told{"room at 8", "room at 11"}));
}

TEST(windowed_port, goes_on_from_a_saved_state) {
  two_windows first;
  first.unit.offer(0, load_of(0x40, 1), 5);
  first.unit.offer(0, store_of(other_space, 9, 2), 6);
  two_windows second;
  second.cached.offer(0, load_of(0x40, 1), 5);
  second.unit.restore(first.unit.save());
  EXPECT_EQ(second.unit.save(), first.unit.save());
  second.cached.answer(10);
  ASSERT_EQ(second.uncached.taken.size(), 1U);
  EXPECT_EQ(second.uncached.taken[0].second.function.a, 9U);
  EXPECT_TRUE(second.uncached.taken[0].second.posted);
}

TEST(windowed_port, addresses_without_a_window_are_refused) {
  told_port only;
  port_window low;
  low.mask = other_space;
  low.port = &only;
  const windowed_port unit("accesses", {low});
  const std::string problem = failure([&] { unit.check(0, load_of(other_space)); });
  EXPECT_TRUE(testing::names(problem, {"accesses", "0x100000"})) << problem;
  EXPECT_NE(failure([&] { unit.check(0, load_of(3)); }), "") << "its port refuses it";
  EXPECT_NE(failure<configuration_error>([] { windowed_port("accesses", {}); }), "");
}

// --- clocks --------------------------------------------------------------------------------------

TEST(clock_crossing, a_port_sees_its_next_edge_and_the_processor_the_cycle_that_begins_with_one) {
  agenda processor;
  told_port below;
  told_client client;
  clock_crossing unit("uncached", 4, 0, processor, below);
  unit.set_client(&client);
  processor.advance_to(9);
  unit.offer(0, load_of(0x40, 1), 8);
  unit.offer(0, load_of(0x48, 2), 9);
  unit.offer(0, load_of(0x50, 3), 11);
  for (const auto& [when, request] : below.taken) EXPECT_EQ(when, 3U) << request.tag;
  EXPECT_FALSE(unit.can_take() && !below.room);
  below.answer(7);
  EXPECT_FALSE(unit.idle());
  EXPECT_EQ(unit.outstanding(), 3U) << "one is answered, and the processor does not know";
  below.answer(7);
  below.tell_room(8);
  below.settle(9);
  processor.advance_to(40);
  EXPECT_EQ(client.told,
            (told{"completed 1 at 28", "completed 2 at 28", "room at 32", "settled at 36"}));
}

TEST(clock_crossing, an_answer_is_kept_for_a_pause) {
  agenda processor;
  told_port below;
  told_client client;
  clock_crossing unit("uncached", 4, 29, processor, below);
  unit.set_client(&client);
  unit.offer(0, load_of(0x40, 1), 1);
  below.answer(10);
  clock_crossing second("uncached", 4, 29, processor, below);
  second.restore(unit.save());
  EXPECT_EQ(second.save(), unit.save());
  processor.advance_to(200);
  EXPECT_EQ(client.told, (told{"completed 1 at 156"}));
}

}  // namespace
}  // namespace tributary
