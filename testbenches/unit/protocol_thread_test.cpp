// SPDX-License-Identifier: Apache-2.0
// Handlers of a test on the processors of SMP nodes: what they may do, what they may not, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/scripted_machine.h>
#include <support/smp_programs.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::script;
using testing::scripted_protocol;

constexpr std::uint8_t request_type = script::request_type;
constexpr std::uint8_t reply_type = script::reply_type;

/// What the scripted handlers serve: any space but that of memory.
constexpr std::uint64_t asked_address = 0x100;
std::uint64_t asked(std::uint32_t node = 0) {
  return testing::address_of(node, testing::request_space, asked_address);
}

/// Two nodes with a fixed role, so that handlers begin 10 cycles after a request of cycle 0.
class scripted_nodes {
 public:
  explicit scripted_nodes(const script& bodies, std::uint32_t percent = 0, std::uint64_t seed = 1)
      : machine(
            config(percent),
            [&](node_id) { return testing::list_of(std::make_unique<scripted_protocol>(bodies)); },
            seed) {}

  void read() { offer({asked()}); }
  void write(word_t value) { offer(posted_store(asked(), value)); }
  void offer(const access& request) { machine.node(0).port(0).offer(0, request, machine.now()); }
  std::string run(cycle_t last = 5000) {
    return testing::failure<simulation_error>([&] { machine.run_until(last); });
  }
  bool processor_waits() { return !machine.node(0).port(0).can_take(0); }
  double statistic(const std::string& name) {
    statistics_tree tree;
    machine.report(tree.root());
    return tree.find("node.0.protocol." + name);
  }
  memory_controller& memory(std::uint32_t node = 0) { return machine.node(node).memory(); }

  smp_machine machine;

 private:
  static smp_machine_config config(std::uint32_t percent) {
    smp_machine_config chosen = testing::small_machine(schedule_kind::fixed, 2);
    chosen.node.protocol_bytes = 1 << 15;
    chosen.node.costs.submit = 10;
    chosen.node.costs.resume = 5;
    chosen.node.costs.variation.percent = percent;
    return chosen;
  }
};

message to_node(std::uint32_t node, std::uint8_t type, message_lane over = message_lane::request) {
  message what;
  what.type = type;
  what.over = over;
  what.destination = node_id{node};
  what.address = testing::address_of(node, 0, 0);
  return what;
}

script writing(const testing::handler_body& write) {
  script bodies;
  bodies.write = write;
  return bodies;
}

/// What a program sees of a read whose handler does something; the handler must not break a rule.
word_t answer_of(const std::function<word_t(handler_context&)>& act) {
  word_t found = 0;
  script bodies;
  bodies.read = [&](handler_context& context) {
    found = act(context);
    context.answer(found);
  };
  scripted_nodes nodes(bodies);
  nodes.read();
  EXPECT_EQ(nodes.run(), "");
  EXPECT_FALSE(nodes.processor_waits());
  return found;
}

// --- operations ----------------------------------------------------------------------------------

TEST(protocol_thread, time_passes_by_what_a_handler_spends_alone) {
  std::vector<cycle_t> cycles;
  script bodies;
  bodies.read = [&](handler_context& context) {
    cycles.push_back(context.now());
    context.store(0x200, 1);
    context.load(0x200);
    context.release(*context.allocate());
    cycles.push_back(context.now());
    context.spend(7);
    cycles.push_back(context.now());
    context.settle();
    context.spend(20);
    context.answer(0);
    context.spend(3);
  };
  scripted_nodes nodes(bodies);
  nodes.read();
  EXPECT_EQ(nodes.run(), "");
  EXPECT_EQ(cycles, (std::vector<cycle_t>{10, 10, 17}));
  EXPECT_EQ(nodes.statistic("busy"), 30);
  EXPECT_EQ(nodes.statistic("dispatches"), 1);
  EXPECT_EQ(nodes.statistic("handler.test.read.sum"), 30);
  EXPECT_EQ(nodes.statistic("occupancy"), 30. / 5000);
}

