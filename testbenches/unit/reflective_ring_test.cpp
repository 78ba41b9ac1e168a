// SPDX-License-Identifier: Apache-2.0
// The ring of reflective memories: when words are where, what waits, and what is refused.
#include <tributary/nic/reflective_ring.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::failure;
using testing::names;

/// A ring whose hosts ask by hand.
class ring_bench : private memory_client, private observer<applied_word> {
 public:
  explicit ring_bench(std::uint32_t nodes, const reflective_ring_config& config = {})
      : ring(config, nodes, time) {
    ring.applied().attach(*this);
    for (std::uint32_t i = 0; i < nodes; ++i) ring.port(i).set_client(this);
  }

  void store(std::uint32_t node, std::uint64_t word, word_t value) {
    ring.port(node).offer(node, posted_store(reflected_address(word), value), time.now());
  }
  void load(std::uint32_t node, std::uint64_t word) {
    ring.port(node).offer(node, {reflected_address(word), {}, 7}, time.now());
  }
  void run(cycle_t last) { time.advance_to(last); }
  void run_until_idle() {
    while (time.next_wakeup() != never) time.advance_to(time.next_wakeup());
  }
  double statistic(const std::string& path) const {
    statistics_tree tree;
    ring.report(tree.group("ring"), time.now());
    return tree.find("ring." + path);
  }

  agenda time;
  reflective_ring ring;
  std::vector<std::pair<cycle_t, word_t>> completed_at;
  std::vector<cycle_t> settled_at;
  std::vector<std::pair<std::uint32_t, cycle_t>> applied_at;  ///< node and cycle
  std::vector<word_t> applied_data;

 private:
  void completed(const completion& ended, cycle_t now) override {
    completed_at.emplace_back(now, ended.value);
  }
  void room(std::size_t /*element*/, cycle_t /*now*/) override {}
  void settled(std::size_t /*element*/, cycle_t now) override { settled_at.push_back(now); }
  void on_event(const applied_word& event) override {
    applied_at.emplace_back(event.node, event.cycle);
    applied_data.push_back(event.word.data);
  }
};

using times = std::vector<std::pair<std::uint32_t, cycle_t>>;

TEST(reflective_ring, a_store_is_at_each_node_a_slot_after_the_one_before) {
  ring_bench b(4);
  b.store(1, 5, 42);
  b.run_until_idle();
  const cycle_t on_ring = 330;
  EXPECT_EQ(b.applied_at,
            (times{{1, on_ring}, {2, on_ring + 58}, {3, on_ring + 116}, {0, on_ring + 174}}));
  EXPECT_EQ(b.completed_at, (std::vector<std::pair<cycle_t, word_t>>{{on_ring, 0}}));
  EXPECT_EQ(b.settled_at, std::vector<cycle_t>{on_ring + 4 * 58});
  for (std::uint32_t node = 0; node < 4; ++node) EXPECT_EQ(b.ring.peek(node, 5), 42U) << node;
  EXPECT_TRUE(b.ring.idle());
  EXPECT_EQ(b.statistic("stored"), 1);
  EXPECT_EQ(b.statistic("forwarded"), 3);
  EXPECT_EQ(b.statistic("stripped"), 1);
}

TEST(reflective_ring, an_own_store_is_visible_at_once_or_after_its_round_trip) {
  reflective_ring_config config;
  config.own = own_store::after_round_trip;
  ring_bench b(3, config);
  b.store(0, 0, 9);
  b.run(331);
  EXPECT_EQ(b.ring.peek(0, 0), 0U);
  b.run_until_idle();
  EXPECT_EQ(b.ring.peek(0, 0), 9U);
  EXPECT_EQ(b.applied_at, (times{{1, 388}, {2, 446}, {0, 504}}));
}

TEST(reflective_ring, a_load_finds_what_is_there_when_its_request_comes) {
  reflective_ring_config config;
  config.request = 387;
  for (const bool in_time : {true, false}) {
    config.request = in_time ? 388 : 387;
    ring_bench b(2, config);
    b.store(0, 3, 8);  // at node 1 in cycle 388
    b.load(1, 3);
    b.run_until_idle();
    EXPECT_EQ(b.completed_at.back(), (std::pair<cycle_t, word_t>{950, in_time ? 8U : 0U}));
  }
}

/// One word waits on the bus, one in the FIFO and one is on the link.
TEST(reflective_ring, a_store_blocks_while_the_fifo_is_full) {
  reflective_ring_config config;
  config.fifo = 1;
  config.write = 10;
  config.slot = 100;
  ring_bench b(2, config);
  const std::vector<cycle_t> ends{10, 20, 110, 210};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ASSERT_TRUE(b.ring.port(0).can_take(0));
    b.store(0, i, i);
    b.run(ends[i] - 1);
    EXPECT_EQ(b.completed_at.size(), i);
    EXPECT_FALSE(b.ring.port(0).can_take(0));
    b.run(ends[i]);
    EXPECT_EQ(b.completed_at.size(), i + 1);
  }
  EXPECT_EQ(b.statistic("stalls"), 2);
  EXPECT_EQ(b.statistic("stall.sum"), 80 + 90);
}

