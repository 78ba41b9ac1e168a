// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/magic/inbox.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>

namespace tributary {
namespace {

constexpr node_id here{2};
constexpr std::uint8_t plain = 20;       ///< any handler will do
constexpr std::uint8_t line_read = 21;   ///< its line is read ahead
constexpr std::uint8_t needs_data = 22;  ///< its handler needs a buffer
constexpr std::uint8_t other_line = 23;  ///< read ahead, if no handler runs for the same line

/// Messages that wait, for either kind of input.
template <class Source>
class waiting_messages : public Source {
 public:
  const message* front(cycle_t /*now*/) override {
    return messages.empty() ? nullptr : &messages.front();
  }
  message take(cycle_t /*now*/) override {
    const message taken = messages.front();
    messages.pop_front();
    if (taken_from) taken_from();
    return taken;
  }
  std::deque<message> messages;
  std::function<void()> taken_from;
};

using test_source = waiting_messages<inbox_source>;

class test_direct_source final : public waiting_messages<direct_source> {
 public:
  handler_id front_handler() const override { return handler_id{77}; }
  void put(cycle_t now) {
    messages.emplace_back();
    notify_change(now);
  }
};

class test_space final : public outgoing_space {
 public:
  std::uint32_t space(message_lane over) const override {
    return over == message_lane::request ? requests : over == message_lane::reply ? replies : 0;
  }
  std::uint32_t requests = 16;
  std::uint32_t replies = 16;
};

class test_reader final : public line_reader {
 public:
  struct read {
    payload_handle data;
    std::uint64_t offset;
    cycle_t now;
  };
  void start_read(payload_handle data, std::uint64_t offset, cycle_t now) override {
    reads.push_back({data, offset, now});
  }
  std::vector<read> reads;
};

std::vector<dispatch_rule> test_rules() {
  std::vector<dispatch_rule> rules;
  for (const message_origin origin : {message_origin::processor, message_origin::network}) {
    for (const std::uint8_t type : {plain, line_read, needs_data, other_line}) {
      dispatch_rule rule;
      rule.type = type;
      rule.origin = origin;
      rule.run = static_cast<handler_id>(type);
      rule.needs_buffer = type == needs_data;
      rule.ahead = type == line_read    ? speculation::read_line
                   : type == other_line ? speculation::read_other_line
                                        : speculation::none;
      rules.push_back(rule);
    }
  }
  return rules;
}

struct inbox_test : ::testing::Test, dispatch_listener {
  address_layout layout;
  agenda time;
  jump_table table{jump_table_config(), test_rules(), layout, here};
  data_buffers buffers{data_buffers_config(), time, here};
  test_space space;
  test_reader reader;
  testing::timed_actions others{time};
  std::array<test_source, inbox_inputs> sources;
  test_direct_source deferred;
  test_direct_source timed;
  std::unique_ptr<inbox> tested;
  std::vector<cycle_t> told;

  inbox_test() { make({}); }

  void make(const inbox_config& config) {
    sources = {};
    deferred.messages.clear();
    timed.messages.clear();
    if (tested) {
      // It is still a listener of the buffers, and may be about to look.
      pass();
      retired.push_back(std::move(tested));
    }
    tested = std::make_unique<inbox>(config, time, table, buffers, space);
    for (const inbox_input each :
         {inbox_input::processor, inbox_input::request_lane, inbox_input::reply_lane,
          inbox_input::third_lane, inbox_input::fourth_lane}) {
      tested->connect(each, source(each));
    }
    tested->connect(inbox_input::software_queue, deferred);
    tested->connect(inbox_input::idle_handler, timed);
    tested->set_listener(*this);
    tested->set_reader(reader);
  }

  void selected(cycle_t now) override { told.push_back(now); }

  test_source& source(inbox_input of) { return sources[static_cast<std::size_t>(of)]; }

