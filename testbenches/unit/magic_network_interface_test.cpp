// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/magic/magic_network_interface.h>
#include <tributary/network/routed_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
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

/// Runs actions in their cycles.
class script final : private timed_block {
 public:
  explicit script(agenda& clock) : clock_(clock) {}
  void at(cycle_t when, std::function<void()> what) {
    actions_.push_back(std::move(what));
    clock_.wake(*this, when, actions_.size() - 1);
  }

 private:
  void wake(cycle_t, std::uint64_t what) override { actions_[static_cast<std::size_t>(what)](); }
  agenda& clock_;
  std::vector<std::function<void()>> actions_;
};

/// An interface before a network that records what it gets.
class bench : private network_port, private selector, private observer<node_event> {
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
    unit.set_observer(this);
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
    transfer.cargo = messages.put(what);
    for (std::size_t i = 0; i < line_words; ++i) {
      messages.at(transfer.cargo).words[i] = what.aux * 100U + i;
    }
    unit.arrive(transfer, head, head + wire);
  }
  const message* front(message_lane over) { return unit.input(over).front(clock.now()); }

  agenda clock;
  data_buffers buffers;
  message_pool messages;
  magic_network_interface unit;
  script play;
  std::array<bool, message_lanes> is_ready;
  std::uint32_t lanes_there = 4;
  std::uint64_t line_cycles = 40;
  std::vector<sent_message> sent;
  std::vector<std::tuple<cycle_t, unsigned>> given_back;
  std::vector<cycle_t> looks;
  std::vector<node_event> events;
  bool takes = false;
  std::vector<shown> taken;

 private:
  std::uint32_t lanes() const override { return lanes_there; }
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
  void on_event(const node_event& event) override { events.push_back(event); }

  cycle_t free_ = 0;
};

std::vector<cycle_t> cycles_of(const bench& b) {
  std::vector<cycle_t> cycles;
  for (const auto& each : b.sent) cycles.push_back(each.cycle);
  return cycles;
}

std::string failure(const std::function<void()>& what) {
  try {
    what();
  } catch (const simulation_error& failed) {
    return failed.what();
  }
  return "nothing";
}

// Out.

TEST(magic_network_interface, place_is_taken_at_the_push_and_free_after_the_head_left) {
  bench b;
  b.play.at(100, [&] {
    EXPECT_EQ(b.unit.space(message_lane::request), 16U);
    b.unit.push(to(there), 101);
    EXPECT_EQ(b.unit.space(message_lane::request), 15U);
    EXPECT_EQ(b.unit.space(message_lane::reply), 16U);
  });
  b.clock.advance_to(104);
  EXPECT_TRUE(b.sent.empty());
  b.clock.advance_to(105);
  EXPECT_EQ(cycles_of(b), std::vector<cycle_t>{105}) << "4 cycles through the interface";
  EXPECT_EQ(b.unit.space(message_lane::request), 15U);
  b.clock.advance_to(106);
  EXPECT_EQ(b.unit.space(message_lane::request), 16U);
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
    EXPECT_EQ(failure([&] { b.unit.push(to(there), 7); }),
              "network interface of node 2 in cycle 7: a message of type 20 for node 5 was sent "
              "over the request lane, whose queue of 2 is full (rule D1: no send without space)");
  });
  b.clock.advance_to(100);
  EXPECT_TRUE(b.sent.empty());
}

