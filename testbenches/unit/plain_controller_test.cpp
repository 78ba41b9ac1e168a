// SPDX-License-Identifier: Apache-2.0
// The plain controller keeps the promises of handler_context, and holds handlers to the rules.
#include "support/plain_controller.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

#include <support/usual_line.h>

namespace tributary {
namespace {

constexpr auto read_type = static_cast<std::uint8_t>(common_type::uncached_read);
constexpr auto write_type = static_cast<std::uint8_t>(common_type::uncached_write);
constexpr std::uint8_t ask = 30;
constexpr std::uint8_t told = 31;
constexpr node_id first{0};
constexpr node_id second{1};

using body = std::function<void(handler_context&)>;

/// What a test's handlers share.
struct handlers_of_test {
  body read = [](handler_context& node) { node.answer(0); };
  body write = [](handler_context&) {};
  body ask = [](handler_context&) {};
  body told = [](handler_context&) {};
  body deferred = [](handler_context& node) { node.done(); };
  body timed = [](handler_context&) {};
  bool asks_need_buffer = false;
  speculation reads_ahead = speculation::none;
};
constexpr handler_id deferred_handler{4};
constexpr handler_id timed_handler{5};

class scripted final : public fiber_protocol {
 public:
  explicit scripted(const handlers_of_test& script) : script_(script) {}

  std::string name() const override { return "script"; }
  std::vector<dispatch_rule> rules() const override {
    std::vector<dispatch_rule> all = {
        {read_type, message_origin::processor, locality::any, handler_id{0}},
        {write_type, message_origin::processor, locality::any, handler_id{1}},
        {ask, message_origin::network, locality::any, handler_id{2}},
        {told, message_origin::network, locality::any, handler_id{3}}};
    all[0].ahead = script_.reads_ahead;
    all[2].needs_buffer = script_.asks_need_buffer;
    return all;
  }
  std::vector<handler> handlers() override {
    return {{"read", script_.read}, {"write", script_.write},       {"ask", script_.ask},
            {"told", script_.told}, {"deferred", script_.deferred}, {"timed", script_.timed}};
  }
  std::uint64_t storage_bytes() const override { return 1024; }
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  const handlers_of_test& script_;
};

constexpr std::uint64_t storage = 1 << 19;

class plain_controller : public ::testing::Test {
 protected:
  testing::plain_machine& machine() {
    if (!machine_) {
      machine_.emplace(config_, [this](node_id) {
        testing::plain_machine::protocol_list all;
        all.push_back(std::make_unique<scripted>(script_));
        return all;
      });
    }
    return *machine_;
  }
  std::uint64_t address(node_id node, std::uint64_t offset) {
    return config_.addresses.address_of(node, 0, offset);
  }
  /// How a read by node 0 ends the simulation.
  std::string failure() {
    try {
      machine().begin_read(first, address(first, 0x40));
      machine().run();
    } catch (const simulation_error& problem) {
      return problem.what();
    }
    return "nothing was refused";
  }
  void expect_failure(const std::string& problem) {
    const std::string message = failure();
    EXPECT_EQ(message.find("handler 'script."), 0U) << message;
    EXPECT_NE(message.find(", node 0, cycle "), std::string::npos) << message;
    EXPECT_NE(message.find(problem), std::string::npos) << message;
  }

  testing::plain_machine_config config_;
  handlers_of_test script_;