TEST(protocol_thread, memory_is_that_of_the_node) {
  EXPECT_EQ(answer_of([](handler_context& context) {
              context.store(0x200, 77);
              return context.load(testing::address_of(0, 0, 0x200));
            }),
            77U);
  // Spaces are ignored.
  EXPECT_EQ(answer_of([](handler_context& context) {
              context.store(testing::address_of(0, 2, 0x208), 78);
              return context.load(0x208);
            }),
            78U);
}

TEST(protocol_thread, payloads_are_words_and_lines) {
  EXPECT_EQ(answer_of([](handler_context& context) {
              const payload_handle data = *context.allocate();
              word_t found = context.word(data, 3);
              context.set_word(data, 15, 9);
              found = 100 * found + context.word(data, 15);
              context.release(data);
              return found;
            }),
            9U);
}

/// The same on MAGIC: a line has its words in the payload in the order of their addresses.
TEST(protocol_thread, fills_and_spills_are_those_of_magic) {
  const auto body = [](handler_context& context) {
    for (std::uint64_t i = 0; i < 16; ++i) context.store(0x400 + 8 * i, 50 + i);
    const payload_handle data = *context.allocate();
    context.fill(data, 0x418);
    context.set_word(data, 2, context.word(data, 0) + 1000 * context.word(data, 15));
    context.spill(data, 0x508);
    context.spill_word(data, 5, 0x600);
    context.settle();
    context.release(data);
    context.answer(0);
  };
  script bodies;
  bodies.read = body;
  scripted_nodes nodes(bodies);
  nodes.read();
  EXPECT_EQ(nodes.run(), "");
  testing::scripted_machine magic(bodies);
  magic.read();
  EXPECT_EQ(magic.run(), "");
  for (std::uint64_t at = 0x400; at <= 0x680; at += 8) {
    EXPECT_EQ(nodes.memory().read(at), magic.machine.node(0).memory().read(at)) << at;
  }
  EXPECT_EQ(nodes.memory().read(0x500 + 16), 50U + 65000);
  EXPECT_EQ(nodes.memory().read(0x600), 55U);
  EXPECT_EQ(nodes.memory().read(0x608), 0U);
}

/// A line goes to node 1, which adds and sends it back.
TEST(protocol_thread, payloads_travel_with_messages) {
  script bodies;
  std::vector<message> seen;
  bodies.read = [&](handler_context& context) {
    message what = to_node(1, request_type);
    what.data = *context.allocate();
    what.length = 128;
    what.aux = context.keep_read();
    for (std::uint64_t i = 0; i < 16; ++i) context.set_word(what.data, i, i);
    context.spend(4);
    context.send(what);
  };
  bodies.request = [&](handler_context& context) {
    message what = context.arrived();
    seen.push_back(what);
    what.destination = what.source;
    what.type = reply_type;
    what.over = message_lane::reply;
    context.set_word(what.data, 15, context.word(what.data, 15) + 100);
    context.spend(6);
    context.send(what);
  };
  bodies.reply = [&](handler_context& context) {
    seen.push_back(context.arrived());
    context.spill(context.arrived().data, 0x400);
    context.answer(static_cast<std::uint8_t>(context.arrived().aux),
                   context.word(context.arrived().data, 15));
  };
  scripted_nodes nodes(bodies);
  nodes.read();
  EXPECT_EQ(nodes.run(10 + 4 + 100 + 6 + 100 + 5 - 2), "");
  EXPECT_TRUE(nodes.processor_waits());
  EXPECT_EQ(nodes.run(10 + 4 + 100 + 6 + 100 + 5 - 1), "");
  EXPECT_FALSE(nodes.processor_waits()) << "by then its program knows";
  EXPECT_EQ(nodes.memory().read(0x400 + 15 * 8), 115U);
  EXPECT_EQ(nodes.memory().read(0x400 + 14 * 8), 14U);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].source, node_id{0});
  EXPECT_EQ(seen[0].length, 128U);
  EXPECT_EQ(seen[0].origin, message_origin::network);
  EXPECT_EQ(seen[1].source, node_id{1});
  EXPECT_TRUE(nodes.machine.idle());
}