TEST(magic_network_interface, refuses_a_payload_that_is_not_there) {
  bench b;
  message what = to(there);
  what.length = word_bytes;
  EXPECT_EQ(failure([&] { b.unit.push(what, 0); }),
            "network interface of node 2 in cycle 0: a message of type 20 has a payload of 8 bytes "
            "and no data buffer");
  what.data = *b.buffers.allocate(buffer_claim::handler, 0);
  EXPECT_EQ(failure([&] { b.unit.push(what, 0); }),
            "network interface of node 2 in cycle 0: a message of type 20 was sent with data "
            "buffer 0, whose doubleword 0 nothing fills");
  b.buffers.set_word(what.data, 0, 1, 0);
  EXPECT_EQ(failure([&] { b.unit.push(what, 0); }), "nothing");
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
  bench b;
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
  EXPECT_EQ(failure([&] { b.unit.push(to(there, message_lane::reply), 1); }), "nothing");
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
  EXPECT_EQ(b.unit.space(message_lane::request), 14U);
  EXPECT_EQ(b.sent.size(), 1U);
  b.play.at(101, [&] { EXPECT_EQ(b.unit.input(message_lane::request).take(101).aux, 0); });
  b.clock.advance_to(200);
  EXPECT_EQ(b.unit.incoming(message_lane::request), 2U);
  EXPECT_EQ(b.unit.space(message_lane::request), 15U);
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
    EXPECT_NE(failure([&] { b.unit.input(message_lane::reply).take(120); }), "nothing");
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

TEST(magic_network_interface, tells_observers_and_counts) {
  magic_network_interface_config config;
  config.out_depth = 2;
  bench b(config);
  b.takes = true;
  b.play.at(1, [&] {
    b.unit.push(b.line(to(there), 1), 2);
    b.unit.push(to(here), 2);
  });
  b.clock.advance_to(1000);
  ASSERT_EQ(b.events.size(), 3U);
  EXPECT_EQ(b.events[0].kind, node_event_kind::departed);
  EXPECT_EQ(b.events[0].cycle, 6U);
  EXPECT_EQ(b.events[0].last, 46U);
  EXPECT_EQ(b.events[0].node, here);
  EXPECT_EQ(b.events[1].kind, node_event_kind::departed);
  EXPECT_EQ(b.events[2].kind, node_event_kind::arrived);
  EXPECT_EQ(b.events[2].number, b.events[1].number);
  EXPECT_NE(b.events[1].number, b.events[0].number);
  statistics_tree tree;
  b.unit.report(tree.group("ni"), 0);
  EXPECT_EQ(tree.find("ni.request_lane.out.messages"), 2);
  EXPECT_EQ(tree.find("ni.request_lane.out.payload"), 128);
  EXPECT_EQ(tree.find("ni.request_lane.out.full"), 1);
  EXPECT_EQ(tree.find("ni.request_lane.out.length.max"), 2);
  EXPECT_EQ(tree.find("ni.request_lane.out.wait.mean"), 5);
  EXPECT_EQ(tree.find("ni.request_lane.in.messages"), 1);
  EXPECT_EQ(tree.find("ni.reply_lane.out.messages"), 0);
  b.unit.reset_statistics();
  statistics_tree after;
  b.unit.report(after.group("ni"), 0);
  EXPECT_EQ(after.find("ni.request_lane.out.messages"), 0);
}

TEST(magic_network_interface, checks_its_configuration) {
  magic_network_interface_config config;
  config.validate();
  config.out_depth = 0;
  EXPECT_THROW(config.validate(), configuration_error);
}

TEST(message_pool, knows_what_is_on_its_way) {
  message_pool pool;
  const std::uint64_t a = pool.put(to(there, message_lane::request, 1));
  const std::uint64_t b = pool.put(to(there, message_lane::request, 2));
  EXPECT_EQ(pool.size(), 2U);
  EXPECT_EQ(pool.at(b).header.aux, 2);
  const std::uint32_t serial = pool.at(a).serial;
  pool.remove(a);
  EXPECT_THROW(pool.at(a), simulation_error);
  EXPECT_THROW(pool.remove(a), simulation_error);
  EXPECT_THROW(pool.at(99), simulation_error);
  const std::uint64_t c = pool.put(to(there));
  EXPECT_EQ(pool.size(), 2U);
  EXPECT_NE(pool.at(c).serial, serial);
}

// Through the network.

/// A node with nothing but its interface; takes what it sees after `delay` cycles.
class small_node final : private selector, private timed_block {
 public:
  struct received {
    cycle_t cycle;
    message what;
    line_data words;
    line_stamps stamps;
    bool operator==(const received& other) const {
      return cycle == other.cycle && what == other.what && words == other.words &&
             stamps == other.stamps;
    }
  };

  small_node(node_id me, routed_network& network, message_pool& messages,
             const magic_network_interface_config& config)
      : buffers({}, clock, me),
        port(network, me),
        unit(config, clock, me, port, messages, buffers),
        play(clock) {
    network.attach(me, unit);
    unit.tell(*this);
  }

  agenda clock;
  data_buffers buffers;
  node_port port;
  magic_network_interface unit;
  script play;
  cycle_t delay = 0;
  std::vector<received> got;

 private:
  void look(cycle_t now) override { clock.wake(*this, now + delay); }
  void wake(cycle_t now, std::uint64_t) override {
    for (std::size_t lane = 0; lane < message_lanes; ++lane) {
      inbox_source& input = unit.input(static_cast<message_lane>(lane));
      while (input.front(now) != nullptr) {
        const message what = input.take(now);
        received entry{now, what, {}, {}};
        if (what.length != 0) {
          entry.words = buffers.words(what.data);
          entry.stamps = buffers.stamps(what.data);
          buffers.release(what.data, std::max(now, buffers.full(what.data, words_of(what.length))));
        }
        got.push_back(entry);
      }
    }
  }
};

struct small_machine {
  explicit small_machine(std::uint32_t nodes, const message_network_config& config = {},
                         const magic_network_interface_config& interfaces = {})
      : network(config, nodes) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      at.push_back(std::make_unique<small_node>(node_id{i}, network, messages, interfaces));
    }
  }

  /// Until nothing happens any more; in each cycle the network first, or the nodes.
  void run(bool network_first = true, bool backwards = false) {
    while (true) {
      cycle_t next = network.next_wakeup();
      for (const auto& each : at) next = std::min(next, each->clock.next_wakeup());
      if (next == never) return;
      if (network_first) network.advance_to(next);
      for (std::size_t i = 0; i < at.size(); ++i) {
        at[backwards ? at.size() - 1 - i : i]->clock.advance_to(next);
      }
      if (!network_first) network.advance_to(next);
    }
  }

  message_pool messages;
  routed_network network;
  std::vector<std::unique_ptr<small_node>> at;
};

