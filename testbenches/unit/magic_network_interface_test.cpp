// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/magic/magic_network_interface.h>
#include <tributary/magic/node_events.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>
#include <support/unit_trace.h>

#include <support/usual_line.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

constexpr node_id here{2};
constexpr node_id there{5};

constexpr std::uint8_t number_of(message_lane lane) { return static_cast<std::uint8_t>(lane); }

message to(node_id destination, message_lane over = message_lane::request, std::uint16_t aux = 0) {
  message made;
  made.source = here;
  made.destination = destination;
  made.over = over;
  made.type = 20;
  made.aux = aux;
  return made;
}

/// An interface before a network that records what it gets.
class bench : private network_port, private selector {
 public:
  struct sent_message {
    cycle_t cycle;
    network_transfer what;
  };
  struct shown {
    cycle_t cycle;
    message what;
  };

  explicit bench(const magic_network_interface_config& config = {},
                 const data_buffers_config& db = {})
      : buffers(db, clock, here), unit(config, clock, here, *this, messages, buffers), play(clock) {
    unit.tell(*this);
    is_ready.fill(true);
  }

  /// A message with a line whose words the memory gives from cycle `first` on.
  message line(message what, cycle_t first) {
    what.length = line_bytes;
    what.data = *buffers.allocate(buffer_claim::handler, clock.now());
    line_data words{};
    for (std::size_t i = 0; i < line_words; ++i) words[i] = what.aux * 100U + i;
    buffers.fill(what.data, words, {first, first + 15});
    return what;
  }
  /// A message that has crossed the network.
  void incoming(message what, cycle_t head, std::uint64_t wire) {
    what.source = there;
    what.destination = here;
    network_transfer transfer;
    transfer.source = there;
    transfer.destination = here;
    transfer.lane = number_of(what.over);
    transfer.bytes = static_cast<std::uint32_t>(what.length);
    network_message arriving;
    arriving.header = what;
    for (std::size_t i = 0; i < line_words; ++i) arriving.words[i] = what.aux * 100U + i;
    transfer.cargo = messages.put(arriving);
    unit.arrive(transfer, head, head + wire);
  }
  const message* front(message_lane over) { return unit.input(over).front(clock.now()); }

  agenda clock;
  data_buffers buffers;
  message_pool messages;
  magic_network_interface unit;
  testing::timed_actions play;
  std::array<bool, message_lanes> is_ready;
  std::uint32_t lanes_there = 4;
  std::uint64_t line_cycles = 40;
  std::vector<sent_message> sent;
  std::vector<std::tuple<cycle_t, unsigned>> given_back;
  std::vector<cycle_t> looks;
  bool takes = false;
  std::vector<shown> taken;

 private:
  std::uint32_t lanes() const override { return lanes_there; }
  std::uint32_t payload_bytes() const override { return 128; }
  bool ready(std::uint8_t lane, cycle_t now) const override {
    return is_ready[lane] && now >= free_;
  }
  cycle_t free_at() const override { return free_; }
  void send(const network_transfer& what, cycle_t now) override {
    ASSERT_TRUE(ready(what.lane, now));
    sent.push_back({now, what});
    free_ = now + wire_cycles(what.bytes);
  }
  std::uint64_t wire_cycles(std::uint64_t bytes) const override {
    return bytes == 0 ? 8 : bytes == 8 ? 10 : line_cycles;
  }
  void give_back(std::uint8_t lane, cycle_t now) override { given_back.emplace_back(now, lane); }
  void look(cycle_t now) override {
    looks.push_back(now);
    if (!takes) return;
    for (std::size_t lane = 0; lane < message_lanes; ++lane) {
      inbox_source& input = unit.input(static_cast<message_lane>(lane));
      while (input.front(now) != nullptr) taken.push_back({now, input.take(now)});
    }
  }

  cycle_t free_ = 0;
};

using testing::failure;
using testing::statistic;

std::vector<cycle_t> cycles_of(const bench& b) {
  std::vector<cycle_t> cycles;
  for (const auto& each : b.sent) cycles.push_back(each.cycle);
  return cycles;
}

// Out.

