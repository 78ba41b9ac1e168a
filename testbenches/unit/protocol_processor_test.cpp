// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/node_events.h>

#include <support/scripted_machine.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::handler_body;
using testing::script;
using testing::scripted_machine;

constexpr std::uint8_t request_type = script::request_type;
constexpr std::uint8_t reply_type = script::reply_type;
constexpr handler_id deferred = script::deferred;

message to_node_1(std::uint8_t type, message_lane over) {
  message what;
  what.type = type;
  what.over = over;
  what.destination = node_id{1};
  what.address = std::uint64_t{1} << 32;
  return what;
}

void send_request(handler_context& context) {
  context.send(to_node_1(request_type, message_lane::request));
}
void defer(handler_context& context) { context.later(1024, deferred, {}); }

/// A rule that a handler breaks, and what the message about it has.
struct breach {
  const char* name;
  script bodies;
  std::vector<std::string> parts;
  bool caches = false;  ///< whether the processor has some
};

script writing(const handler_body& write) {
  script bodies;
  bodies.write = write;
  return bodies;
}
script deferring(const handler_body& later) {
  script bodies = writing(defer);
  bodies.later = later;
  return bodies;
}

/// Asks the caches for the state of a line and its words.
void flagged_get(handler_context& context, std::uint64_t line) {
  context.intervene(intervention::get, line, *context.allocate(), true);
}
message line_refusal(std::uint32_t to) {
  message what;
  what.type = static_cast<std::uint8_t>(common_type::line_refused);
  what.destination = node_id{to};
  return what;
}

/// Those of handlers that reach for caches.
std::vector<breach> breaches_of_caches() {
  const auto invalidate = [](bool wants_state) {
    return [=](handler_context& context) {
      context.intervene(intervention::invalidate, 0x1000, no_payload, wants_state);
    };
  };
  return {
      // V9
      {"third_flagged_intervention",
       writing([](handler_context& context) {
         for (std::uint64_t i = 0; i < 3; ++i) flagged_get(context, 128 * i);
       }),
       {"state replies", "'test.write' of node 0", "wants a state while 2 are unread",
        "read state_reply"},
       true},
      {"words_without_the_state",
       writing([](handler_context& context) {
         context.intervene(intervention::get, 0x1000, context.arrived().data, false);
       }),
       {"state replies", "'test.write'", "wants a line of the caches and not its state"},
       true},
      {"words_into_no_buffer",
       writing([](handler_context& context) {
         context.intervene(intervention::get, 0x1000, payload_handle{9}, true);
       }),
       {"data buffers", "'test.write'", "does intervene with a data buffer that it does not have"},
       true},
      {"state_that_was_not_asked_for",
       writing([](handler_context& context) { context.state_reply(); }),
       {"state replies", "'test.write'", "has not asked for, or has read"},
       true},
      {"state_read_twice",
       writing([](handler_context& context) {
         context.intervene(intervention::invalidate, 0x1000, no_payload, true);
         context.state_reply();
         context.state_reply();
       }),
       {"state replies", "'test.write'", "has not asked for, or has read"},
       true},
      {"state_that_is_not_read",
       writing(invalidate(true)),
       {"state replies", "'test.write'", "without having read a state"},
       true},
      {"intervention_without_caches",
       writing(invalidate(false)),
       {"caches", "'test.write'", "does intervene", "has no caches"},
       false},
      {"state_without_caches",
       writing([](handler_context& context) { context.state_reply(); }),
       {"caches", "'test.write'", "does state_reply", "has no caches"},
       false},
      {"reply_without_caches",
       writing([](handler_context& context) { context.send(line_refusal(0)); }),
       {"caches", "'test.write'", "replies"},
       false},
      {"reply_to_another_nodes_caches",
       writing([](handler_context& context) { context.send(line_refusal(1)); }),
       {"caches", "'test.write'", "replies"},
       true},
      {"reply_to_nobody",
       writing([](handler_context& context) { context.send(line_refusal(0)); }),
       {"asked"},
       true}};
}