message between(std::uint32_t from, std::uint32_t destination, message_lane over,
                std::uint16_t aux) {
  message made = to(node_id{destination}, over, aux);
  made.source = node_id{from};
  return made;
}

message line_at(small_node& node, message what, cycle_t first) {
  what.length = line_bytes;
  what.data = *node.buffers.allocate(buffer_claim::handler, node.clock.now());
  line_data words{};
  for (std::size_t i = 0; i < line_words; ++i) words[i] = what.aux * 100U + i;
  node.buffers.fill(what.data, words, {first, first + 15});
  return what;
}

TEST(magic_network_interface, two_nodes_are_18_cycles_apart) {
  small_machine m(2);
  m.at[0]->play.at(100, [&] {
    m.at[0]->unit.push(line_at(*m.at[0], between(0, 1, message_lane::request, 9), 100), 101);
  });
  m.run();
  ASSERT_EQ(m.at[1]->got.size(), 1U);
  const auto& got = m.at[1]->got[0];
  EXPECT_EQ(got.cycle, 101U + 4 + 18 + 8) << "interface, network, interface";
  for (std::size_t i = 0; i < line_words; ++i) {
    EXPECT_EQ(got.words[i], 900 + i);
    EXPECT_EQ(got.stamps[i], got.cycle + i * 40 / 16);
  }
  EXPECT_EQ(m.messages.size(), 0U);
}