TEST(magic_network_interface, place_is_taken_at_the_push_and_free_after_the_head_left) {
  bench b;
  const std::uint32_t depth = magic_network_interface_config().out_depth;
  b.play.at(100, [&] {
    EXPECT_EQ(b.unit.space(message_lane::request), depth);
    b.unit.push(to(there), 101);
    EXPECT_EQ(b.unit.space(message_lane::request), depth - 1);
    EXPECT_EQ(b.unit.space(message_lane::reply), depth);
  });
  b.clock.advance_to(104);
  EXPECT_TRUE(b.sent.empty());
  b.clock.advance_to(105);
  EXPECT_EQ(cycles_of(b), std::vector<cycle_t>{105}) << "4 cycles through the interface";
  EXPECT_EQ(b.unit.space(message_lane::request), depth - 1);
  b.clock.advance_to(106);
  EXPECT_EQ(b.unit.space(message_lane::request), depth);
  EXPECT_EQ(b.looks, std::vector<cycle_t>{106});
  EXPECT_TRUE(b.unit.idle());
}

TEST(magic_network_interface, push_without_space_breaks_d1) {
  magic_network_interface_config config;
  config.out_depth = 2;
  bench b(config);
  b.is_ready.fill(false);
  b.play.at(7, [&] {
    b.unit.push(to(there), 7);
    b.unit.push(to(there), 7);
    EXPECT_EQ(b.unit.space(message_lane::request), 0U);
    b.unit.push(to(there, message_lane::reply), 7);
    EXPECT_TRUE(
        testing::names(failure([&] { b.unit.push(to(there), 7); }),
                       {"node 2 in cycle 7", "type 20", "node 5", "request lane", "2", "D1"}));
  });
  b.clock.advance_to(100);
  EXPECT_TRUE(b.sent.empty());
}

TEST(magic_network_interface, refuses_a_payload_that_is_not_there) {
  bench b;
  message what = to(there);
  what.length = word_bytes;
  EXPECT_TRUE(testing::names(failure([&] { b.unit.push(what, 0); }),
                             {"node 2 in cycle 0", "type 20", "8 bytes"}));
  what.data = *b.buffers.allocate(buffer_claim::handler, 0);
  EXPECT_TRUE(testing::names(failure([&] { b.unit.push(what, 0); }),
                             {"node 2 in cycle 0", "type 20", "buffer 0", "doubleword 0"}));
  b.buffers.set_word(what.data, 0, 1, 0);
  EXPECT_EQ(failure([&] { b.unit.push(what, 0); }), "");
  what.length = line_bytes;
  EXPECT_NE(failure([&] { b.unit.push(what, 0); }).find("doubleword 1 nothing fills"),
            std::string::npos);
}

TEST(magic_network_interface, payload_travels_and_its_buffer_is_free_when_the_last_word_has_left) {
  bench b;
  message what;
  b.play.at(1, [&] {
    what = b.line(to(there, message_lane::request, 3), 1);
    what.flavor = 3;
    what.tag = 2;
    b.unit.push(what, 2);
  });
  b.clock.advance_to(45);
  EXPECT_EQ(b.buffers.holders(what.data), 1U);
  b.clock.advance_to(46);
  EXPECT_EQ(b.buffers.holders(what.data), 0U) << "left in 6, on the wire for 40 cycles";
  ASSERT_EQ(b.sent.size(), 1U);
  EXPECT_EQ(b.sent[0].cycle, 6U);
  EXPECT_EQ(b.sent[0].what.bytes, 128U);
  EXPECT_EQ(b.sent[0].what.source, here);
  EXPECT_EQ(b.sent[0].what.destination, there);
  const network_message& travels = b.messages.at(b.sent[0].what.cargo);
  EXPECT_EQ(travels.words[15], 315U);
  EXPECT_EQ(travels.header.data, no_payload);
  EXPECT_EQ(travels.header.flavor, 0);
  EXPECT_EQ(travels.header.tag, 0);
}