std::vector<breach> breaches() {
  script unanswered;
  unanswered.read = [](handler_context& context) { context.spend(7); };
  script answering = writing(send_request);
  answering.request = [](handler_context& context) {
    message what = to_node_1(reply_type, message_lane::reply);
    what.destination = context.arrived().source;
    context.send(what);
  };
  answering.reply = [](handler_context& context) {
    EXPECT_EQ(context.space(message_lane::request), 0U);
    send_request(context);
  };
  const auto refused = [](const handler_body& write, std::vector<std::string> parts) {
    parts.insert(parts.end(), {"'test.write' of node 0 in cycle", "type 2 from processor of node 0",
                               "address 0x100"});
    return breach{"refused_by_a_unit", writing(write), parts, false};
  };
  return {
      {"unanswered_read",
       unanswered,
       {"uncached read", "'test.read'", "node 0", "cycle", "without answering the processor"}},
      {"word_that_nothing_fills",
       writing([](handler_context& context) { context.word(*context.allocate(), 5); }),
       {"data buffers", "'test.write'", "node 0", "awaits word 5", "nothing will fill"}},
      {"buffer_that_is_kept",
       writing([](handler_context& context) { context.allocate(); }),
       {"data buffers", "'test.write'", "keeps data buffer", "retain"}},
      {"deferred_without_reload",
       deferring([](handler_context& context) { context.spend(4); }),
       {"software queue", "'test.later'", "without reloading"}},
      {"reload_of_one_not_deferred",
       writing([](handler_context& context) { context.done(); }),
       {"software queue", "'test.write'", "did not run it"}},
      {"reload_twice",
       deferring([](handler_context& context) {
         context.done();
         context.again();
       }),
       {"software queue", "'test.later'", "twice"}},
      {"defers_with_a_queued_record",
       writing([](handler_context& context) {
         defer(context);
         defer(context);
       }),
       {"'test.write'", "record 1024", "is in the queue already"}},
      {"send_without_room",
       writing([](handler_context& context) {
         for (int i = 0; i < 100; ++i) send_request(context);
       }),
       {"rule D1", "'test.write'", "node 0", "request lane", "ask space"}},
      {"payload_beyond_a_buffer",
       writing([](handler_context& context) {
         message sent = to_node_1(request_type, message_lane::request);
         sent.length = line_bytes + 8;
         sent.data = context.arrived().data;
         context.send(sent);
       }),
       {"payload", "'test.write'", "136", "0 to 128"}},
      {"sends_for_a_reply", answering, {"rule D3", "'test.reply'", "node 0"}},
      {"throws",
       writing([](handler_context&) { throw std::runtime_error("out of records"); }),
       {"'test.write'", "node 0", "out of records"}},
      {"payload_sent_too_often",
       writing([](handler_context& context) {
         message what = to_node_1(request_type, message_lane::request);
         what.length = word_bytes;
         what.data = context.arrived().data;
         context.retain(what.data);
         for (int i = 0; i < 3; ++i) context.send(what);
       }),
       {"'test.write' of node 0", "sent or released more often"}},
      {"loop_without_time",
       writing([](handler_context& context) {
         while (context.space(message_lane::request) != 0) {
         }
       }),
       {"time", "'test.write' of node 0", "must spend"}},
      refused([](handler_context& context) { context.set_word(context.arrived().data, 16, 0); },
              {"doubleword 16"}),
      refused([](handler_context& context) { context.fill(context.arrived().data, 12); },
              {"multiple of 8"}),
      {"shift_of_no_line",
       writing([](handler_context& context) {
         context.fill_realigned(context.arrived().data, context.arrived().data, 0, 0x108);
       }),
       {"memory", "'test.write' of node 0", "offset 0x108", "multiples of 128"}},
      refused([](handler_context& context) { context.load(std::uint64_t{1} << 32); },
              {"memory", "0x100000000", "node 1"}),
      refused([](handler_context& context) { context.answer(3, 1); }, {"tag 3"}),
      refused([](handler_context& context) { context.later(1025, deferred, {}); },
              {"multiple of 8"}),
      refused([](handler_context& context) { context.after(~std::uint64_t{0}, deferred, {}); },
              {"never comes"}),
      refused([](handler_context& context) { context.after(std::uint64_t{1} << 62, deferred, {}); },
              {"2^62"}),
  };
}

magic_machine_config machine_with_caches(bool present) {
  magic_machine_config config;
  config.node.caches.present = present;
  return config;
}

TEST(protocol_processor_test, stops_a_handler_that_breaks_a_rule) {
  std::vector<breach> all = breaches();
  for (breach& each : breaches_of_caches()) all.push_back(std::move(each));
  for (const breach& each : all) {
    scripted_machine machine(each.bodies, machine_with_caches(each.caches));
    machine.read();
    machine.write(1);
    const std::string said = machine.run();
    for (const std::string& part : each.parts) {
      EXPECT_NE(said.find(part), std::string::npos)
          << each.name << ": '" << part << "' is not in: " << said;
    }
  }
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
  const magic_node_config node;
  const std::uint64_t room =
      node.network_interface.out_depth - node.protocol_processor.outgoing_reserve;
  ASSERT_EQ(seen.size(), room + 1) << "the reserve is kept for those who are promised some";
  EXPECT_EQ(seen.front(), room);
}