/// What a handler arrived with is released at its end, so handles do not run out.
TEST(protocol_thread, payloads_do_not_pile_up) {
  script bodies;
  std::vector<payload_handle> handles;
  bodies.write = [&](handler_context& context) { handles.push_back(context.arrived().data); };
  scripted_nodes nodes(bodies);
  for (word_t i = 0; i < 5; ++i) {
    nodes.write(i);
    EXPECT_EQ(nodes.run(nodes.machine.now() + 100), "");
  }
  EXPECT_EQ(handles, std::vector<payload_handle>(5, handles[0]));
}

TEST(protocol_thread, a_retained_payload_outlives_its_handler) {
  script bodies;
  payload_handle kept = no_payload;
  word_t found = 0;
  bodies.write = [&](handler_context& context) {
    kept = context.arrived().data;
    context.retain(kept);
  };
  bodies.read = [&](handler_context& context) {
    found = context.word(kept, 0);
    context.release(kept);
    context.answer(0);
  };
  scripted_nodes nodes(bodies);
  nodes.write(42);
  EXPECT_EQ(nodes.run(100), "");
  nodes.read();
  EXPECT_EQ(nodes.run(200), "");
  EXPECT_EQ(found, 42U);
  nodes.read();
  EXPECT_TRUE(testing::names(nodes.run(300), {"payloads", "'test.read'", "word", "not have"}));
}

TEST(protocol_thread, there_is_room_for_any_number_of_messages) {
  EXPECT_GE(answer_of([](handler_context& context) {
              for (int i = 0; i < 100; ++i) context.send(to_node(1, request_type));
              return context.space(message_lane::request);
            }),
            1000U);
}

/// Its operands are the payload; the answer is the word before.
TEST(protocol_thread, a_processors_operation_brings_its_form_and_operands) {
  std::vector<std::uint64_t> seen;
  class operation_protocol final : public fiber_protocol {
   public:
    explicit operation_protocol(std::vector<std::uint64_t>& seen) : seen_(seen) {}
    std::string name() const override { return "test"; }
    std::vector<dispatch_rule> rules() const override {
      return {{static_cast<std::uint8_t>(common_type::uncached_operation),
               message_origin::processor, locality::any, handler_id{0}}};
    }
    std::vector<handler> handlers() override {
      return {{"operation", [this](handler_context& context) {
                 const message& arrived = context.arrived();
                 seen_ = {arrived.aux, arrived.length, context.word(arrived.data, 0),
                          context.word(arrived.data, 1), arrived.address};
                 context.answer(321);
               }}};
    }
    void initialize(const protocol_storage&, word_memory&) override {}

   private:
    std::vector<std::uint64_t>& seen_;
  };
  word_t before = 0;
  const auto perform = [&](const std::function<word_t(program_context&)>& act) {
    testing::smp_programs machine(
        testing::small_machine(schedule_kind::floating, 1),
        [&](node_id) { return testing::list_of(std::make_unique<operation_protocol>(seen)); },
        [&](program_context& context) {
          if (context.rank() == 0) before = act(context);
        });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(before, 321U);
  };
  perform([](program_context& context) { return context.fetch_add(asked(1), 5); });
  EXPECT_EQ(seen,
            (std::vector<std::uint64_t>{static_cast<std::uint64_t>(form::add), 8, 5, 0, asked(1)}));
  perform([](program_context& context) { return context.compare_and_swap(asked(1), 7, 8); });
  EXPECT_EQ(seen[0], static_cast<std::uint64_t>(form::compare_and_swap));
  EXPECT_EQ(seen[1], 16U);
  perform([](program_context& context) { return context.store(asked(1), 9); });
  EXPECT_EQ(seen[0], static_cast<std::uint64_t>(form::constant));
  EXPECT_EQ(seen[2], 9U);
}