// V10: the interface begins when memory gives the first word, and never runs dry.
TEST(magic_network_interface, line_from_memory_streams_from_its_first_word) {
  for (const std::uint64_t wire : {16U, 20U, 40U, 160U}) {
    bench b;
    b.line_cycles = wire;
    b.play.at(100, [&] { b.unit.push(b.line(to(there), 114), 101); });
    b.clock.advance_to(1000);
    EXPECT_EQ(cycles_of(b), std::vector<cycle_t>{114}) << wire;
  }
  bench fast;
  fast.line_cycles = 8;  // twice as fast as memory: the head waits, so that the tail need not
  fast.play.at(100, [&] { fast.unit.push(fast.line(to(there), 114), 101); });
  fast.clock.advance_to(1000);
  EXPECT_EQ(cycles_of(fast), std::vector<cycle_t>{122}) << "word 15 in 122 + 7 = 114 + 15";
}

TEST(magic_network_interface, lines_of_one_lane_follow_every_40_cycles) {
  magic_network_interface_config config;
  config.out_depth = 10;
  bench b(config);
  for (unsigned i = 0; i < 10; ++i) {
    b.play.at(1 + i, [&, i] { b.unit.push(b.line(to(there), 1 + i), 2 + i); });
  }
  b.clock.advance_to(1000);
  ASSERT_EQ(b.sent.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(b.sent[i].cycle, 6 + 40 * i);
}

TEST(magic_network_interface, head_that_waits_for_words_leaves_the_link_to_others) {
  bench b;
  b.play.at(1, [&] {
    b.unit.push(b.line(to(there), 200), 2);
    b.unit.push(to(there, message_lane::request, 1), 2);
    b.unit.push(to(there, message_lane::reply, 2), 2);
    b.unit.push(to(there, message_lane::reply, 3), 2);
  });
  b.clock.advance_to(1000);
  EXPECT_EQ(cycles_of(b), (std::vector<cycle_t>{6, 14, 200, 240}));
  EXPECT_EQ(b.sent[2].what.lane, number_of(message_lane::request));
  EXPECT_EQ(b.sent[3].what.bytes, 0U) << "order within the lane";
}

TEST(magic_network_interface, lane_without_room_in_the_network_leaves_the_link_to_others) {
  bench b;
  b.is_ready[number_of(message_lane::request)] = false;
  b.play.at(1, [&] {
    b.unit.push(to(there), 1);
    b.unit.push(to(there, message_lane::fourth), 1);
  });
  b.play.at(80, [&] {
    b.is_ready[number_of(message_lane::request)] = true;
    b.unit.room(number_of(message_lane::request), 81);
  });
  b.clock.advance_to(1000);
  EXPECT_EQ(cycles_of(b), (std::vector<cycle_t>{5, 81}));
  EXPECT_EQ(b.sent[0].what.lane, number_of(message_lane::fourth));
}

std::string lanes_sent(bool reply_first) {
  magic_network_interface_config config;
  config.reply_first = reply_first;
  bench b(config);
  b.play.at(1, [&] {
    for (unsigned i = 0; i < 3; ++i) {
      b.unit.push(to(there, message_lane::request), 1);
      b.unit.push(to(there, message_lane::reply), 1);
      b.unit.push(to(there, message_lane::fourth), 1);
    }
  });
  b.clock.advance_to(1000);
  std::string order;
  for (const auto& each : b.sent) order += static_cast<char>('0' + each.what.lane);
  return order;
}

TEST(magic_network_interface, lanes_take_turns) { EXPECT_EQ(lanes_sent(false), "013013013"); }

TEST(magic_network_interface, refuses_a_lane_that_the_network_has_not) {
  bench b;
  b.lanes_there = 2;
  const std::string said = failure([&] { b.unit.push(to(there, message_lane::third), 1); });
  EXPECT_NE(said.find("2 lanes"), std::string::npos) << said;
  EXPECT_NE(said.find("network.lanes"), std::string::npos) << said;
  EXPECT_EQ(failure([&] { b.unit.push(to(there, message_lane::reply), 1); }), "");
}

TEST(magic_network_interface, replies_may_go_first) { EXPECT_EQ(lanes_sent(true), "111030303"); }

// To itself.

TEST(magic_network_interface, message_to_its_own_node_does_not_see_the_network) {
  bench b;
  b.is_ready.fill(false);
  b.takes = true;
  payload_handle from{};
  b.play.at(1, [&] {
    const message what = b.line(to(here, message_lane::request, 7), 1);
    from = what.data;
    b.unit.push(what, 2);
    b.unit.push(to(here, message_lane::request, 8), 2);
    b.unit.push(to(here, message_lane::reply, 9), 2);
  });
  b.clock.advance_to(1000);
  EXPECT_TRUE(b.sent.empty());
  EXPECT_TRUE(b.given_back.empty());
  ASSERT_EQ(b.taken.size(), 3U);
  EXPECT_EQ(b.taken[0].what.aux, 7U);
  EXPECT_EQ(b.taken[0].cycle, 15U) << "left in 6, came in 7, 8 cycles through the interface";
  EXPECT_EQ(b.taken[0].what.origin, message_origin::network);
  EXPECT_NE(b.taken[0].what.data, from);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.buffers.word(b.taken[0].what.data, i), 700 + i);
    EXPECT_EQ(b.buffers.valid(b.taken[0].what.data, i), 15 + i) << "a word a cycle";
  }
  EXPECT_EQ(b.buffers.holders(from), 0U);
  // The path is busy with 16 words from 6 on, and with each other message for a cycle.
  EXPECT_EQ(b.taken[1].what.aux, 9U) << "lanes take turns";
  EXPECT_EQ(b.taken[1].cycle, 31U);
  EXPECT_EQ(b.taken[2].cycle, 32U);
  EXPECT_TRUE(b.unit.idle());
  EXPECT_EQ(b.messages.size(), 0U);
}

