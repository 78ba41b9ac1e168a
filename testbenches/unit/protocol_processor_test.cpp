// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using body = std::function<void(handler_context&)>;

constexpr std::uint8_t request_type = first_protocol_type;
constexpr std::uint8_t reply_type = first_protocol_type + 1;
constexpr handler_id on_read{0};
constexpr handler_id on_write{1};
constexpr handler_id on_request{2};
constexpr handler_id on_reply{3};
constexpr handler_id deferred{4};

/// Handlers that a test gives: of the processor's reads and writes, of a message on each of the
/// two lanes, and one to be deferred.
struct script {
  body read = [](handler_context& context) { context.answer(0); };
  body write = [](handler_context&) {};
  body request = [](handler_context&) {};
  body reply = [](handler_context&) {};
  body later = [](handler_context& context) { context.done(); };
};

class scripted_protocol final : public fiber_protocol {
 public:
  explicit scripted_protocol(script bodies) : bodies_(std::move(bodies)) {}

  std::string name() const override { return "test"; }
  std::vector<facility> needs() const override { return {}; }
  std::vector<dispatch_rule> rules() const override {
    return {rule(static_cast<std::uint8_t>(common_type::uncached_read), message_origin::processor,
                 on_read),
            rule(static_cast<std::uint8_t>(common_type::uncached_write), message_origin::processor,
                 on_write),
            rule(request_type, message_origin::network, on_request),
            rule(reply_type, message_origin::network, on_reply)};
  }
  std::vector<handler> handlers() override {
    return {{"read", bodies_.read},
            {"write", bodies_.write},
            {"request", bodies_.request},
            {"reply", bodies_.reply},
            {"later", bodies_.later}};
  }
  std::uint64_t storage_bytes() const override { return 256; }
  void initialize(const protocol_storage&, word_memory&) override {}

 private:
  static dispatch_rule rule(std::uint8_t type, message_origin origin, handler_id run) {
    dispatch_rule made;
    made.type = type;
    made.origin = origin;
    made.run = run;
    return made;
  }
  script bodies_;
};

/// Two nodes whose handlers are the script's.
class scripted_machine {
 public:
  explicit scripted_machine(const script& bodies, magic_machine_config config = {})
      : machine(config, [&](node_id) {
          std::vector<std::unique_ptr<protocol>> made;
          made.push_back(std::make_unique<scripted_protocol>(bodies));
          return made;
        }) {}

  /// The processor of node 0 reads or writes the word at 0x100 of node 0.
  void read() { machine.node(0).processor().offer(0, {0x100}, machine.now()); }
  void write(word_t value) {
    machine.node(0).processor().offer(0, posted_store(0x100, value), machine.now());
  }

  /// What a run ends with; empty if nothing was broken.
  std::string run(cycle_t last = 5000) {
    try {
      machine.run_until(last);
    } catch (const simulation_error& problem) {
      return problem.what();
    }
    return "";
  }

  magic_machine machine;
};

message to_node_1(std::uint8_t type, message_lane over) {
  message what;
  what.type = type;
  what.over = over;
  what.destination = node_id{1};
  what.address = std::uint64_t{1} << 32;
  return what;
}

void expect_message(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(said.find(part), std::string::npos) << "'" << part << "' is not in: " << said;
  }
}

TEST(protocol_processor_test, an_unanswered_read_is_stopped) {
  script bodies;
  bodies.read = [](handler_context& context) { context.spend(7); };
  scripted_machine machine(bodies);
  machine.read();
  expect_message(machine.run(), {"uncached read", "'test.read'", "node 0", "cycle",
                                 "without answering the processor"});
}

TEST(protocol_processor_test, a_read_may_be_kept_for_another_handler) {
  script bodies;
  bodies.read = [](handler_context& context) {
    message with;
    with.aux = context.keep_read();
    context.later(1024, deferred, with);
  };
  bodies.later = [](handler_context& context) {
    context.spend(3);
    context.answer(static_cast<std::uint8_t>(context.arrived().aux), 42);
    context.done();
  };
  scripted_machine machine(bodies);
  machine.read();
  EXPECT_EQ(machine.run(), "");
  EXPECT_TRUE(machine.machine.idle());
}

TEST(protocol_processor_test, a_word_that_nothing_fills_is_stopped) {
  script bodies;
  bodies.write = [](handler_context& context) {
    const auto data = context.allocate();
    context.word(*data, 5);
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(),
                 {"data buffers", "'test.write'", "node 0", "awaits word 5", "nothing will fill"});
}

TEST(protocol_processor_test, a_buffer_that_is_kept_is_stopped) {
  script bodies;
  bodies.write = [](handler_context& context) { context.allocate(); };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"data buffers", "'test.write'", "keeps data buffer", "retain"});
}