TEST(protocol_thread, a_store_holds_the_processor_until_its_handler_has_ended) {
  script bodies;
  bodies.write = [](handler_context& context) { context.spend(30); };
  scripted_nodes nodes(bodies);
  nodes.write(1);
  EXPECT_EQ(nodes.run(10 + 30 + 5 - 2), "");
  EXPECT_TRUE(nodes.processor_waits());
  EXPECT_EQ(nodes.run(10 + 30 + 5 - 1), "");
  EXPECT_FALSE(nodes.processor_waits());
}

TEST(protocol_thread, handlers_that_are_put_off_run_behind_what_waits_until_they_are_done) {
  std::vector<std::uint16_t> ran;
  script bodies = writing([&](handler_context& context) {
    message with = to_node(0, 0);
    with.aux = 7;
    context.later(1024, script::deferred, with);
    context.spend(20);
  });
  bodies.later = [&](handler_context& context) {
    ran.push_back(context.arrived().aux);
    context.spend(10);
    message next = context.arrived();
    ++next.aux;
    if (next.aux < 10) {
      context.again(next);
    } else {
      context.done();
    }
  };
  scripted_nodes nodes(bodies);
  nodes.write(1);
  EXPECT_EQ(nodes.run(), "");
  EXPECT_EQ(ran, (std::vector<std::uint16_t>{7, 8, 9}));
  EXPECT_EQ(nodes.statistic("handler.test.later.sum"), 30);
  EXPECT_TRUE(nodes.machine.idle());
}

// --- rules ---------------------------------------------------------------------------------------

struct breach {
  const char* name;
  script bodies;
  std::vector<std::string> parts;
};

/// An operation that only MAGIC has.
breach refused(const char* operation, const testing::handler_body& write) {
  return {operation,
          writing(write),
          {"operations: handler 'test.write' of node 0 in cycle", "does " + std::string(operation),
           "run this protocol on MAGIC"}};
}

/// A handler that puts another one off.
script put_off(const testing::handler_body& deferred) {
  script bodies = writing(
      [](handler_context& context) { context.later(1024, script::deferred, to_node(0, 0)); });
  bodies.later = deferred;
  return bodies;
}

