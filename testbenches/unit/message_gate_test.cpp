// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/sim/agenda.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/message_gate.h>

#include <support/block_statistics.h>
#include <support/timed_actions.h>

namespace tributary {
namespace {

using testing::statistic;

constexpr node_id here{2};
constexpr node_id there{5};

network_message to(node_id destination, std::uint16_t number,
                   message_lane over = message_lane::request) {
  network_message made;
  made.header.source = here;
  made.header.destination = destination;
  made.header.over = over;
  made.header.aux = number;
  made.header.length = 8;
  made.words[0] = 100U + number;
  return made;
}

/// A gate before a network that records what it gets, and a node that records what arrives.
class bench : private network_port, private message_taker {
 public:
  /// What passed, in which cycle.
  using passed = std::vector<std::pair<cycle_t, unsigned>>;

  bench() : unit(clock, here, *this, messages), play(clock) {
    unit.set_taker(*this);
    is_ready.fill(true);
  }

  void send_at(cycle_t cycle, const network_message& what) {
    play.at(cycle, [=] { unit.send(what, cycle); });
  }
  /// A message that has crossed the network.
  void incoming(network_message what, cycle_t head, cycle_t cycles = 1) {
    what.header.source = there;
    what.header.destination = here;
    network_transfer transfer;
    transfer.source = there;
    transfer.destination = here;
    transfer.lane = static_cast<std::uint8_t>(what.header.over);
    transfer.cargo = messages.put(what);
    unit.arrive(transfer, head, head + cycles);
  }

  agenda clock;
  message_pool messages;
  message_gate unit;
  testing::timed_actions play;
  std::array<bool, message_lanes> is_ready{};
  std::uint64_t wire = 0;
  passed sent;
  std::vector<network_transfer> transfers;
  passed taken;
  std::vector<network_message> arrivals;
  passed given_back;

 private:
  std::uint32_t lanes() const override { return message_lanes; }
  std::uint32_t payload_bytes() const override { return 128; }
  bool ready(std::uint8_t lane, cycle_t now) const override {
    return is_ready.at(lane) && now >= free_;
  }
  cycle_t free_at() const override { return free_; }
  void send(const network_transfer& what, cycle_t now) override {
    EXPECT_TRUE(ready(what.lane, now));
    transfers.push_back(what);
    sent.emplace_back(now, messages.at(what.cargo).header.aux);
    free_ = now + wire;
  }
  std::uint64_t wire_cycles(std::uint64_t) const override { return wire; }
  void give_back(std::uint8_t lane, cycle_t now) override { given_back.emplace_back(now, lane); }
  void arrived(const network_message& message, cycle_t now) override {
    taken.emplace_back(now, message.header.aux);
    arrivals.push_back(message);
  }

