// SPDX-License-Identifier: Apache-2.0
// The gradual adaptive queue: its rate and limit by hand, and a queue that follows them.
#include <tributary/network/omega/gradual_limit.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/sim/error.h>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::message_of;

packet load_of(std::uint64_t word, std::uint32_t sequence) {
  packet made;
  made.location = location_of(mm_id{0}, word * word_bytes);
  made.sequence = sequence;
  return made;
}

combining_queue_config gradual(std::uint32_t slots) {
  combining_queue_config config;
  config.slots = slots;
  config.coupled = true;
  config.adaptive_limit = 2;
  config.adaptation = queue_adaptation::gradual;
  return config;
}

/// One queue, one arrival a cycle.
struct gradual_queue {
  explicit gradual_queue(const combining_queue_config& config) : queue(config) {}

  /// Whether it joined a waiting request.
  bool arrive(std::uint64_t word, bool wait_buffer_full = false) {
    combining_queue::arrival_context now;
    now.wait_buffer_full = wait_buffer_full;
    return queue.accept(0, load_of(word, sequence++), now, pool) != nullptr;
  }
  void leave() {
    const partner_index left_with = queue.release(0).partner;
    if (left_with != no_partner) pool.release(left_with);
  }

  combining_queue queue;
  partner_pool pool;
  std::uint32_t sequence = 0;
};

/// Rates at which the limit falls, in order.
std::vector<unsigned> falls_of(unsigned highest, unsigned lowest) {
  const gradual_limit limits(highest, lowest);
  std::vector<unsigned> falls;
  EXPECT_EQ(limits.at(0), highest);
  for (unsigned rate = 1; rate < 256; ++rate) {
    const int fall = limits.at(static_cast<std::uint8_t>(rate - 1)) -
                     int{limits.at(static_cast<std::uint8_t>(rate))};
    for (int i = 0; i < fall; ++i) falls.push_back(rate);
  }
  return falls;
}

TEST(gradual_limit, falls_evenly_from_an_eighth_to_104_of_256) {
  EXPECT_EQ(falls_of(4, 2), (std::vector<unsigned>{68, 104}));
  EXPECT_EQ(falls_of(3, 2), (std::vector<unsigned>{104}));
  EXPECT_EQ(falls_of(8, 2), (std::vector<unsigned>{44, 56, 68, 80, 92, 104}));
  // 72 / 5 = 14.4: thresholds are rounded down.
  EXPECT_EQ(falls_of(6, 1), (std::vector<unsigned>{46, 60, 75, 89, 104}));
  EXPECT_EQ(falls_of(64, 1).size(), 63U);
  EXPECT_EQ(falls_of(64, 1).front(), 33U);
  EXPECT_EQ(falls_of(64, 1).back(), 104U);
}

TEST(gradual_limit, one_that_is_never_reached_does_not_move) {
  EXPECT_TRUE(falls_of(4, 4).empty());
  EXPECT_TRUE(falls_of(3, 64).empty());
}

TEST(gradual_limit, the_rate_goes_a_sixteenth_of_the_way) {
  const std::vector<std::pair<bool, unsigned>> steps = {
      {false, 0}, {true, 16}, {true, 31}, {true, 45},  {true, 58},  {true, 70}, {false, 65},
      {true, 76}, {true, 87}, {true, 97}, {true, 106}, {false, 99}, {true, 108}};
  std::uint8_t rate = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    rate = gradual_limit::rate_after(rate, steps[i].first);
    EXPECT_EQ(rate, steps[i].second) << "arrival " << i;
  }
}

TEST(gradual_limit, the_rate_stays_in_its_byte) {
  for (unsigned rate = 0; rate < 256; ++rate) {
    const auto now = static_cast<std::uint8_t>(rate);
    EXPECT_GE(gradual_limit::rate_after(now, true), rate);
    EXPECT_LE(gradual_limit::rate_after(now, false), rate == 0 ? 0 : rate - 1);
  }
  std::uint8_t rate = 0;
  for (int i = 0; i < 1000; ++i) rate = gradual_limit::rate_after(rate, true);
  EXPECT_EQ(rate, 241);
  for (int i = 0; i < 1000; ++i) rate = gradual_limit::rate_after(rate, false);
  EXPECT_EQ(rate, 0);
}

/// Full combining, every second arrival joining, must mean the lowest limit at every moment.
TEST(gradual_limit, pairs_keep_the_limit_at_its_lowest) {
  std::uint8_t rate = 0;
  for (int i = 0; i < 200; ++i) rate = gradual_limit::rate_after(rate, i % 2 != 0);
  for (int i = 0; i < 200; ++i) {
    rate = gradual_limit::rate_after(rate, i % 2 != 0);
    EXPECT_EQ(rate, i % 2 != 0 ? 121 : 113);
  }
  rate = gradual_limit::rate_after(113, false);
  EXPECT_EQ(rate, 105) << "one more that does not join";
  EXPECT_EQ(gradual_limit(4, 2).at(rate), 2);
}