std::vector<breach> breaches() {
  script unanswered;
  unanswered.read = [](handler_context& context) { context.spend(7); };
  script kept_twice;
  kept_twice.read = [](handler_context& context) {
    context.keep_read();
    context.keep_read();
  };
  script answering_nobody = writing([](handler_context& context) { context.answer(1, 5); });
  script answering_twice;
  answering_twice.read = [](handler_context& context) {
    context.answer(0);
    context.answer(0);
  };
  script unknown = writing([](handler_context& context) { context.send(to_node(1, 99)); });
  message line_reply = to_node(0, static_cast<std::uint8_t>(common_type::line_refused));
  const std::string where = "handler 'test.write' of node 0 in cycle 10";
  return {
      {"unanswered_read",
       unanswered,
       {"uncached read: handler 'test.read' of node 0 in cycle 17", "without answering",
        "type 1 of node 0", "address 0x40000100"}},
      {"read_kept_twice", kept_twice, {"uncached read", "'test.read'", "does not owe"}},
      {"read_kept_that_there_is_not",
       writing([](handler_context& context) { context.keep_read(); }),
       {"uncached read", where, "does not owe"}},
      {"answer_to_nobody",
       answering_nobody,
       {where, "node 0 in cycle 10", "processor 1, which has asked for nothing"}},
      {"answer_beyond_the_node",
       writing([](handler_context& context) { context.answer(77, 5); }),
       {where, "processor 77"}},
      {"answer_twice", answering_twice, {"processor 0, which has asked for nothing"}},
      {"payload_kept",
       writing([](handler_context& context) { context.allocate(); }),
       {"payloads", where, "keeps payload", "send, release or retain"}},
      {"payload_that_it_does_not_have",
       writing([](handler_context& context) { context.word(payload_handle{9}, 0); }),
       {"payloads", where, "does word with a payload"}},
      {"no_payload",
       writing([](handler_context& context) { context.set_word(no_payload, 0, 0); }),
       {"payloads", where, "does set_word"}},
      {"fill_of_none",
       writing([](handler_context& context) { context.fill(payload_handle{9}, 0); }),
       {"payloads", where, "does fill"}},
      {"spill_of_none",
       writing([](handler_context& context) { context.spill(payload_handle{9}, 0); }),
       {"payloads", where, "does spill"}},
      {"spill_word_of_none",
       writing([](handler_context& context) { context.spill_word(payload_handle{9}, 0, 0); }),
       {"payloads", where, "does spill_word"}},
      {"retain_of_none",
       writing([](handler_context& context) { context.retain(payload_handle{9}); }),
       {"payloads", where, "does retain"}},
      {"released_too_often",
       writing([](handler_context& context) {
         const payload_handle data = context.arrived().data;
         context.release(data);
         context.release(data);
       }),
       {"payloads", where, "does release"}},
      {"sent_too_often",
       writing([](handler_context& context) {
         message what = to_node(1, request_type);
         what.length = 8;
         what.data = context.arrived().data;
         context.send(what);
         context.send(what);
       }),
       {"payloads", where, "does send"}},
      {"word_beyond_the_payload",
       writing([](handler_context& context) { context.word(context.arrived().data, 1000); }),
       {"payloads", where, "does word with doubleword 1000", "0 to 15"}},
      {"set_word_beyond_the_payload",
       writing([](handler_context& context) { context.set_word(context.arrived().data, 16, 1); }),
       {"payloads", where, "does set_word with doubleword 16"}},
      {"spill_word_beyond_the_payload",
       writing([](handler_context& context) { context.spill_word(context.arrived().data, 16, 0); }),
       {"payloads", where, "does spill_word with doubleword 16"}},
      {"payload_beyond_a_line",
       writing([](handler_context& context) {
         message what = to_node(1, request_type);
         what.length = 136;
         what.data = context.arrived().data;
         context.send(what);
       }),
       {"payload: ", where, "sends 136 bytes", "0 to 128"}},
      {"reply_to_caches",
       writing([=](handler_context& context) { context.send(line_reply); }),
       {"operation", where, "which waits for no block"}},
      {"memory_of_another_node",
       writing([](handler_context& context) { context.load(testing::address_of(1, 0, 8)); }),
       {"memory", where, "0x100000008", "not this node's", "node 1"}},
      {"loop_without_time",
       writing([](handler_context& context) {
         while (context.space(message_lane::request) != 0) {
         }
       }),
       {"time", where, "1000000 operations", "must spend cycles"}},
      {"throws",
       writing([](handler_context&) { throw std::runtime_error("out of records"); }),
       {"'test.write'", "node 0", "out of records"}},
      {"message_without_a_handler",
       unknown,
       {"node 1 in cycle 110", "no protocol has a handler", "type 99"}},
      {"again_without_later",
       writing([](handler_context& context) { context.again(); }),
       {"deferred handlers", where, "was not put off"}},
      {"done_without_later",
       writing([](handler_context& context) { context.done(); }),
       {"deferred handlers", where, "was not put off"}},
      {"deferred_without_end",
       put_off([](handler_context& context) { context.spend(3); }),
       {"deferred handlers", "'test.later'", "without calling again or done"}},
      {"done_twice",
       put_off([](handler_context& context) {
         context.done();
         context.done();
       }),
       {"deferred handlers", "'test.later'", "twice"}},
      refused("after", [](handler_context& context) { context.after(5, script::deferred, {}); }),
      refused("interrupt", [](handler_context& context) { context.interrupt(0); }),
      refused("intervene",
              [](handler_context& context) {
                context.intervene(intervention::get, 0, no_payload, false);
              }),
      refused("state_reply", [](handler_context& context) { context.state_reply(); }),
  };
}