/// A promise is used up by the send: what it kept free is not found once more.
TEST(protocol_processor_test, a_promised_reply_is_sent_once) {
  std::vector<std::uint64_t> seen;
  script bodies;
  bodies.write = send_request;
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

/// Rule D10: if all buffers waited for the network, what waits in it would find none.
TEST(protocol_processor_test, a_request_does_not_go_on_in_the_last_buffer_of_requests) {
  struct spaces {
    std::uint64_t requests;
    std::uint64_t replies;
  };
  payload_handle kept = no_payload;
  std::vector<spaces> seen;
  script bodies;
  bodies.write = [](handler_context& context) {
    message what = to_node_1(request_type, message_lane::request);
    what.length = word_bytes;
    what.data = context.arrived().data;
    context.send(what);
  };
  bodies.request = [&](handler_context& context) {
    const auto look = [&] {
      seen.push_back({context.space(message_lane::request), context.space(message_lane::reply)});
    };
    look();
    if (kept == no_payload) {
      kept = context.arrived().data;
      context.retain(kept);
      return;
    }
    context.release(context.arrived().data);
    look();
    context.release(kept);
  };
  magic_machine_config config;
  config.node.buffers.buffers = 3;  // one of them for replies only
  scripted_machine machine(bodies, config);
  machine.write(1);
  machine.write(2);
  EXPECT_EQ(machine.run(), "");
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_NE(seen[0].requests, 0U) << "another request finds a buffer";
  EXPECT_EQ(seen[1].requests, 0U) << "none would find one: a buffer is kept, and this has the last";
  EXPECT_NE(seen[1].replies, 0U) << "it may be answered";
  EXPECT_NE(seen[2].requests, 0U) << "it has given its buffer back";
}

TEST(protocol_processor_test,
     a_handler_that_is_ready_follows_at_once_and_twice_as_fast_ones_take_half) {
  for (const std::uint32_t speed : {1U, 2U}) {
    struct recorder final : observer<trace_event> {
      void on_event(const trace_event& event) override {
        if (event.kind == &node_events::handled) handled.push_back(event);
        if (event.kind == &node_events::write_selected) ready.push_back(event.last);
      }
      std::vector<trace_event> handled;
      std::vector<cycle_t> ready;
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
    for (const trace_event& each : seen.handled) {
      EXPECT_EQ(each.last - each.cycle + 1, speed == 1 ? 101U : 51U);
    }
    EXPECT_EQ(seen.handled[0].cycle, seen.ready.at(0) + 2) << "the switch of an idle processor";
    EXPECT_EQ(seen.handled[1].cycle, seen.handled[0].last + 1) << "the switch is pipelined";
    EXPECT_EQ(seen.handled[2].cycle, seen.handled[1].last + 1);
    machine.machine.observers().detach(seen);
  }
}

TEST(protocol_processor_test, two_states_may_be_unread_and_a_third_is_asked_for_when_one_was_read) {
  std::vector<cycle_t> at;
  script bodies;
  bodies.write = [&](handler_context& context) {
    // Those without the state do not count.
    for (std::uint64_t i = 0; i < 5; ++i) {
      context.intervene(intervention::invalidate, 128 * i, no_payload, false);
    }
    at.push_back(context.now());
    for (int i = 0; i < 2; ++i) {
      context.intervene(intervention::invalidate, 0x1000, no_payload, true);
    }
    EXPECT_EQ(context.state_reply(), line_state::invalid);
    at.push_back(context.now());
    context.intervene(intervention::invalidate, 0x1000, no_payload, true);
    context.state_reply();
    at.push_back(context.now());
    context.state_reply();
    at.push_back(context.now());
  };
  scripted_machine machine(bodies, machine_with_caches(true));
  machine.write(1);
  EXPECT_EQ(machine.run(), "");
  ASSERT_EQ(at.size(), 4U);
  EXPECT_EQ(at[1] - at[0], 15U) << "the handler waits until the state is known";
  EXPECT_EQ(at[2] - at[0], 15U) << "both were asked for at once";
  EXPECT_EQ(at[3] - at[0], 30U);
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
