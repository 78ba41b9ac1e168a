// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/bus_processor.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/bus_bench.h>
#include <support/failure.h>
#include <support/timed_actions.h>

namespace tributary {
namespace {

using step = processor_step;
using testing::load_of;
using testing::statistic;

/// A device of one word, which remembers what was written.
class one_word final : public bus_device {
 public:
  static constexpr bus_range range{std::uint64_t{1} << 40, 64};

  device_answer read(std::uint64_t, cycle_t) override { return device_answer::word(++reads); }
  bool write(std::uint64_t, word_t value, cycle_t) override {
    written.push_back(value);
    return true;
  }

  std::vector<word_t> written;
  word_t reads = 0;
};

/// Processors on a bus, which write down what they are told.
class bench : private bus_processor_client {
 public:
  struct done {
    cycle_t cycle;
    std::uint32_t processor;
    std::uint64_t tag;
    std::vector<word_t> found;
    bool operator==(const done& other) const {
      return cycle == other.cycle && processor == other.processor && tag == other.tag &&
             found == other.found;
    }
  };

  explicit bench(std::uint32_t processors = 2, const snooping_bus_config& config = {},
                 std::uint32_t accesses_at_once = 16)
      : bus(config, processors, testing::bus_bench::memory_at, clock, memory), play(clock) {
    cache_config caches = testing::bus_cache(1024);
    caches.levels[0].hit_cycles = 1;
    caches.accesses = accesses_at_once;
    bus.attach(one_word::range, device);
    for (std::uint32_t i = 0; i < processors; ++i) {
      all.push_back(std::make_unique<bus_processor>(caches, clock, bus, i));
      all.back()->set_client(*this);
    }
  }

  void run_at(cycle_t when, std::uint32_t processor, processor_steps given, std::uint64_t tag) {
    play.at(when, [=] { all[processor]->run(given, tag, when); });
  }
  void access_at(cycle_t when, std::uint32_t processor, const access& request) {
    play.at(when, [=] { all[processor]->begin_access(request, when); });
  }

  agenda clock;
  testing::plain_line_memory memory;
  snooping_bus bus;
  one_word device;
  std::vector<std::unique_ptr<bus_processor>> all;
  testing::timed_actions play;
  std::vector<done> steps;
  std::vector<std::pair<cycle_t, word_t>> accesses;