TEST(magic_network_interface, the_network_is_before_own_messages_whichever_was_known_first) {
  for (const bool network_first : {false, true}) {
    bench b;
    b.takes = true;
    b.play.at(1, [&] { b.unit.push(to(here, message_lane::request, 1), 2); });
    // The own message leaves in 6 and comes in 7.
    b.clock.advance_to(network_first ? 5 : 6);
    b.incoming(to(here, message_lane::request, 2), 7, 8);
    b.clock.advance_to(100);
    ASSERT_EQ(b.taken.size(), 2U);
    EXPECT_EQ(b.taken[0].what.aux, 2U) << network_first;
    EXPECT_EQ(b.taken[1].what.aux, 1U) << network_first;
  }
}

TEST(magic_network_interface, own_messages_wait_for_places_of_their_own) {
  magic_network_interface_config config;
  config.own_depth = 2;
  bench b(config);
  b.play.at(1, [&] {
    for (std::uint16_t i = 0; i < 4; ++i) b.unit.push(to(here, message_lane::request, i), 1);
    b.unit.push(to(there, message_lane::reply), 1);
  });
  b.clock.advance_to(100);
  EXPECT_EQ(b.unit.incoming(message_lane::request), 2U);
  EXPECT_EQ(b.unit.space(message_lane::request), config.out_depth - 2);
  EXPECT_EQ(b.sent.size(), 1U);
  b.play.at(101, [&] { EXPECT_EQ(b.unit.input(message_lane::request).take(101).aux, 0); });
  b.clock.advance_to(200);
  EXPECT_EQ(b.unit.incoming(message_lane::request), 2U);
  EXPECT_EQ(b.unit.space(message_lane::request), config.out_depth - 1);
  b.play.at(201, [&] {
    b.takes = true;
    EXPECT_EQ(b.unit.input(message_lane::request).take(201).aux, 1);
  });
  b.clock.advance_to(300);
  ASSERT_EQ(b.taken.size(), 2U);
  EXPECT_EQ(b.taken[0].what.aux, 2);
  EXPECT_EQ(b.taken[1].what.aux, 3);
}

TEST(magic_network_interface, own_message_holds_back_what_its_lane_has_behind_it) {
  bench b;
  b.play.at(1, [&] {
    b.unit.push(b.line(to(here), 300), 1);
    b.unit.push(to(there), 1);
    b.unit.push(to(there, message_lane::third), 1);
  });
  b.clock.advance_to(1000);
  EXPECT_EQ(cycles_of(b), (std::vector<cycle_t>{5, 300}));
}

// In.

