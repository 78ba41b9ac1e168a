// SPDX-License-Identifier: Apache-2.0
// Rule 8 of the cycle contract, and the local port.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/memory.h>
#include <tributary/memory/node_memory.h>
#include <tributary/sim/error.h>
#include <tributary/trace/communication_events.h>

#include <support/accesses.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/unit_trace.h>

namespace tributary {
namespace {

packet request(std::uint32_t sequence, word_function what = {form::add, 1, 0},
               std::uint64_t word = 0) {
  packet made;
  made.location = location_of(mm_id{0}, word * word_bytes);
  made.sequence = sequence;
  made.set_function(what);
  return made;
}

/// One module; each cycle takes what is offered to it if it is ready.
struct module_under_test {
  explicit module_under_test(memory_config config, std::uint32_t link_cycles = 2)
      : core(config, link_cycles, 1) {}

  bool ready() const { return core.request_ready()[0] != 0; }
  bool local_ready() const { return core.local_ready()[0] != 0; }

  /// Simulates a cycle. `arrival` must be sent only if ready, `local` only if local_ready.
  void cycle(const std::optional<packet>& arrival = {}, const std::optional<packet>& local = {},
             bool network_takes = true) {
    ++now;
    const std::uint8_t takes = network_takes ? 1 : 0;
    core.depart(&takes);
    core.advance();
    if (arrival) {
      core.serve(0, *arrival, now);
      served.emplace_back(now, arrival->sequence);
    }
    if (local) core.accept_local(0, *local);
    core.serve_local(now, [&](std::size_t, const packet& what, word_t) {
      served_locally.emplace_back(now, what.sequence);
    });
    core.release_replies(now, [&](std::size_t, const reply& what) {
      replied.emplace_back(now, what.sequence);
      values.push_back(what.value);
    });
    core.release_local_replies(now, [&](std::size_t, const reply& what) {
      replied_locally.emplace_back(now, what.sequence);
    });
    core.settle();
  }
  void idle_cycles(int cycles) {
    for (int i = 0; i < cycles; ++i) cycle();
  }