/// Five entries and a partner for each. A crude limit would refuse the third partner.
TEST(gradual_queue, refuses_where_the_falling_limit_meets_the_combined_requests) {
  gradual_queue tested(gradual(8));
  for (std::uint64_t word = 1; word <= 5; ++word) EXPECT_FALSE(tested.arrive(word));
  EXPECT_EQ(tested.queue.combining_rate(0), 0U);
  const std::size_t limits[] = {8, 8, 7, 6, 5};
  for (std::uint64_t word = 1; word <= 5; ++word) {
    EXPECT_TRUE(tested.queue.ready(0)) << "before word " << word;
    EXPECT_TRUE(tested.arrive(word));
    EXPECT_EQ(tested.queue.limit(0), limits[word - 1]);
    EXPECT_EQ(tested.queue.combined(0), word);
  }
  EXPECT_FALSE(tested.queue.ready(0)) << "five combined at a limit of five, and three free slots";
  tested.leave();
  EXPECT_TRUE(tested.queue.ready(0));
  EXPECT_EQ(tested.queue.combining_rate(0), 70U) << "a departure is no arrival";
  EXPECT_FALSE(tested.arrive(9));
  EXPECT_EQ(tested.queue.combining_rate(0), 65U);
  EXPECT_EQ(tested.queue.limit(0), 6U) << "the limit rises again";
}

TEST(gradual_queue, what_could_not_join_counts_as_not_joined) {
  gradual_queue tested(gradual(8));
  tested.arrive(1);
  tested.arrive(1);
  ASSERT_EQ(tested.queue.combining_rate(0), 16U);
  tested.arrive(2);
  EXPECT_EQ(tested.queue.combining_rate(0), 15U);
  EXPECT_FALSE(tested.arrive(2, true));
  EXPECT_EQ(tested.queue.combining_rate(0), 14U) << "the wait buffer was full";
}

TEST(gradual_queue, equality_sees_the_rate) {
  gradual_queue fresh(gradual(4));
  gradual_queue used(gradual(4));
  used.arrive(1);
  used.arrive(1);
  used.leave();
  EXPECT_TRUE(used.queue.empty(0));
  EXPECT_FALSE(used.queue.equals(used.pool, fresh.queue, fresh.pool));
}

TEST(gradual_queue, a_crude_limit_stays_and_measures_nothing) {
  combining_queue_config config = gradual(8);
  config.adaptation = queue_adaptation::crude;
  gradual_queue tested(config);
  for (std::uint64_t word = 1; word <= 3; ++word) tested.arrive(word);
  for (std::uint64_t word = 1; word <= 2; ++word) {
    EXPECT_TRUE(tested.queue.ready(0));
    tested.arrive(word);
    EXPECT_EQ(tested.queue.limit(0), 2U);
    EXPECT_EQ(tested.queue.combining_rate(0), 0U);
  }
  EXPECT_FALSE(tested.queue.ready(0));
}

/// What a switch with this change says of it; nothing if it is accepted.
template <class Change>
std::string refusal(Change change) {
  combining_switch_config config;
  config.adaptive_limit = 2;
  config.adaptation = queue_adaptation::gradual;
  change(config);
  return message_of<configuration_error>([&] { config.validate(); });
}

TEST(gradual_configuration, takes_a_limit_and_parallel_queues) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_EQ(refusal([](auto& c) { c.type = queue_type::a; }), "");
  EXPECT_EQ(refusal([](auto& c) { c.order = match_order::ordered; }), "");
  const std::string without = refusal([](auto& c) { c.adaptive_limit = 0; });
  EXPECT_TRUE(testing::names(without, {"network.adaptation", "adaptive_limit", "0"}));
  const std::string systolic =
      refusal([](auto& c) { c.microarchitecture = queue_microarchitecture::systolic; });
  EXPECT_TRUE(testing::names(systolic, {"network.adaptation", "gradual", "systolic"}));
}

TEST(gradual_configuration, of_a_queue_alone_is_refused_alike) {
  combining_queue_config config = gradual(4);
  EXPECT_NO_THROW(combining_queue{config});
  config.adaptive_limit = 0;
  EXPECT_THROW(combining_queue{config}, configuration_error);
  config = gradual(4);
  config.microarchitecture = queue_microarchitecture::systolic;
  EXPECT_THROW(combining_queue{config}, configuration_error);
}

}  // namespace
}  // namespace tributary