TEST(magic_network_interface, message_shows_when_it_has_crossed_the_interface) {
  bench b;
  message what = to(here, message_lane::reply, 4);
  what.length = line_bytes;
  b.play.at(90, [&] { b.incoming(what, 100, 40); });
  b.clock.advance_to(107);
  EXPECT_EQ(b.front(message_lane::reply), nullptr);
  b.clock.advance_to(108);
  EXPECT_EQ(b.looks, std::vector<cycle_t>{108});
  EXPECT_EQ(b.front(message_lane::request), nullptr);
  const message* shown = b.front(message_lane::reply);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->aux, 4);
  EXPECT_EQ(shown->source, there);
  EXPECT_EQ(shown->origin, message_origin::network);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.buffers.valid(shown->data, i), 108 + i * 40 / 16) << i;
    EXPECT_EQ(b.buffers.word(shown->data, i), 400 + i);
  }
  b.play.at(120, [&] {
    EXPECT_EQ(b.unit.input(message_lane::reply).take(120).aux, 4);
    EXPECT_EQ(b.front(message_lane::reply), nullptr);
    EXPECT_NE(failure([&] { b.unit.input(message_lane::reply).take(120); }), "");
  });
  b.clock.advance_to(200);
  EXPECT_EQ(b.given_back, (std::vector<std::tuple<cycle_t, unsigned>>{{120, 1}}));
  EXPECT_EQ(b.messages.size(), 0U);
}

TEST(magic_network_interface, oldest_messages_get_buffers_and_a_reply_the_reserve) {
  bench b;
  std::vector<payload_handle> held;
  while (b.buffers.available(buffer_claim::other_arrival)) {
    held.push_back(*b.buffers.allocate(buffer_claim::other_arrival, 0));
  }
  EXPECT_EQ(held.size(), 15U);
  const auto come = [&](cycle_t head, message_lane over, std::uint32_t length, std::uint16_t aux) {
    message what = to(here, over, aux);
    what.length = length;
    b.play.at(head - 1, [&b, what, head] { b.incoming(what, head, 40); });
  };
  come(100, message_lane::third, line_bytes, 1);
  come(140, message_lane::request, line_bytes, 2);
  come(180, message_lane::request, 0, 3);
  come(190, message_lane::fourth, 0, 4);
  come(200, message_lane::reply, line_bytes, 5);
  come(240, message_lane::reply, word_bytes, 6);
  b.takes = true;
  b.clock.advance_to(300);
  ASSERT_EQ(b.taken.size(), 2U);
  EXPECT_EQ(b.taken[0].what.aux, 4) << "without payload it needs no buffer";
  EXPECT_EQ(b.taken[0].cycle, 198U);
  EXPECT_EQ(b.taken[1].what.aux, 5) << "the reserve";
  const payload_handle reserve = b.taken[1].what.data;
  b.play.at(310, [&] { b.buffers.release(reserve, 320); });
  b.clock.advance_to(330);
  ASSERT_EQ(b.taken.size(), 3U);
  EXPECT_EQ(b.taken[2].what.aux, 6) << "the reserve again";
  EXPECT_EQ(b.taken[2].cycle, 320U);
  b.play.at(350, [&] {
    b.buffers.release(held[0], 359);
    b.buffers.release(held[1], 360);
  });
  b.play.at(380, [&] { b.buffers.release(held[2], 381); });
  b.clock.advance_to(400);
  ASSERT_EQ(b.taken.size(), 6U);
  EXPECT_EQ(b.taken[3].what.aux, 1)
      << "the oldest of the other lanes, when one more than the reserve is free";
  EXPECT_EQ(b.taken[3].cycle, 360U);
  EXPECT_EQ(b.buffers.valid(b.taken[3].what.data, 0), 360U);
  EXPECT_EQ(b.buffers.valid(b.taken[3].what.data, 15), 375U) << "a word a cycle";
  EXPECT_EQ(b.taken[4].what.aux, 2);
  EXPECT_EQ(b.taken[5].what.aux, 3) << "order within the lane";
  EXPECT_EQ(b.taken[5].cycle, 381U);
}