 private:
  void steps_done(std::uint32_t processor, std::uint64_t tag, const std::vector<word_t>& found,
                  cycle_t now) override {
    steps.push_back({now, processor, tag, found});
  }
  void access_done(std::uint32_t /*processor*/, word_t value, cycle_t now) override {
    accesses.emplace_back(now, value);
  }
};

using all_done = std::vector<bench::done>;

// A miss that begins in cycle 10 has its word in cycle 38, and the next one in 40
// (snooping_bus_test); a hit takes a cycle.
TEST(bus_processor, does_one_step_behind_the_other) {
  bench one;
  one.memory.write(0x1008, 7);
  one.run_at(10, 0, {step::load(0x1000), step::load(0x1008), step::spend(5), step::load(0x1008)},
             3);
  one.clock.advance_to(100);
  EXPECT_EQ(one.steps, (all_done{{46, 0, 3, {0, 7, 7}}}));
  EXPECT_TRUE(one.all[0]->idle());
  EXPECT_EQ(statistic(*one.all[0], "protocol_accesses"), 3);
}

TEST(bus_processor, steps_without_accesses_take_what_they_spend) {
  bench one;
  one.run_at(10, 0, {}, 1);
  one.run_at(20, 0, {step::spend(0)}, 2);
  one.run_at(30, 0, {step::spend(5), step::spend(6)}, 3);
  one.clock.advance_to(100);
  EXPECT_EQ(one.steps, (all_done{{10, 0, 1, {}}, {20, 0, 2, {}}, {41, 0, 3, {}}}));
}

TEST(bus_processor, what_it_is_given_later_waits) {
  bench one;
  one.run_at(10, 0, {step::spend(20)}, 1);
  one.run_at(11, 0, {step::spend(3)}, 2);
  one.run_at(12, 0, {}, 3);
  one.run_at(12, 1, {step::spend(2)}, 4);
  one.play.at(15, [&] {
    EXPECT_TRUE(one.all[0]->has_job(1));
    EXPECT_TRUE(one.all[0]->has_job(3));
    EXPECT_FALSE(one.all[0]->has_job(4));
    EXPECT_FALSE(one.all[0]->idle());
  });
  one.clock.advance_to(100);
  EXPECT_EQ(one.steps, (all_done{{14, 1, 4, {}}, {30, 0, 1, {}}, {33, 0, 2, {}}, {33, 0, 3, {}}}));
  EXPECT_FALSE(one.all[0]->has_job(1));
}

TEST(bus_processor, a_store_is_seen_by_the_other_processors_load) {
  bench one;
  one.run_at(10, 0, {step::store(0x1000, 5)}, 1);
  one.run_at(100, 1, {step::load(0x1000)}, 2);
  one.clock.advance_to(200);
  ASSERT_EQ(one.steps.size(), 2U);
  EXPECT_EQ(one.steps[1].found, (std::vector<word_t>{5}));
  EXPECT_EQ(one.memory.reads, 1U) << "the owner supplies it";
}

TEST(bus_processor, posted_stores_to_devices_wait_for_room_only) {
  snooping_bus_config config;
  config.uncached = 2;
  bench one(1, config);
  processor_steps steps;
  for (word_t i = 1; i <= 6; ++i) steps.push_back(step::write_device(one_word::range.base, i));
  one.run_at(10, 0, steps, 1);
  one.run_at(10, 0, {step::read_device(one_word::range.base)}, 2);
  one.clock.advance_to(500);
  EXPECT_EQ(one.device.written, (std::vector<word_t>{1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(one.steps.size(), 2U);
  EXPECT_EQ(one.steps[1].found, (std::vector<word_t>{1}));
  // The last two are still on their way when it goes on, and the load is behind them.
  EXPECT_LT(one.steps[0].cycle + 16, one.steps[1].cycle);
}

TEST(bus_processor, waits_until_the_device_has_the_last_word) {
  bench one;
  one.run_at(
      20, 0,
      {step::write_device(one_word::range.base, 1), step::finish_device(one_word::range.base, 2)},
      1);
  one.play.at(30, [&] { EXPECT_TRUE(one.device.written.empty()); });
  one.clock.advance_to(500);
  ASSERT_EQ(one.steps.size(), 1U);
  EXPECT_EQ(one.device.written, (std::vector<word_t>{1, 2}));
  EXPECT_GT(one.steps[0].cycle, 40U);
}

/// Else a processor that acts could wait for room that its own program's access has.
TEST(bus_processor, a_step_has_the_room_of_an_access_that_is_taken_back) {
  bench one(1, {}, 1);
  one.access_at(10, 0, load_of(0x2000));
  one.run_at(11, 0, {step::load(0x1000)}, 1);
  one.play.at(12, [&] { one.all[0]->withdraw_access(12); });
  one.clock.advance_to(500);
  EXPECT_TRUE(one.accesses.empty());
  EXPECT_EQ(one.steps.size(), 1U);
}

TEST(bus_processor, a_program_and_the_protocol_have_an_access_each) {
  bench one;
  one.memory.write(0x2000, 9);
  one.access_at(10, 0, load_of(0x2000, 77));
  one.run_at(10, 0, {step::load(0x1000), step::spend(100)}, 1);
  one.clock.advance_to(500);
  ASSERT_EQ(one.accesses.size(), 1U);
  EXPECT_EQ(one.accesses[0].second, 9U);
  ASSERT_EQ(one.steps.size(), 1U);
  EXPECT_GT(one.steps[0].cycle, one.accesses[0].first);
}

TEST(bus_processor, a_warm_line_is_a_hit) {
  bench one;
  line_data words{};
  words[1] = 8;
  one.all[0]->warm(0x1000, words);
  one.all[0]->warm(0x1400, {});  // its place is taken
  one.run_at(10, 0, {step::load(0x1008), step::store(0x1008, 9)}, 1);
  one.clock.advance_to(500);
  EXPECT_EQ(one.steps, (all_done{{12, 0, 1, {8}}}));
  EXPECT_EQ(one.memory.reads, 0U);
  EXPECT_EQ(one.all[0]->caches().state_of(0x1000), line_state::modified);
  EXPECT_EQ(one.all[0]->caches().state_of(0x1400), line_state::invalid);
}

TEST(bus_processor, goes_on_from_where_it_was_saved) {
  const auto begin = [](bench& one) {
    one.memory.write(0x1000, 4);
    one.all[0]->run({step::load(0x1000), step::spend(50), step::load(0x1000)}, 1, 1);
    one.all[0]->run({step::spend(3)}, 2, 1);
  };
  for (const cycle_t when : {1U, 11U, 31U, 79U, 82U}) {
    bench one;
    begin(one);
    one.clock.advance_to(when);
    bench other;
    other.memory.lines = one.memory.lines;
    other.bus.restore(one.bus.save());
    for (std::size_t i = 0; i < 2; ++i) other.all[i]->restore(one.all[i]->save());
    other.clock.restore(one.clock.save());
    other.steps = one.steps;
    one.clock.advance_to(500);
    other.clock.advance_to(500);
    EXPECT_EQ(other.steps, one.steps) << when;
    EXPECT_EQ(one.steps.size(), 2U) << when;
    EXPECT_EQ(other.all[0]->save(), one.all[0]->save());
  }
}

}  // namespace
}  // namespace tributary