// V15, V16.
TEST(magic_network_interface, saturated_link_carries_a_line_every_40_or_20_cycles) {
  for (const std::uint32_t bandwidth : {400U, 800U}) {
    message_network_config config;
    config.bandwidth = bandwidth;
    small_machine m(2, config);
    small_node& source = *m.at[0];
    std::uint16_t left = 200;
    std::function<void()> fill = [&] {
      while (left != 0 && source.unit.space(message_lane::request) != 0 &&
             source.buffers.available(buffer_claim::handler)) {
        source.unit.push(
            line_at(source, between(0, 1, message_lane::request, left), source.clock.now() + 14),
            source.clock.now() + 1);
        --left;
      }
      if (left != 0) source.play.at(source.clock.now() + 1, fill);
    };
    source.play.at(1, fill);
    m.run();
    const auto& got = m.at[1]->got;
    ASSERT_EQ(got.size(), 200U);
    for (std::size_t i = 1; i < got.size(); ++i) {
      EXPECT_EQ(got[i].cycle - got[i - 1].cycle, 16000U / bandwidth) << i;
    }
  }
}

/// Random messages between random nodes, with a memory of random slowness behind every line.
std::vector<std::vector<small_node::received>> random_traffic(std::uint64_t seed,
                                                              bool network_first, bool backwards) {
  constexpr std::uint32_t nodes = 6;
  constexpr unsigned each = 150;
  message_network_config network;
  network.endpoint_buffers = 3;
  network.router_buffers = 1;
  magic_network_interface_config config;
  config.out_depth = 3;
  config.own_depth = 1;
  config.reply_first = seed % 2 != 0;
  small_machine m(nodes, network, config);
  std::vector<random_stream> chance;
  std::vector<unsigned> left(nodes, each);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::vector<std::uint16_t>> sent;
  std::vector<std::function<void()>> actions(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    chance.emplace_back(seed, i, purpose::traffic);
    m.at[i]->delay = i % 3;
    actions[i] = [&, i] {
      small_node& node = *m.at[i];
      random_stream& random = chance[i];
      const auto over = static_cast<message_lane>(random.below(message_lanes));
      const auto destination = static_cast<std::uint32_t>(random.below(nodes));
      const auto kind = random.below(3);
      if (node.unit.space(over) != 0 &&
          (kind == 0 || node.buffers.available(buffer_claim::handler))) {
        message what = between(i, destination, over, static_cast<std::uint16_t>(left[i]));
        if (kind == 1) {
          what.length = word_bytes;
          what.data = *node.buffers.allocate(buffer_claim::handler, node.clock.now());
          node.buffers.set_word(what.data, 0, what.aux, node.clock.now() + random.below(30));
        } else if (kind == 2) {
          what = line_at(node, what, node.clock.now() + random.below(60));
        }
        node.unit.push(what, node.clock.now() + 1);
        sent[{i, destination, static_cast<std::size_t>(over)}].push_back(what.aux);
        --left[i];
      }
      if (left[i] != 0) node.play.at(node.clock.now() + 1 + random.below(20), actions[i]);
    };
    m.at[i]->play.at(1, actions[i]);
  }
  m.run(network_first, backwards);

  EXPECT_EQ(m.messages.size(), 0U);
  EXPECT_TRUE(m.network.idle());
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::vector<std::uint16_t>> came;
  std::vector<std::vector<small_node::received>> all;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    EXPECT_TRUE(m.at[i]->unit.idle()) << i;
    EXPECT_EQ(m.at[i]->buffers.in_use(), 0U) << i;
    for (const auto& got : m.at[i]->got) {
      came[{index(got.what.source), i, static_cast<std::size_t>(got.what.over)}].push_back(
          got.what.aux);
      if (got.what.length == word_bytes) {
        EXPECT_EQ(got.words[0], got.what.aux);
      } else if (got.what.length == line_bytes) {
        for (std::size_t w = 0; w < line_words; ++w) {
          EXPECT_EQ(got.words[w], got.what.aux * 100U + w);
          EXPECT_NE(got.stamps[w], never);
        }
      }
    }
    all.push_back(m.at[i]->got);
  }
  EXPECT_EQ(came, sent) << "everything once, in order of source, destination and lane";
  return all;
}

TEST(magic_network_interface, random_traffic_arrives_whole_and_in_order) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first = random_traffic(seed, true, false);
    EXPECT_EQ(random_traffic(seed, false, true), first)
        << seed << ": who comes first in a cycle does not matter";
  }
}

}  // namespace
}  // namespace tributary