  message of_type(std::uint8_t type, inbox_input from, node_id home = here) const {
    message made;
    made.type = type;
    made.origin =
        from == inbox_input::processor ? message_origin::processor : message_origin::network;
    made.address = layout.address_of(home, 1, 0x1238);
    return made;
  }

  void put(inbox_input into, std::uint8_t type = plain, node_id home = here) {
    if (into == inbox_input::software_queue) {
      deferred.put(time.now());
    } else if (into == inbox_input::idle_handler) {
      timed.put(time.now());
    } else {
      source(into).messages.push_back(of_type(type, into, home));
      tested->look(time.now());
    }
  }

  /// To the end of the cycle `later` cycles from now.
  void pass(std::uint64_t later = 0) { time.advance_to(time.now() + later); }

  /// Takes what is selected as soon as it is ready; "none" if nothing is.
  std::string take() {
    pass();
    if (tested->selected() == nullptr) return "none";
    time.advance_to(tested->selected()->ready);
    const dispatch taken = tested->take(time.now());
    return name_of(taken.from);
  }

  double statistic(const std::string& path) const { return testing::statistic(*tested, path); }

  void take_all_buffers() {
    while (const auto one = buffers.allocate(buffer_claim::handler, time.now())) {
      held.push_back(*one);
    }
  }
  std::vector<payload_handle> held;
  std::vector<std::unique_ptr<inbox>> retired;
};

TEST_F(inbox_test, a_dispatch_is_ready_after_selection_and_table) {
  time.advance_to(10);
  put(inbox_input::request_lane);
  EXPECT_EQ(tested->selected(), nullptr) << "not before the others of this cycle were there";
  time.advance_to(10);
  ASSERT_NE(tested->selected(), nullptr);
  EXPECT_EQ(told, (std::vector<cycle_t>{10}));
  EXPECT_EQ(tested->selected()->ready, 13U);
  EXPECT_EQ(tested->selected()->run, handler_id{plain});
  EXPECT_EQ(tested->selected()->header, of_type(plain, inbox_input::request_lane));
  EXPECT_THROW(tested->take(10), error);
  EXPECT_EQ(take(), "request_lane");
  EXPECT_EQ(tested->selected(), nullptr);
  EXPECT_THROW(tested->take(13), error);
}

TEST_F(inbox_test, the_processor_is_passed_over_so_many_times_only) {
  inbox_config config;
  config.processor_turn = 4;
  make(config);
  std::vector<std::string> order;
  put(inbox_input::request_lane);
  put(inbox_input::processor);
  for (int i = 0; i < 10; ++i) {
    put(inbox_input::request_lane);
    put(inbox_input::processor);
    order.push_back(take());
  }
  const std::vector<std::string> lane(3, "request_lane");
  std::vector<std::string> expected;
  while (expected.size() < order.size()) {
    expected.insert(expected.end(), lane.begin(), lane.end());
    expected.emplace_back("processor");
  }
  expected.resize(order.size());
  EXPECT_EQ(order, expected);
}

TEST_F(inbox_test, requests_are_passed_over_so_many_times_only) {
  inbox_config config;
  config.request_turn = 3;
  make(config);
  std::vector<std::string> order;
  put(inbox_input::reply_lane);
  put(inbox_input::request_lane);
  for (int i = 0; i < 9; ++i) {
    put(inbox_input::reply_lane);
    put(inbox_input::request_lane);
    order.push_back(take());
  }
  const std::vector<std::string> expected{"reply_lane", "reply_lane", "request_lane",
                                          "reply_lane", "reply_lane", "request_lane",
                                          "reply_lane", "reply_lane", "request_lane"};
  EXPECT_EQ(order, expected);
}

TEST_F(inbox_test, deferred_and_timed_handlers_bypass_the_table) {
  time.advance_to(10);
  deferred.put(10);
  pass();
  ASSERT_NE(tested->selected(), nullptr);
  EXPECT_EQ(tested->selected()->ready, 11U);
  EXPECT_EQ(tested->selected()->run, handler_id{77});
  EXPECT_EQ(take(), "software_queue");
  timed.put(11);
  pass();
  EXPECT_EQ(tested->selected()->ready, 12U);
  EXPECT_EQ(tested->selected()->run, handler_id{77});
}

TEST_F(inbox_test, latencies_are_parameters) {
  inbox_config config;
  config.select_cycles = 4;
  config.jump_table_cycles = 0;
  make(config);
  time.advance_to(10);
  put(inbox_input::processor);
  pass();
  EXPECT_EQ(tested->selected()->ready, 14U);
  config.select_cycles = 0;
  EXPECT_THROW(make(config), configuration_error);
}

TEST_F(inbox_test, selects_by_priority) {
  inbox_config config;
  config.software_queue_turn = 1000;
  make(config);
  for (std::size_t i = 0; i < inbox_inputs; ++i) put(static_cast<inbox_input>(i));
  EXPECT_EQ(take(), "idle_handler");
  EXPECT_EQ(take(), "reply_lane");
  EXPECT_EQ(take(), "third_lane");
  EXPECT_EQ(take(), "fourth_lane");
  EXPECT_EQ(take(), "request_lane");
  EXPECT_EQ(take(), "processor");
  EXPECT_EQ(take(), "software_queue");
  EXPECT_EQ(take(), "none");
  for (std::size_t i = 0; i < inbox_inputs; ++i) {
    EXPECT_EQ(tested->selections(static_cast<inbox_input>(i)), 1U);
  }
}

TEST_F(inbox_test, the_software_queue_has_one_turn_in_so_many) {
  for (const std::uint32_t turn : {2U, 3U, 5U}) {
    inbox_config config;
    config.software_queue_turn = turn;
    make(config);
    for (int i = 0; i < 40; ++i) {
      put(inbox_input::reply_lane);
      put(inbox_input::software_queue);
    }
    for (std::uint32_t i = 1; i <= 30; ++i) {
      EXPECT_EQ(take(), i % turn == 0 ? "software_queue" : "reply_lane") << turn << ", " << i;
    }
    put(inbox_input::idle_handler);
    EXPECT_EQ(take(), "idle_handler") << "whosever turn it is";
  }
}

TEST_F(inbox_test, a_queue_that_was_busy_gets_its_turn_as_soon_as_it_shows) {
  inbox_config config;
  config.software_queue_turn = 2;
  make(config);
  for (int i = 0; i < 10; ++i) put(inbox_input::reply_lane);
  put(inbox_input::software_queue);
  EXPECT_EQ(take(), "reply_lane");
  EXPECT_EQ(take(), "software_queue");
  EXPECT_EQ(take(), "reply_lane") << "selected while the deferred handler ran";
  deferred.put(time.now());
  EXPECT_EQ(take(), "software_queue");
}

TEST_F(inbox_test, selects_once_a_cycle_after_all_others) {
  others.at(10, [&] { put(inbox_input::request_lane); });
  others.at(
      10,
      [&] {
        put(inbox_input::processor);
        others.at(10, [&] { put(inbox_input::reply_lane); });
      },
      wake_rank::processor);
  time.advance_to(10);
  ASSERT_NE(tested->selected(), nullptr);
  EXPECT_EQ(tested->selected()->from, inbox_input::request_lane)
      << "it is woken behind those who were to be woken anyway";
  EXPECT_EQ(told.size(), 1U);

  others.at(
      20, [&] { tested->take(20); }, wake_rank::processor);
  others.at(
      20, [&] { put(inbox_input::idle_handler); }, wake_rank::processor);
  time.advance_to(20);
  EXPECT_EQ(tested->selected()->from, inbox_input::idle_handler);
  EXPECT_EQ(told, (std::vector<cycle_t>{10, 20}));
}

TEST_F(inbox_test, a_source_may_call_back_when_it_is_taken_from) {
  source(inbox_input::processor).taken_from = [&] { tested->look(time.now()); };
  put(inbox_input::processor);
  put(inbox_input::processor);
  pass(2);
  EXPECT_EQ(told.size(), 1U) << "one waits at a time";
  EXPECT_EQ(take(), "processor");
  EXPECT_EQ(take(), "processor");
}

struct needed {
  inbox_input input;
  std::uint32_t requests;
  std::uint32_t replies;
};
constexpr std::array<needed, 7> all_needed{{{inbox_input::processor, 1, 0},
                                            {inbox_input::request_lane, 0, 2},
                                            {inbox_input::reply_lane, 0, 0},
                                            {inbox_input::third_lane, 0, 2},
                                            {inbox_input::fourth_lane, 0, 2},
                                            {inbox_input::software_queue, 1, 1},
                                            {inbox_input::idle_handler, 0, 0}}};

TEST_F(inbox_test, selects_only_with_space_for_what_is_promised) {
  for (const needed& each : all_needed) {
    for (std::uint32_t requests = 0; requests <= 3; ++requests) {
      for (std::uint32_t replies = 0; replies <= 3; ++replies) {
        make({});
        told.clear();
        space.requests = requests;
        space.replies = replies;
        put(each.input);
        pass();
        const bool enough = requests >= each.requests && replies >= each.replies;
        ASSERT_EQ(tested->selected() != nullptr, enough)
            << name_of(each.input) << " with " << requests << " and " << replies;
        if (!enough) continue;
        EXPECT_EQ(tested->selected()->requests, each.requests);
        EXPECT_EQ(tested->selected()->replies, each.replies);
        EXPECT_EQ(told.size(), 1U);
      }
    }
  }
}

TEST_F(inbox_test, what_the_running_handler_may_still_send_counts) {
  for (const needed& running : all_needed) {
    for (const needed& next : all_needed) {
      for (const bool enough : {false, true}) {
        make({});
        space.requests = space.replies = 16;
        put(running.input);
        ASSERT_EQ(take(), name_of(running.input));
        const std::uint32_t requests = running.requests + next.requests;
        const std::uint32_t replies = running.replies + next.replies;
        // Without one place less for anything that the next is promised.
        const std::uint32_t less = enough ? 0 : 1;
        space.requests = next.requests > 0 ? requests - less : running.requests;
        space.replies = next.replies > 0 ? replies - less : running.replies;
        put(next.input);
        pass();
        const bool promised_any = next.requests + next.replies > 0;
        ASSERT_EQ(tested->selected() != nullptr, enough || !promised_any)
            << name_of(running.input) << " before " << name_of(next.input);
        // When the running handler has ended, there is room.
        tested->set_running(0, 0);
        pass();
        const bool ended = space.requests >= next.requests && space.replies >= next.replies;
        EXPECT_EQ(tested->selected() != nullptr, ended || enough)
            << name_of(running.input) << " before " << name_of(next.input);
      }
    }
  }
}

TEST_F(inbox_test, a_held_input_lets_others_pass_and_goes_on_with_space) {
  space.replies = 1;
  put(inbox_input::request_lane);
  put(inbox_input::processor);
  EXPECT_EQ(take(), "processor");
  pass(10);
  EXPECT_EQ(tested->selected(), nullptr);
  space.replies = 2;
  tested->look(time.now());
  pass();
  EXPECT_EQ(take(), "request_lane");
}

TEST_F(inbox_test, a_handler_that_needs_a_buffer_waits_for_one) {
  take_all_buffers();
  time.advance_to(5);
  put(inbox_input::request_lane, needs_data);
  put(inbox_input::request_lane, plain);
  pass();
  EXPECT_EQ(tested->selected(), nullptr) << "a queue keeps its order";
  buffers.release(held.back(), 30);
  time.advance_to(29);
  EXPECT_EQ(tested->selected(), nullptr);
  time.advance_to(30);
  ASSERT_NE(tested->selected(), nullptr);
  EXPECT_EQ(tested->selected()->run, handler_id{needs_data});
  EXPECT_EQ(statistic("request_lane.held_for_buffer"), 25);
  EXPECT_EQ(statistic("request_lane.held_for_space"), 0);
}

TEST_F(inbox_test, stops_at_a_message_without_rule) {
  time.advance_to(99);
  message what = of_type(200, inbox_input::request_lane, node_id{7});
  what.source = node_id{9};
  what.flavor = 1;
  source(inbox_input::request_lane).messages.push_back(what);
  tested->look(99);
  EXPECT_TRUE(testing::names(testing::failure([&] { time.advance_to(99); }),
                             {"type 200", "request_lane", "node 9", "node 7", "space 1",
                              "offset 4664", "flavor 1", "process 0", "node 2", "cycle 99"}));
}

TEST_F(inbox_test, reads_ahead_when_the_table_has_been_read) {
  time.advance_to(10);
  put(inbox_input::request_lane, line_read);
  time.advance_to(12);
  ASSERT_NE(tested->selected(), nullptr);
  const payload_handle data = tested->selected()->header.data;
  ASSERT_NE(data, no_payload);
  EXPECT_EQ(buffers.holders(data), 1U);
  EXPECT_TRUE(reader.reads.empty());
  time.advance_to(40);
  ASSERT_EQ(reader.reads.size(), 1U);
  EXPECT_EQ(reader.reads[0].data, data);
  EXPECT_EQ(reader.reads[0].offset, 0x1238U) << "the word that comes first, without node and space";
  EXPECT_EQ(reader.reads[0].now, 13U);
  EXPECT_EQ(tested->take(40).header.data, data);
  EXPECT_EQ(reader.reads.size(), 1U);
  EXPECT_EQ(statistic("reads_ahead"), 1);
}

TEST_F(inbox_test, a_read_has_begun_when_its_handler_begins) {
  time.advance_to(10);
  // Woken in cycle 13 before the inbox, and taking another one in the same cycle.
  others.at(
      13,
      [&] {
        tested->take(13);
        ASSERT_EQ(reader.reads.size(), 1U);
        EXPECT_EQ(reader.reads[0].now, 13U);
      },
      wake_rank::processor);
  put(inbox_input::request_lane, line_read);
  put(inbox_input::request_lane, line_read);
  time.advance_to(15);
  EXPECT_EQ(reader.reads.size(), 1U) << "the wake-up of the first is not for the second";
  time.advance_to(16);
  ASSERT_EQ(reader.reads.size(), 2U);
  EXPECT_EQ(reader.reads[1].now, 16U);
}

TEST_F(inbox_test, reads_ahead_only_what_it_may) {
  const auto data_of_next = [&] {
    pass();
    const payload_handle data = tested->selected()->header.data;
    take();
    return data;
  };
  put(inbox_input::request_lane, line_read, node_id{3});
  EXPECT_EQ(data_of_next(), no_payload) << "another node's memory";
  message with_payload = of_type(line_read, inbox_input::request_lane);
  with_payload.length = word_bytes;
  with_payload.data = *buffers.allocate(buffer_claim::other_arrival, time.now());
  source(inbox_input::request_lane).messages.push_back(with_payload);
  tested->look(time.now());
  EXPECT_EQ(data_of_next(), with_payload.data) << "the buffer has something else to hold";
  buffers.release(with_payload.data, time.now());

  take_all_buffers();
  put(inbox_input::request_lane, line_read);
  EXPECT_EQ(data_of_next(), no_payload) << "no buffer, then without";
  EXPECT_EQ(statistic("reads_without_buffer"), 1);
  buffers.release(held.back(), time.now());

  inbox_config config;
  config.speculative_reads = false;
  make(config);
  put(inbox_input::request_lane, line_read);
  EXPECT_EQ(data_of_next(), no_payload) << "switched off";
  EXPECT_TRUE(reader.reads.empty());
}

/// A message for a line that is read ahead unless a handler may be writing it.
struct running_line {
  const char* name;
  node_id home;
  std::uint32_t space;
  std::uint64_t offset;
  bool is_read;
};

TEST_F(inbox_test, reads_no_line_ahead_for_which_a_handler_runs) {
  const running_line all[] = {{"the same word", here, 1, 0x1238, false},
                              {"another word of the line", here, 1, 0x1200, false},
                              {"the last word of the line", here, 1, 0x1278, false},
                              {"the line through another space", here, 0, 0x1238, false},
                              {"the next line", here, 1, 0x1280, true},
                              {"the line before", here, 1, 0x11f8, true},
                              {"a line of another node", node_id{3}, 1, 0x1238, true}};
  for (const running_line& each : all) {
    make({});
    // What runs, and then what is selected meanwhile.
    message running = of_type(plain, inbox_input::request_lane);
    running.address = layout.address_of(each.home, each.space, each.offset);
    source(inbox_input::request_lane).messages.push_back(running);
    put(inbox_input::request_lane, other_line);
    ASSERT_EQ(take(), "request_lane");
    pass();
    ASSERT_NE(tested->selected(), nullptr);
    const payload_handle data = tested->selected()->header.data;
    EXPECT_EQ(data != no_payload, each.is_read) << "a handler runs for " << each.name;
    tested->end_running();
    EXPECT_EQ(take(), "request_lane");
    tested->end_running();
    if (data != no_payload) buffers.release(data, time.now());
  }
}

/// Such a handler may write lines that its message does not name.
TEST_F(inbox_test, reads_no_line_ahead_while_a_deferred_handler_runs) {
  put(inbox_input::software_queue);
  ASSERT_EQ(take(), "software_queue");
  put(inbox_input::request_lane, other_line);
  pass();
  ASSERT_NE(tested->selected(), nullptr);
  EXPECT_EQ(tested->selected()->header.data, no_payload);
}

TEST_F(inbox_test, reads_a_line_ahead_when_no_handler_runs) {
  put(inbox_input::request_lane, other_line);
  pass();
  const payload_handle first = tested->selected()->header.data;
  EXPECT_NE(first, no_payload) << "none has run";
  take();
  tested->end_running();
  put(inbox_input::request_lane, other_line);
  pass();
  const payload_handle second = tested->selected()->header.data;
  EXPECT_NE(second, no_payload) << "the one for the line has ended";
  take();
  put(inbox_input::request_lane, line_read);
  pass();
  EXPECT_NE(tested->selected()->header.data, no_payload) << "another rule does not ask";
}

TEST_F(inbox_test, counts_selections_and_what_held_inputs_back) {
  time.advance_to(10);
  space.requests = 0;
  space.replies = 0;
  put(inbox_input::processor);
  put(inbox_input::request_lane);
  put(inbox_input::software_queue);
  time.advance_to(30);
  EXPECT_EQ(statistic("processor.held_for_space"), 20) << "until now";
  space.requests = 1;
  tested->look(30);
  EXPECT_EQ(take(), "processor");
  time.advance_to(50);
  EXPECT_EQ(statistic("processor.held_for_space"), 20);
  EXPECT_EQ(statistic("processor.selected"), 1);
  EXPECT_EQ(statistic("request_lane.held_for_space"), 40);
  EXPECT_EQ(statistic("software_queue.held_for_space"), 37) << "not considered in 30 to 32";
  EXPECT_EQ(statistic("reply_lane.held_for_space"), 0);

  tested->reset_statistics();
  EXPECT_EQ(statistic("processor.selected"), 0);
  EXPECT_EQ(statistic("request_lane.held_for_space"), 0);
  time.advance_to(57);
  EXPECT_EQ(statistic("request_lane.held_for_space"), 7) << "it is still held";
}

}  // namespace
}  // namespace tributary