  using times = std::vector<std::pair<cycle_t, std::uint32_t>>;
  memory core;
  cycle_t now = 0;
  times served, served_locally, replied, replied_locally;
  std::vector<word_t> values;
};

memory_config config(std::uint32_t interval, std::uint32_t latency, std::uint32_t pipeline = 16) {
  memory_config made;
  made.interval = interval;
  made.latency = latency;
  made.pipeline = pipeline;
  return made;
}

TEST(memory, accepts_the_next_request_after_the_interval) {
  for (const std::uint32_t interval : {1U, 2U, 4U, 40U}) {
    module_under_test one(config(interval, 2), 1);
    std::uint32_t sequence = 0;
    for (int i = 0; i < 100; ++i) {
      one.cycle(one.ready() ? std::optional(request(sequence++)) : std::nullopt);
    }
    ASSERT_GE(one.served.size(), 2U);
    for (std::size_t i = 0; i < one.served.size(); ++i) {
      ASSERT_EQ(one.served[i].first, 1 + i * interval) << "interval " << interval;
    }
  }
}

TEST(memory, offers_the_response_after_the_latency) {
  for (const std::uint32_t latency : {1U, 2U, 3U, 38U}) {
    module_under_test one(config(4, latency));
    one.cycle(request(7));
    one.idle_cycles(50);
    EXPECT_EQ(one.replied, (module_under_test::times{{1 + latency, 7}})) << "latency " << latency;
    EXPECT_TRUE(one.core.idle());
  }
}

TEST(memory, answers_the_old_word_for_every_operation) {
  module_under_test one(config(1, 1), 1);
  one.cycle(request(0, {form::constant, 10, 0}));
  one.cycle(request(1, {form::add, 5, 0}));
  one.cycle(request(2, {form::constant, 3, 0}));
  one.cycle(request(3, {form::identity, 0, 0}));
  one.idle_cycles(5);
  EXPECT_EQ(one.values, (std::vector<word_t>{0, 10, 15, 3}));
  EXPECT_EQ(one.core.words().read(location_of(mm_id{0}, 0)), 3U);
}

TEST(memory, a_full_pipeline_accepts_nothing) {
  module_under_test one(config(1, 1, 2), 1);
  one.cycle(request(0), {}, false);
  ASSERT_TRUE(one.ready());
  one.cycle(request(1), {}, false);
  EXPECT_FALSE(one.ready());
  for (int i = 0; i < 20; ++i) {
    one.cycle({}, {}, false);
    ASSERT_FALSE(one.ready()) << "nothing was taken";
  }
  one.cycle();
  EXPECT_EQ(one.replied.size(), 1U);
  EXPECT_TRUE(one.ready()) << "seen one cycle after the departure";
}

TEST(memory, responses_leave_in_order_and_at_the_pace_of_the_link) {
  module_under_test one(config(1, 1), 3);
  for (std::uint32_t i = 0; i < 4; ++i) one.cycle(request(i));
  one.idle_cycles(20);
  EXPECT_EQ(one.replied, (module_under_test::times{{2, 0}, {5, 1}, {8, 2}, {11, 3}}));
}

TEST(memory, a_refused_response_stays) {
  module_under_test one(config(4, 2));
  one.cycle(request(9));
  for (int i = 0; i < 10; ++i) one.cycle({}, {}, false);
  EXPECT_TRUE(one.replied.empty());
  one.cycle();
  EXPECT_EQ(one.replied, (module_under_test::times{{12, 9}}));
}

TEST(memory, a_lone_local_access_takes_the_latency) {
  for (const std::uint32_t latency : {1U, 2U, 38U}) {
    module_under_test one(config(4, latency));
    ASSERT_TRUE(one.local_ready());
    one.cycle({}, request(5));
    one.idle_cycles(60);
    EXPECT_EQ(one.served_locally, (module_under_test::times{{1, 5}}));
    EXPECT_EQ(one.replied_locally, (module_under_test::times{{1 + latency, 5}}))
        << "latency " << latency;
    EXPECT_TRUE(one.replied.empty());
    EXPECT_TRUE(one.core.idle());
  }
}

TEST(memory, the_network_comes_first_once) {
  module_under_test one(config(4, 2));
  one.cycle(request(0), request(100));
  EXPECT_TRUE(one.served_locally.empty());
  EXPECT_FALSE(one.local_ready());
  for (int i = 0; i < 20; ++i) one.cycle(one.ready() ? std::optional(request(1)) : std::nullopt);
  ASSERT_EQ(one.served_locally.size(), 1U);
  EXPECT_EQ(one.served_locally[0].first, 5U) << "the service after the network's";
  ASSERT_GE(one.served.size(), 2U);
  EXPECT_EQ(one.served[1].first, 9U);
}

/// Both sides always have a request: services alternate, so each waits at most for one.
TEST(memory, each_side_waits_for_at_most_one_service_of_the_other) {
  for (const std::uint32_t interval : {1U, 2U, 4U, 7U}) {
    module_under_test one(config(interval, 2), 1);
    std::uint32_t sequence = 0;
    for (int i = 0; i < 300; ++i) {
      const auto next = [&](bool ready) {
        return ready ? std::optional(request(sequence++)) : std::nullopt;
      };
      const auto arrival = next(one.ready());
      one.cycle(arrival, next(one.local_ready()));
    }
    std::vector<std::pair<cycle_t, char>> order;
    for (const auto& each : one.served) order.emplace_back(each.first, 'n');
    for (const auto& each : one.served_locally) order.emplace_back(each.first, 'l');
    std::sort(order.begin(), order.end());
    ASSERT_GT(order.size(), 20U);
    for (std::size_t i = 1; i < order.size(); ++i) {
      ASSERT_NE(order[i].second, order[i - 1].second)
          << "interval " << interval << ", twice the same side at " << order[i].first;
      ASSERT_GE(order[i].first - order[i - 1].first, interval);
    }
  }
}

TEST(memory, states_compare) {
  module_under_test one(config(4, 2));
  module_under_test other(config(4, 2));
  EXPECT_TRUE(one.core == other.core);
  one.cycle(request(0));
  other.cycle(request(0));
  EXPECT_TRUE(one.core == other.core);
  one.cycle();
  EXPECT_FALSE(one.core == other.core);
  other.cycle();
  EXPECT_TRUE(one.core == other.core);
  one.cycle({}, request(3));
  other.cycle();
  EXPECT_FALSE(one.core == other.core);
}

// --- the memory that a processor shares with its interface ---------------------------------------

/// What a client was told: "3 is 7 at 10".
class told_completions final : public memory_client {
 public:
  void completed(const completion& ended, cycle_t now) override {
    told.push_back(std::to_string(ended.tag) + " is " + std::to_string(ended.value) + " at " +
                   std::to_string(now));
  }
  void room(std::size_t, cycle_t now) override { told.push_back("room at " + std::to_string(now)); }