TEST(magic_network_interface, a_line_travels_in_sub_block_order_of_its_address) {
  constexpr std::size_t missed = 9;
  bench b;
  message what = to(there);
  what.address = 0x1000 + missed * word_bytes;
  b.play.at(100, [&] {
    const message sent = b.line(what, 114);
    b.buffers.fill(sent.data, line_data{}, {114, 129}, missed);
    b.unit.push(sent, 101);
  });
  what.over = message_lane::reply;
  what.length = line_bytes;
  b.play.at(190, [&] { b.incoming(what, 200, 40); });
  b.clock.advance_to(208);
  EXPECT_EQ(cycles_of(b), std::vector<cycle_t>{114}) << "it begins with the word that is there";
  const message* const shown = b.front(message_lane::reply);
  ASSERT_NE(shown, nullptr);
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(b.buffers.valid(shown->data, i), 208 + (i ^ missed) * 40 / 16) << "word " << i;
    EXPECT_EQ(b.buffers.word(shown->data, i), i);
  }
}

TEST(magic_network_interface, a_payload_shorter_than_a_line_travels_from_word_0_on) {
  bench b;
  message what = to(here, message_lane::reply);
  what.address = 0x1000 + 9 * word_bytes;
  what.length = 2 * word_bytes;
  b.play.at(90, [&] { b.incoming(what, 100, 10); });
  b.clock.advance_to(108);
  const message* const shown = b.front(message_lane::reply);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(b.buffers.valid(shown->data, 0), 108U);
  EXPECT_EQ(b.buffers.valid(shown->data, 1), 113U);
}

TEST(magic_network_interface, tells_observers_and_counts) {
  magic_network_interface_config config;
  config.out_depth = 2;
  bench b(config);
  testing::unit_trace trace(b.unit);
  b.takes = true;
  const auto with_identity = [](message sent, std::uint64_t number) {
    sent.identity = trace_identity::message(index(here), number);
    return sent;
  };
  b.play.at(1, [&] {
    b.unit.push(with_identity(b.line(to(there), 1), 0), 2);
    b.unit.push(with_identity(to(here), 1), 2);
  });
  b.clock.advance_to(1000);
  const std::vector<trace_event>& events = trace.events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, &node_events::departed);
  EXPECT_EQ(events[1].kind, &node_events::departed);
  EXPECT_EQ(events[1].cycle, 6U);
  EXPECT_EQ(events[1].last, 45U);
  EXPECT_EQ(trace.track(events[1]), "network_interface.out.request");
  EXPECT_EQ(events[2].kind, &node_events::arrived);
  EXPECT_EQ(trace.track(events[2]), "network_interface.in.request");
  EXPECT_EQ(events[2].identity, events[0].identity);
  EXPECT_NE(events[1].identity, events[0].identity);
  EXPECT_EQ(statistic(b.unit, "request_lane.out.messages"), 2);
  EXPECT_EQ(statistic(b.unit, "request_lane.out.payload"), 128);
  EXPECT_EQ(statistic(b.unit, "request_lane.out.full"), 1);
  EXPECT_EQ(statistic(b.unit, "request_lane.out.length.max"), 2);
  EXPECT_EQ(statistic(b.unit, "request_lane.out.wait.mean"), 5);
  EXPECT_EQ(statistic(b.unit, "request_lane.in.messages"), 1);
  EXPECT_EQ(statistic(b.unit, "reply_lane.out.messages"), 0);
  b.unit.reset_statistics();
  EXPECT_EQ(statistic(b.unit, "request_lane.out.messages"), 0);
}

TEST(magic_network_interface, checks_its_configuration) {
  magic_network_interface_config config;
  config.out_depth = 0;
  EXPECT_THROW(bench{config}, configuration_error);
}

TEST(message_pool, knows_what_is_on_its_way) {
  message_pool pool;
  network_message put;
  put.header = to(there, message_lane::request, 1);
  const std::uint64_t a = pool.put(put);
  put.header = to(there, message_lane::request, 2);
  const std::uint64_t b = pool.put(put);
  EXPECT_EQ(pool.size(), 2U);
  EXPECT_EQ(pool.at(b).header.aux, 2);
  pool.remove(a);
  EXPECT_THROW(pool.at(a), simulation_error);
  EXPECT_THROW(pool.remove(a), simulation_error);
  EXPECT_THROW(pool.at(99), simulation_error);
  EXPECT_EQ(pool.put(put), a) << "a place that is free again";
  EXPECT_EQ(pool.size(), 2U);
}

}  // namespace
}  // namespace tributary