TEST(protocol_thread, stops_a_handler_that_breaks_a_rule) {
  for (const breach& each : breaches()) {
    scripted_nodes nodes(each.bodies);
    // Whichever of the two the case is about.
    nodes.write(1);
    std::string said = nodes.run(200);
    if (said.empty()) {
      nodes.machine.run_until(300);
      scripted_nodes others(each.bodies);
      others.read();
      said = others.run();
    }
    std::size_t at = 0;
    for (const std::string& part : each.parts) {
      const std::size_t found = said.find(part, at);
      EXPECT_NE(found, std::string::npos) << each.name << ": '" << part << "' is not in: " << said;
      if (found != std::string::npos) at = found;
    }
  }
}

TEST(protocol_thread, begins_no_handler_while_one_runs) {
  script bodies;
  bodies.read = [](handler_context& context) {
    context.spend(100);
    context.answer(0);
  };
  scripted_nodes nodes(bodies);
  nodes.read();
  EXPECT_EQ(nodes.run(50), "");
  EXPECT_TRUE(nodes.machine.node(0).processing().running());
  message header;
  EXPECT_TRUE(
      testing::names(testing::failure<simulation_error>([&] {
                       const_cast<protocol_thread&>(nodes.machine.node(0).processing())
                           .begin(handler_id{1}, header, 50);
                     }),
                     {"handlers", "'test.read'", "has not ended", "'test.write' would begin"}));
}

// --- variation -----------------------------------------------------------------------------------

/// The lengths of many runs of one handler that spends 10000 cycles.
std::vector<double> lengths_of(std::uint32_t percent, std::uint64_t seed) {
  script bodies;
  std::vector<double> lengths;
  bodies.write = [&](handler_context& context) {
    const cycle_t since = context.now();
    context.spend(5000);
    const cycle_t middle = context.now();
    context.spend(5000);
    const cycle_t end = context.now();
    lengths.push_back(static_cast<double>(end - since));
    // All of one run is as much longer as the whole.
    EXPECT_NEAR(static_cast<double>(middle - since), lengths.back() / 2, 1);
  };
  scripted_nodes nodes(bodies, percent, seed);
  for (int i = 0; i < 300; ++i) {
    nodes.write(1);
    EXPECT_EQ(nodes.run(nodes.machine.now() + 25000), "");
  }
  return lengths;
}

TEST(protocol_thread, services_vary_uniformly_within_their_bounds) {
  for (const std::uint32_t percent : {1U, 10U, 50U}) {
    const std::vector<double> lengths = lengths_of(percent, 7);
    const double width = 10000. * percent / 100;
    double sum = 0;
    double squares = 0;
    for (const double each : lengths) {
      EXPECT_GE(each, 10000 - width);
      EXPECT_LE(each, 10000 + width);
      sum += each - 10000;
      squares += (each - 10000) * (each - 10000);
    }
    const double count = static_cast<double>(lengths.size());
    const double variance = width * width / 3;
    EXPECT_NEAR(sum / count, 0, 4 * std::sqrt(variance / count)) << percent;
    // Of a uniform number the fourth moment is w^4 / 5.
    EXPECT_NEAR(squares / count, variance,
                4 * std::sqrt((width * width * width * width / 5 - variance * variance) / count))
        << percent;
  }
}

TEST(protocol_thread, variations_are_those_of_the_seed) {
  EXPECT_EQ(lengths_of(10, 7), lengths_of(10, 7));
  EXPECT_NE(lengths_of(10, 7), lengths_of(10, 8));
  EXPECT_EQ(lengths_of(0, 7), std::vector<double>(300, 10000));
}

TEST(protocol_thread, a_variation_rounds_to_the_next_cycle) {
  random_stream draws(1, 2U, 3U);
  service_variation variation;
  EXPECT_EQ(variation.of(65, draws), 65U);
  EXPECT_EQ(draws, random_stream(1, 2U, 3U)) << "no draw without a variation";
  variation.percent = 10;
  std::uint64_t least = 1000;
  std::uint64_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t each = variation.of(1000, draws);
    least = std::min(least, each);
    most = std::max(most, each);
  }
  EXPECT_EQ(least, 900U);
  EXPECT_EQ(most, 1100U);
  EXPECT_EQ(variation.of(0, draws), 0U);
}

}  // namespace
}  // namespace tributary