 private:
  std::optional<testing::plain_machine> machine_;
};

message to(node_id destination, std::uint8_t type, message_lane over = message_lane::request) {
  message made;
  made.destination = destination;
  made.type = type;
  made.over = over;
  return made;
}

TEST_F(plain_controller, lets_time_pass_where_a_handler_spends_it) {
  std::vector<cycle_t> times;
  script_.read = [&](handler_context& node) {
    times.push_back(node.now());
    node.spend(10);
    times.push_back(node.now());
    node.load(0);
    node.spend(5);
    node.answer(node.now());
    node.spend(3);
  };
  machine().run_until(100);
  EXPECT_EQ(machine().read(first, address(first, 0)), 115U);
  EXPECT_EQ(times, (std::vector<cycle_t>{100, 110}));
  EXPECT_TRUE(machine().run());
  ASSERT_EQ(machine().handled().size(), 1U);
  EXPECT_EQ(machine().handled()[0].begun, 100U);
  EXPECT_EQ(machine().handled()[0].ended, 118U);
}

TEST_F(plain_controller, carries_messages_and_payloads) {
  script_.read = [](handler_context& node) {
    message what = to(second, ask);
    what.aux = node.keep_read();
    what.data = *node.allocate();
    what.length = line_bytes;
    node.fill(what.data, 0x80);
    node.send(what);
  };
  script_.ask = [](handler_context& node) {
    message reply = to(node.arrived().source, told, message_lane::reply);
    reply.aux = node.arrived().aux;
    reply.data = node.arrived().data;
    reply.length = word_bytes;
    node.spill(reply.data, 0x100);
    node.spill_word(reply.data, 1, 0x208);
    node.set_word(reply.data, 0, node.word(reply.data, 15));
    node.send(reply);
  };
  script_.told = [](handler_context& node) {
    const message& with = node.arrived();
    node.answer(static_cast<std::uint8_t>(with.aux), node.word(with.data, 0));
  };
  for (std::uint64_t i = 0; i < line_words; ++i) {
    machine().memory(first).write(0x80 + 8 * i, 100 + i);
  }
  EXPECT_EQ(machine().read(first, address(first, 0)), 115U);
  EXPECT_EQ(machine().now(), 2 * config_.latency);
  EXPECT_EQ(machine().memory(second).read(0x100), 100U);
  EXPECT_EQ(machine().memory(second).read(0x178), 115U);
  EXPECT_EQ(machine().memory(second).read(0x208), 101U);
  EXPECT_TRUE(machine().run());
}

TEST_F(plain_controller, shifts_a_line_into_two_payloads) {
  script_.read = [](handler_context& node) {
    const payload_handle a = *node.allocate();
    const payload_handle b = *node.allocate();
    for (std::uint64_t i = 0; i < line_words; ++i) {
      node.set_word(a, i, 7);
      node.set_word(b, i, 8);
    }
    node.fill_realigned(a, b, 13, 0x80);
    node.spill(a, 0x100);
    node.spill(b, 0x180);
    node.fill_realigned(a, a, 15, 0x80);
    node.spill(a, 0x200);
    node.release(a);
    node.release(b);
    node.answer(0);
  };
  word_memory& memory = machine().memory(first);
  for (std::uint64_t i = 0; i < line_words; ++i) memory.write(0x80 + 8 * i, 100 + i);
  machine().read(first, address(first, 0));
  EXPECT_EQ(memory.read(0x100 + 8 * 12), 7U);
  EXPECT_EQ(memory.read(0x100 + 8 * 13), 100U);
  EXPECT_EQ(memory.read(0x100 + 8 * 15), 102U);
  EXPECT_EQ(memory.read(0x180), 103U);
  EXPECT_EQ(memory.read(0x180 + 8 * 12), 115U);
  EXPECT_EQ(memory.read(0x180 + 8 * 13), 8U);
  EXPECT_EQ(memory.read(0x200 + 8 * 14), 101U);
  EXPECT_EQ(memory.read(0x200 + 8 * 15), 100U);
  EXPECT_TRUE(machine().run());
}

TEST_F(plain_controller, runs_deferred_and_timed_handlers) {
  std::vector<std::string> order;
  script_.read = [&](handler_context& node) {
    message with = to(first, 0);
    with.aux = node.keep_read();
    with.address = 2;
    node.later(storage, deferred_handler, with);
    node.after(1000, timed_handler, with);
  };
  script_.deferred = [&](handler_context& node) {
    order.emplace_back("deferred");
    EXPECT_EQ(node.arrived().origin, message_origin::deferred);
    message with = node.arrived();
    if (--with.address == 0) return node.done();
    node.again(with);
  };
  script_.timed = [&](handler_context& node) {
    order.emplace_back("timed");
    EXPECT_EQ(node.arrived().origin, message_origin::timed);
    node.answer(static_cast<std::uint8_t>(node.arrived().aux), node.now());
  };
  EXPECT_EQ(machine().read(first, address(first, 0)), 1000U);
  EXPECT_TRUE(machine().run());
  EXPECT_EQ(order, (std::vector<std::string>{"deferred", "deferred", "timed"}));
  EXPECT_EQ(machine().count("script.deferred"), 2U);
}

TEST_F(plain_controller, keeps_a_payload_for_a_later_handler) {
  script_.write = [](handler_context& node) {
    node.retain(node.arrived().data);
    node.store(storage, static_cast<word_t>(node.arrived().data));
  };
  script_.read = [](handler_context& node) {
    const auto kept = static_cast<payload_handle>(node.load(storage));
    node.answer(node.word(kept, 0));
    node.release(kept);
  };
  machine().begin_write(first, address(first, 0), 55);
  EXPECT_FALSE(machine().run());
  EXPECT_EQ(machine().read(first, address(first, 0)), 55U);
  EXPECT_TRUE(machine().run());
}

TEST_F(plain_controller, sends_one_payload_to_many) {
  script_.read = [](handler_context& node) {
    message what = to(first, ask);
    what.data = *node.allocate();
    what.length = word_bytes;
    node.set_word(what.data, 0, 66);
    node.space(message_lane::request);
    for (const node_id each : {first, second}) {
      what.destination = each;
      if (each == first) node.retain(what.data);
      node.send(what);
    }
    node.answer(0);
  };
  script_.ask = [](handler_context& node) { node.spill_word(node.arrived().data, 0, 0x48); };
  machine().read(first, address(first, 0));
  EXPECT_TRUE(machine().run());
  EXPECT_EQ(machine().memory(first).read(0x48), 66U);
  EXPECT_EQ(machine().memory(second).read(0x48), 66U);
}

TEST_F(plain_controller, reads_ahead_where_a_rule_says_so) {
  script_.reads_ahead = speculation::read_line;
  script_.read = [](handler_context& node) { node.answer(node.word(node.arrived().data, 2)); };
  machine().memory(first).write(0x90, 9);
  EXPECT_EQ(machine().read(first, address(first, 0x80)), 9U);
  EXPECT_TRUE(machine().run());
}

TEST_F(plain_controller, runs_out_of_payloads_and_of_space) {
  config_.payloads = 3;
  config_.lane_depth = 2;
  std::vector<bool> got;
  std::vector<std::uint64_t> space;
  script_.read = [&](handler_context& node) {
    const std::optional<payload_handle> a = node.allocate();
    const std::optional<payload_handle> b = node.allocate();
    got = {a.has_value(), b.has_value(), node.allocate().has_value()};
    node.release(*a);
    node.release(*b);
    space.push_back(node.space(message_lane::request));
    node.send(to(second, ask));
    space.push_back(node.space(message_lane::request));
    space.push_back(node.space(message_lane::reply));
    node.answer(0);
  };
  machine().read(first, address(first, 0));
  EXPECT_EQ(got, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(space, (std::vector<std::uint64_t>{2, 1, 2}));
  EXPECT_TRUE(machine().run());
}

TEST_F(plain_controller, waits_for_the_payload_that_a_rule_needs) {
  config_.payloads = 3;
  script_.asks_need_buffer = true;
  payload_handle kept = no_payload;
  script_.read = [&](handler_context& node) {
    kept = *node.allocate();
    node.retain(kept);
    node.retain(*node.allocate());
    node.send(to(first, ask));
    node.answer(0);
  };
  script_.write = [&](handler_context& node) { node.release(kept); };
  script_.ask = [&](handler_context& node) { node.release(*node.allocate()); };
  machine().read(first, address(first, 0));
  EXPECT_FALSE(machine().run());
  EXPECT_EQ(machine().count("script.ask"), 0U);
}

TEST_F(plain_controller, keeps_messages_in_order_whatever_they_take) {
  config_.jitter = 50;
  std::vector<std::uint16_t> order;
  script_.write = [](handler_context& node) {
    message what = to(second, ask);
    what.aux = static_cast<std::uint16_t>(node.word(node.arrived().data, 0));
    node.send(what);
  };
  script_.ask = [&](handler_context& node) { order.push_back(node.arrived().aux); };
  std::vector<std::uint16_t> sent;
  for (std::uint16_t i = 0; i < 100; ++i) {
    machine().begin_write(first, address(first, 0), i);
    sent.push_back(i);
  }
  EXPECT_TRUE(machine().run());
  EXPECT_EQ(order, sent);
}

TEST_F(plain_controller, stops_a_handler_that_sends_without_space) {
  script_.read = [](handler_context& node) {
    node.answer(0);
    node.space(message_lane::request);
    for (;;) node.send(to(second, ask));
  };
  expect_failure("sends a message of type 30 without space on lane 0 (rule D1)");
}

TEST_F(plain_controller, stops_a_handler_that_sends_more_than_promised_without_asking) {
  script_.read = [](handler_context& node) {
    node.answer(0);
    node.send(to(second, ask));
    node.send(to(second, ask));
  };
  expect_failure(
      "sends a message of type 30 on lane 0 beyond what it is promised, without asking "
      "(rule D6)");
}

TEST_F(plain_controller, stops_a_handler_that_sends_to_nowhere) {
  script_.read = [](handler_context& node) { node.send(to(node_id{2}, ask)); };
  expect_failure("to node 2, which is not there");
}

TEST_F(plain_controller, stops_a_handler_that_awaits_what_nothing_will_fill) {
  script_.read = [](handler_context& node) { node.word(*node.allocate(), 3); };
  expect_failure("awaits word 3 of a payload, which nothing will fill");
}

TEST_F(plain_controller, stops_a_handler_that_uses_a_payload_of_nobody) {
  script_.read = [](handler_context& node) {
    const payload_handle gone = *node.allocate();
    node.release(gone);
    node.set_word(gone, 0, 1);
  };
  expect_failure("uses payload 4096, which nobody holds");
}

TEST_F(plain_controller, stops_a_handler_that_keeps_a_payload_without_retain) {
  script_.read = [](handler_context& node) {
    node.allocate();
    node.answer(0);
  };
  expect_failure("keeps a payload that it did not retain");
}

TEST_F(plain_controller, stops_a_deferred_handler_that_does_not_reload) {
  script_.read = [](handler_context& node) {
    node.answer(0);
    node.later(storage, deferred_handler, {});
  };
  script_.deferred = [](handler_context&) {};
  expect_failure("is deferred and ends without again or done");
}

TEST_F(plain_controller, stops_a_handler_that_defers_with_a_record_in_the_queue) {
  script_.read = [](handler_context& node) {
    node.later(storage, deferred_handler, {});
    node.later(storage, deferred_handler, {});
  };
  expect_failure("defers with a record that is in the queue");
}

TEST_F(plain_controller, stops_a_handler_that_reloads_though_it_is_not_deferred) {
  script_.read = [](handler_context& node) { node.done(); };
  expect_failure("calls again or done");
}

TEST_F(plain_controller, stops_a_handler_that_leaves_a_read_unanswered) {
  script_.read = [](handler_context&) {};
  expect_failure("leaves the uncached read of address 64 unanswered");
}

TEST_F(plain_controller, stops_a_handler_that_answers_twice) {
  script_.read = [](handler_context& node) {
    node.answer(0);
    node.answer(0);
  };
  expect_failure("answers a read with tag 0, which nobody awaits");
}

TEST_F(plain_controller, stops_a_handler_that_uses_memory_of_another_node) {
  script_.read = [this](handler_context& node) { node.load(address(second, 0)); };
  expect_failure("which is no word of this node's memory");
}

TEST_F(plain_controller, stops_a_message_that_no_rule_takes) {
  script_.read = [](handler_context& node) {
    node.answer(0);
    node.send(to(first, 99));
  };
  const std::string message = failure();
  EXPECT_EQ(message,
            "node 0, cycle 20: no rule for a message of type 99 from the network for "
            "address 0");
}

TEST_F(plain_controller, refuses_a_protocol_that_needs_what_it_has_not) {
  class demanding final : public fiber_protocol {
   public:
    std::string name() const override { return "demanding"; }
    std::vector<facility> needs() const override { return {facility::realignment}; }
    std::vector<dispatch_rule> rules() const override { return {}; }
    std::vector<handler> handlers() override { return {}; }
    void initialize(const protocol_storage&, word_memory&) override {}
  };
  const auto with = [](node_id) {
    testing::plain_machine::protocol_list all;
    all.push_back(std::make_unique<demanding>());
    return all;
  };
  EXPECT_NO_THROW(testing::plain_machine({}, with));
  config_.facilities.clear();
  EXPECT_THROW(testing::plain_machine(config_, with), configuration_error);
}

}  // namespace
}  // namespace tributary