  cycle_t free_ = 0;
};

TEST(message_gate, a_message_leaves_in_the_cycle_in_which_it_is_sent) {
  bench one;
  one.send_at(7, to(there, 1, message_lane::reply));
  one.clock.advance_to(20);
  EXPECT_EQ(one.sent, (bench::passed{{7, 1}}));
  EXPECT_EQ(one.transfers[0].source, here);
  EXPECT_EQ(one.transfers[0].destination, there);
  EXPECT_EQ(one.transfers[0].lane, 1U);
  EXPECT_EQ(one.transfers[0].bytes, 8U);
  EXPECT_EQ(one.messages.at(one.transfers[0].cargo).words[0], 101U);
  EXPECT_TRUE(one.unit.idle());
  EXPECT_EQ(statistic(one.unit, "sent"), 1);
  EXPECT_EQ(statistic(one.unit, "sent_bytes"), 8);
  EXPECT_EQ(statistic(one.unit, "wait.sum"), 0);
}

TEST(message_gate, messages_wait_for_the_link_in_their_order) {
  bench one;
  one.wire = 10;
  for (std::uint16_t i = 1; i <= 3; ++i) one.send_at(5, to(there, i));
  one.clock.advance_to(5);
  EXPECT_FALSE(one.unit.idle());
  one.clock.advance_to(60);
  EXPECT_EQ(one.sent, (bench::passed{{5, 1}, {15, 2}, {25, 3}}));
  EXPECT_EQ(statistic(one.unit, "wait.sum"), 30);
  EXPECT_EQ(statistic(one.unit, "wait.count"), 3);
  EXPECT_TRUE(one.unit.idle());
}

TEST(message_gate, a_lane_waits_for_a_place_and_the_others_do_not) {
  bench one;
  one.is_ready[0] = false;
  one.send_at(5, to(there, 1));
  one.send_at(5, to(there, 2));
  one.send_at(6, to(there, 3, message_lane::reply));
  one.play.at(30, [&] {
    one.is_ready[0] = true;
    one.unit.room(0, 31);
  });
  one.clock.advance_to(60);
  EXPECT_EQ(one.sent, (bench::passed{{6, 3}, {31, 1}, {31, 2}}));
  EXPECT_EQ(statistic(one.unit, "wait.sum"), 52);
}

TEST(message_gate, a_message_waits_for_a_place_and_then_for_the_link) {
  bench one;
  one.wire = 8;
  one.is_ready[0] = false;
  one.send_at(5, to(there, 1));
  one.send_at(6, to(there, 2, message_lane::reply));
  one.play.at(7, [&] {
    one.is_ready[0] = true;
    one.unit.room(0, 8);
  });
  one.clock.advance_to(60);
  EXPECT_EQ(one.sent, (bench::passed{{6, 2}, {14, 1}}));
}

// The tail of a long message leaves the router later than that of a short one behind it.
TEST(message_gate, room_that_the_network_told_of_first_may_come_last) {
  bench one;
  one.is_ready[0] = false;
  one.play.at(3, [&] {
    one.unit.room(0, 40);
    one.unit.room(0, 10);
  });
  one.send_at(20, to(there, 1));
  one.play.at(39, [&] { one.is_ready[0] = true; });
  one.clock.advance_to(60);
  EXPECT_EQ(one.sent, (bench::passed{{40, 1}}));
}

TEST(message_gate, what_arrives_is_with_the_node_in_the_cycle_of_its_last_word) {
  bench one;
  one.incoming(to(here, 1, message_lane::reply), 9);
  one.incoming(to(here, 2), 9);
  one.incoming(to(here, 3), 12);
  EXPECT_FALSE(one.unit.idle());
  one.clock.advance_to(8);
  EXPECT_TRUE(one.taken.empty());
  one.clock.advance_to(20);
  EXPECT_EQ(one.taken, (bench::passed{{9, 1}, {9, 2}, {12, 3}}));
  EXPECT_EQ(one.given_back, (bench::passed{{9, 1}, {9, 0}, {12, 0}}));
  EXPECT_EQ(one.arrivals[2].words[0], 103U);
  EXPECT_EQ(one.messages.size(), 0U);
  EXPECT_EQ(statistic(one.unit, "received"), 3);
}

TEST(message_gate, a_message_waits_for_the_rest_of_those_before_it) {
  bench one;
  one.incoming(to(here, 1), 10, 5);
  one.incoming(to(here, 2), 11);
  one.incoming(to(here, 3), 20, 2);
  one.clock.advance_to(30);
  EXPECT_EQ(one.taken, (bench::passed{{14, 1}, {14, 2}, {21, 3}}));
}

TEST(message_gate, a_message_to_the_own_node_takes_a_cycle_and_no_link) {
  bench one;
  one.is_ready.fill(false);
  one.send_at(5, to(here, 1));
  one.send_at(5, to(here, 2, message_lane::reply));
  one.clock.advance_to(5);
  EXPECT_FALSE(one.unit.idle());
  one.clock.advance_to(20);
  EXPECT_EQ(one.taken, (bench::passed{{6, 1}, {6, 2}}));
  EXPECT_TRUE(one.sent.empty());
  EXPECT_TRUE(one.given_back.empty()) << "it had no place of the network";
  EXPECT_EQ(one.messages.size(), 0U);
  EXPECT_EQ(statistic(one.unit, "sent"), 2);
  EXPECT_EQ(statistic(one.unit, "received"), 2);
  EXPECT_TRUE(one.unit.idle());
}

TEST(message_gate, statistics_begin_anew) {
  bench one;
  one.send_at(5, to(there, 1));
  one.incoming(to(here, 2), 9);
  one.clock.advance_to(20);
  one.unit.reset_statistics();
  for (const char* each : {"sent", "sent_bytes", "received", "wait.count"}) {
    EXPECT_EQ(statistic(one.unit, each), 0) << each;
  }
}

/// Saved with messages in every queue, and brought back into another gate.
TEST(message_gate, goes_on_from_where_it_was_saved) {
  bench one;
  one.wire = 10;
  for (std::uint16_t i = 1; i <= 3; ++i) one.unit.send(to(there, i), 0);
  one.unit.send(to(here, 4), 0);
  one.incoming(to(here, 5), 12);
  bench other;
  other.wire = 10;
  restore_state(save_state(one.messages), other.messages);
  other.unit.restore(one.unit.save());
  EXPECT_EQ(other.unit.save(), one.unit.save());
  other.clock.restore(one.clock.save());
  one.clock.advance_to(60);
  other.clock.advance_to(60);
  EXPECT_EQ(one.sent, (bench::passed{{0, 1}, {10, 2}, {20, 3}}));
  EXPECT_EQ(other.sent, (bench::passed{{10, 2}, {20, 3}}));
  EXPECT_EQ(other.taken, (bench::passed{{1, 4}, {12, 5}}));
  EXPECT_EQ(other.taken, one.taken);
  EXPECT_EQ(other.unit.save(), one.unit.save());
}

}  // namespace
}  // namespace tributary