TEST(protocol_processor_test, a_buffer_may_be_retained) {
  payload_handle kept = no_payload;
  script bodies;
  bodies.write = [&](handler_context& context) {
    if (kept == no_payload) {
      kept = *context.allocate();
      context.set_word(kept, 0, 17);
      context.retain(kept);
      context.release(kept);
    } else {
      EXPECT_EQ(context.word(kept, 0), 17U);
      context.release(kept);
    }
  };
  scripted_machine machine(bodies);
  machine.write(1);
  machine.write(2);
  EXPECT_EQ(machine.run(), "");
  EXPECT_EQ(machine.machine.node(0).buffers().in_use(), 0U);
}

TEST(protocol_processor_test, a_deferred_handler_reloads_the_registers) {
  script bodies;
  bodies.write = [](handler_context& context) { context.later(1024, deferred, {}); };
  bodies.later = [](handler_context& context) { context.spend(4); };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"software queue", "'test.later'", "without reloading"});
}

TEST(protocol_processor_test, only_a_deferred_handler_requeues_and_once) {
  script bodies;
  bodies.write = [](handler_context& context) { context.done(); };
  scripted_machine first(bodies);
  first.write(1);
  expect_message(first.run(), {"software queue", "'test.write'", "did not run it"});

  bodies.write = [](handler_context& context) { context.later(1024, deferred, {}); };
  bodies.later = [](handler_context& context) {
    context.done();
    context.again();
  };
  scripted_machine second(bodies);
  second.write(1);
  expect_message(second.run(), {"software queue", "'test.later'", "twice"});
}

TEST(protocol_processor_test, a_send_without_room_is_stopped) {
  script bodies;
  bodies.write = [](handler_context& context) {
    for (int i = 0; i < 100; ++i) context.send(to_node_1(request_type, message_lane::request));
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"rule D1", "'test.write'", "node 0", "request lane", "ask space"});
}

TEST(protocol_processor_test, a_payload_beyond_a_buffer_is_stopped) {
  script bodies;
  bodies.write = [](handler_context& context) {
    message sent = to_node_1(request_type, message_lane::request);
    sent.length = line_size().bytes() + 8;
    sent.data = context.arrived().data;
    context.send(sent);
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"payload", "'test.write'", "136", "0 to 128"});
}

TEST(protocol_processor_test, space_is_what_may_be_sent) {
  std::vector<std::uint64_t> seen;
  script bodies;
  bodies.write = [&](handler_context& context) {
    while (true) {
      const std::uint64_t room = context.space(message_lane::request);
      seen.push_back(room);
      if (room == 0) return;
      context.send(to_node_1(request_type, message_lane::request));
    }
  };
  scripted_machine machine(bodies);
  machine.write(1);
  EXPECT_EQ(machine.run(), "");
  // 16 places, of which 2 are kept for those who are promised some.
  ASSERT_EQ(seen.size(), 15U);
  EXPECT_EQ(seen.front(), 14U);
}

/// A promise is used up by the send: what it kept free is not found once more.
TEST(protocol_processor_test, a_promised_reply_is_sent_once) {
  std::vector<std::uint64_t> seen;
  script bodies;
  bodies.write = [](handler_context& context) {
    context.send(to_node_1(request_type, message_lane::request));
  };
  bodies.request = [&](handler_context& context) {
    message what = to_node_1(reply_type, message_lane::reply);
    what.destination = context.arrived().source;
    for (int i = 0; i < 2; ++i) {
      seen.push_back(context.space(message_lane::reply));
      context.send(what);
    }
    seen.push_back(context.space(message_lane::reply));
  };
  magic_machine_config config;
  config.node.network_interface.out_depth = 4;  // 2 of them for promises only
  scripted_machine machine(bodies, config);
  machine.write(1);
  EXPECT_EQ(machine.run(), "");
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{2, 1, 0}));
}

TEST(protocol_processor_test, a_reply_is_sunk_without_sending) {
  script bodies;
  bodies.write = [](handler_context& context) {
    context.send(to_node_1(request_type, message_lane::request));
  };
  bodies.request = [](handler_context& context) {
    message what = to_node_1(reply_type, message_lane::reply);
    what.destination = context.arrived().source;
    context.send(what);
  };
  bodies.reply = [](handler_context& context) {
    EXPECT_EQ(context.space(message_lane::request), 0U);
    context.send(to_node_1(request_type, message_lane::request));
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"rule D3", "'test.reply'", "node 0"});
}