  std::vector<std::string> told;
};

constexpr std::uint64_t own_words = 0x4000;

struct shared_memory {
  explicit shared_memory(const node_memory_config& config = {})
      : memory(config, time, 64, own_words) {
    memory.set_client(&client);
  }

  agenda time;
  node_memory memory;
  told_completions client;
};

using told = std::vector<std::string>;

TEST(node_memory, accesses_end_after_the_latency_one_a_cycle) {
  shared_memory b;
  b.memory.offer(0, testing::store_of(own_words + 8, 7, 1), 10);
  b.memory.offer(0, testing::load_of(own_words + 8, 2), 10);
  EXPECT_EQ(b.memory.outstanding(), 2U);
  b.time.advance_to(14);
  EXPECT_EQ(b.client.told, told{});
  b.time.advance_to(20);
  EXPECT_EQ(b.client.told, (told{"1 is 0 at 15", "2 is 7 at 16"}));
  EXPECT_TRUE(b.memory.idle());
}

TEST(node_memory, the_interface_reads_and_writes_in_between) {
  shared_memory b;
  b.memory.offer(0, testing::load_of(own_words + 56, 1), 10);
  b.time.advance_to(12);
  b.memory.write(56, 9);
  b.time.advance_to(15);
  EXPECT_EQ(b.client.told, (told{"1 is 9 at 15"}));
  EXPECT_EQ(b.memory.perform(56, {form::add, 2, 0}), 9U);
  EXPECT_EQ(b.memory.read(56), 11U);
}

TEST(node_memory, it_is_full_by_its_parameter_and_tells_of_room) {
  node_memory_config config;
  config.queue = 1;
  shared_memory b(config);
  b.memory.offer(0, testing::load_of(own_words, 1), 1);
  EXPECT_FALSE(b.memory.can_take());
  EXPECT_TRUE(testing::names(
      testing::failure([&] { b.memory.offer(0, testing::load_of(own_words, 2), 1); }),
      {"memory, cycle 1", "1 are under way"}));
  b.time.advance_to(6);
  EXPECT_EQ(b.client.told, (told{"1 is 0 at 6", "room at 6"}));
}

TEST(node_memory, words_outside_and_kinds_of_caches_are_refused) {
  shared_memory b;
  const auto refusal = [&](const access& request) {
    return testing::failure<simulation_error>([&] { b.memory.check(0, request); });
  };
  EXPECT_EQ(refusal(testing::load_of(own_words + 56)), "");
  EXPECT_TRUE(testing::names(refusal(testing::load_of(own_words + 64)), {"0x40", "to 0x38"}));
  EXPECT_TRUE(testing::names(refusal(testing::load_of(own_words + 4)), {"0x4", "to 0x38"}));
  EXPECT_NE(refusal(testing::load_of(own_words - 8)), "");
  access linked = testing::load_of(own_words);
  linked.kind = access_kind::load_linked;
  EXPECT_TRUE(testing::names(refusal(linked), {"load_linked", "no caches"}));
}

TEST(node_memory, accesses_are_told_with_their_purpose_and_bytes) {
  namespace events = communication_events;
  shared_memory b;
  testing::unit_trace trace(b.memory);
  access lower = testing::store_of(own_words, 5);
  lower.function = {form::merge, 5, byte_mask(0x0f)};
  lower.purpose = static_cast<std::uint8_t>(communication_purpose::reduce);
  b.memory.offer(0, lower, 1);
  b.memory.offer(0, testing::load_of(own_words), 1);
  b.time.advance_to(10);
  ASSERT_EQ(trace.events().size(), 2U);
  const trace_event store = trace.events()[0];
  EXPECT_EQ(trace.track(store), "memory");
  EXPECT_EQ(events::purpose.in(store.details), 5U);
  EXPECT_EQ(events::bytes.in(store.details), 4U);
  EXPECT_EQ(events::writes.in(store.details), 1U);
  EXPECT_EQ(events::bytes.in(trace.events()[1].details), 8U);
  EXPECT_EQ(events::writes.in(trace.events()[1].details), 0U);
}

/// Between two cycles, with an access under way.
TEST(node_memory, a_restored_one_goes_on_as_the_saved_one) {
  shared_memory saved;
  saved.memory.write(8, 3);
  saved.memory.offer(0, testing::load_of(own_words + 8, 4), 2);
  saved.time.advance_to(3);
  shared_memory restored;
  restored.time.restore(saved.time.save());
  restored.memory.restore(saved.memory.save());
  restored.time.advance_to(7);
  EXPECT_EQ(restored.client.told, (told{"4 is 3 at 7"}));
}

}  // namespace
}  // namespace tributary