TEST(reflective_ring, what_comes_from_the_ring_goes_before_what_the_host_stored) {
  reflective_ring_config config;
  config.write = 100;
  config.slot = 100;
  ring_bench b(3, config);
  b.store(0, 0, 1);  // at node 1 in cycle 200, in which the store of node 1 is in its FIFO, too
  b.run(100);
  b.store(1, 1, 2);
  b.run_until_idle();
  EXPECT_EQ(b.ring.peek(2, 0), 1U);
  // Node 2 has the word of node 0 in cycle 300, and that of node 1 a slot later.
  EXPECT_EQ(b.applied_at, (times{{0, 100}, {1, 200}, {1, 200}, {2, 300}, {2, 400}, {0, 500}}));
}

/// A word that comes while the node sends its own waits for less than a slot in the register.
TEST(reflective_ring, a_word_waits_in_the_register_while_another_is_sent) {
  reflective_ring_config config;
  config.write = 100;
  config.slot = 100;
  ring_bench b(3, config);
  b.store(0, 0, 1);
  b.run(40);
  b.store(1, 1, 2);  // on the link of node 1 from 140 to 240; the other word comes in cycle 200
  b.run_until_idle();
  EXPECT_EQ(b.applied_at, (times{{0, 100}, {1, 140}, {1, 200}, {2, 240}, {2, 340}, {0, 340}}));
}

TEST(reflective_ring, a_stream_takes_a_slot_a_word) {
  reflective_ring_config config;
  config.slot = 571;
  ring_bench b(4, config);
  constexpr std::uint64_t count = 200;
  for (std::uint64_t i = 0; i < count; ++i) {
    b.store(2, i, i);
    while (!b.ring.port(2).can_take(2)) b.run(b.time.next_wakeup());
  }
  b.run_until_idle();
  // The last word goes around after all have begun.
  const double seconds = (count + 3) * 571e-9;
  EXPECT_NEAR(b.ring.throughput(1000), count * 4 / seconds / 1e6, 1e-9);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < b.applied_at.size(); ++i) {
    if (b.applied_at[i].first != 1) continue;
    EXPECT_EQ(b.applied_data[i], next++);
  }
  EXPECT_EQ(next, count);
}

TEST(reflective_ring, goes_on_from_a_state_as_it_went_on) {
  reflective_ring_config config;
  config.fifo = 1;
  config.write = 10;
  const auto begin = [](ring_bench& b) {
    for (int i = 0; i < 3; ++i) {
      b.store(0, 1, 5);
      b.store(2, 2, 6);
      b.run(b.time.now() + 12);
    }
  };
  ring_bench whole(3, config);
  ring_bench halves(3, config);
  begin(whole);
  begin(halves);
  ring_bench rest(3, config);
  rest.ring.restore(halves.ring.save());
  rest.time.restore(halves.time.save());
  whole.run_until_idle();
  rest.run_until_idle();
  EXPECT_EQ(rest.ring.save(), whole.ring.save());
  EXPECT_EQ(rest.time.now(), whole.time.now());
  EXPECT_GT(rest.statistic("stalls"), 0);

  ring_bench other(4, config);
  const auto bad = [&] { other.ring.restore(halves.ring.save()); };
  EXPECT_TRUE(names(failure<input_error>(bad), {"another number of nodes"}));
}

TEST(reflective_ring, refuses_what_cannot_be) {
  agenda time;
  reflective_ring_config config;
  const auto of = [&](std::uint32_t nodes) {
    return failure<configuration_error>([&] { reflective_ring made(config, nodes, time); });
  };
  EXPECT_TRUE(names(of(1), {"nodes", "a ring of 1 nodes", "2 to 1024"}));
  config.fifo = 0;
  EXPECT_TRUE(names(of(2), {"fifo", "1 to 65536"}));
  config.fifo = 1;
  config.request = 951;
  EXPECT_TRUE(names(of(2), {"ring.request", "951", "0 to ring.read"}));
}

TEST(reflective_ring, refuses_accesses_that_it_cannot_serve) {
  reflective_ring_config config;
  config.memory_words = 16;
  ring_bench b(2, config);
  const auto of = [&](const access& request) {
    return failure<simulation_error>([&] { b.ring.port(1).check(1, request); });
  };
  EXPECT_TRUE(names(of({128, {}}), {"node 1", "0x80", "below 0x80"}));
  EXPECT_TRUE(names(of({4, {}}), {"multiples of 8"}));
  EXPECT_TRUE(names(of({8, function_of(operation::store, 1)}), {"asks for the word before"}));
  EXPECT_TRUE(names(of({8, function_of(operation::fetch_add, 1)}), {"asks for the word before"}));
  EXPECT_TRUE(names(of(posted_store(8, word_t{1} << 32)), {"0x100000000", "4 bytes"}));
  EXPECT_EQ(of(posted_store(8, 0xffffffff)), "");
  b.store(0, 1, 1);
  EXPECT_TRUE(names(failure<simulation_error>([&] { b.store(0, 1, 1); }), {"ask can_take first"}));
  EXPECT_TRUE(names(failure<simulation_error>([&] { b.ring.peek(2, 0); }), {"node 2"}));
}

}  // namespace
}  // namespace tributary