TEST(protocol_processor_test, what_a_handler_throws_names_it) {
  script bodies;
  bodies.write = [](handler_context&) { throw std::runtime_error("out of records"); };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"'test.write'", "node 0", "out of records"});
}

TEST(protocol_processor_test, what_a_unit_refuses_names_handler_and_message) {
  struct refused {
    body write;
    std::vector<std::string> parts;
  };
  const std::vector<refused> cases = {
      {[](handler_context& context) { context.set_word(context.arrived().data, 16, 0); },
       {"there is no doubleword 16"}},
      {[](handler_context& context) { context.fill(context.arrived().data, 8); },
       {"not a multiple of 128"}},
      {[](handler_context& context) { context.load(std::uint64_t{1} << 32); },
       {"memory", "0x100000000", "not this node's", "node 1"}},
      {[](handler_context& context) { context.answer(3, 1); }, {"tag 3"}},
      {[](handler_context& context) { context.later(1025, deferred, {}); }, {"multiple of 8"}},
      {[](handler_context& context) { context.after(~std::uint64_t{0}, deferred, {}); },
       {"never comes"}},
      {[](handler_context& context) { context.after(std::uint64_t{1} << 62, deferred, {}); },
       {"2^62"}},
  };
  for (const refused& each : cases) {
    script bodies;
    bodies.write = each.write;
    scripted_machine machine(bodies);
    machine.write(1);
    const std::string said = machine.run();
    expect_message(said, {"'test.write' of node 0 in cycle", "type 2 from processor of node 0",
                          "address 0x100"});
    expect_message(said, each.parts);
  }
}

TEST(protocol_processor_test, a_payload_that_is_held_once_is_sent_once) {
  script bodies;
  bodies.write = [](handler_context& context) {
    message what = to_node_1(request_type, message_lane::request);
    what.length = word_bytes;
    what.data = context.arrived().data;
    context.retain(what.data);
    context.send(what);
    context.send(what);
    context.send(what);
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"'test.write' of node 0", "sent or released more often"});
}

TEST(protocol_processor_test, a_loop_without_time_is_stopped) {
  script bodies;
  bodies.write = [](handler_context& context) {
    while (context.space(message_lane::request) != 0) {
    }
  };
  scripted_machine machine(bodies);
  machine.write(1);
  expect_message(machine.run(), {"time", "'test.write' of node 0", "must spend"});
}

TEST(protocol_processor_test, handlers_are_two_cycles_apart_and_twice_as_fast_ones_take_half) {
  for (const std::uint32_t speed : {1U, 2U}) {
    struct recorder final : observer<node_event> {
      void on_event(const node_event& event) override {
        if (event.kind == node_event_kind::handled) handled.push_back(event);
      }
      std::vector<node_event> handled;
    } seen;
    script bodies;
    bodies.write = [](handler_context& context) { context.spend(101); };
    magic_machine_config config;
    config.node.protocol_processor.speed = speed;
    scripted_machine machine(bodies, config);
    machine.machine.observers().attach(seen);
    machine.write(1);
    machine.write(2);
    machine.write(3);
    EXPECT_EQ(machine.run(), "");
    ASSERT_EQ(seen.handled.size(), 3U);
    for (const node_event& each : seen.handled) {
      EXPECT_EQ(each.last - each.cycle, speed == 1 ? 101U : 51U);
    }
    EXPECT_EQ(seen.handled[1].cycle - seen.handled[0].last, 2U);
    EXPECT_EQ(seen.handled[2].cycle - seen.handled[1].last, 2U);
    machine.machine.observers().detach(seen);
  }
}

TEST(protocol_processor_test, a_word_is_waited_for_and_memory_settles) {
  std::vector<cycle_t> at;
  script bodies;
  bodies.write = [&](handler_context& context) {
    const auto data = *context.allocate();
    at.push_back(context.now());
    context.fill(data, 0x1000);
    context.word(data, 0);
    at.push_back(context.now());
    context.word(data, 15);
    at.push_back(context.now());
    context.spill(data, 0x2000);
    at.push_back(context.now());
    context.settle();
    at.push_back(context.now());
    context.release(data);
  };
  scripted_machine machine(bodies);
  machine.machine.node(0).memory().write(0x1000, 5);
  machine.write(1);
  EXPECT_EQ(machine.run(), "");
  ASSERT_EQ(at.size(), 5U);
  EXPECT_EQ(at[1] - at[0], 14U);
  EXPECT_EQ(at[2] - at[0], 29U);
  EXPECT_EQ(at[3], at[2]);
  EXPECT_EQ(at[4] - at[3], 29U);
  EXPECT_EQ(machine.machine.node(0).memory().read(0x2000), 5U);
}

}  // namespace
}  // namespace tributary
