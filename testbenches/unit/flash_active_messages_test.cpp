// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <flash/flash_machine.h>
#include <tributary/algorithms/flash_active_messages.h>
#include <tributary/sim/error.h>

#include <support/failure.h>

namespace tributary {
namespace {

constexpr std::uint32_t nodes = 4;

flash_config talking(bool caches) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.network.topology = topology_kind::hypercube;
  magic_node_config& node = config.machine.node;
  node.memory.bytes = std::uint64_t{1} << 20;
  node.addresses.space_bits = active_message_command::space_bits;
  node.jump_table.candidates = 5;
  node.caches.present = caches;
  node.timed.period = 50;
  config.active_messages.window = 3;
  config.active_messages.words = 8;
  config.processor.posted_stores = true;
  return config;
}

flash_active_place place_of(const flash_config& config) {
  const magic_node_config& node = config.machine.node;
  return {node.addresses, node.memory.line(), nodes, config.active_messages.words,
          node.caches.present};
}

using body = std::function<void(program_context&, flash_active_messages&)>;

/// The programs of all nodes, to their end.
class talk {
 public:
  talk(const flash_config& config, const body& what)
      : machine_(config, 1,
                 make_program([place = place_of(config), what](program_context& context) {
                   flash_active_messages messages(context, place);
                   what(context, messages);
                 })) {
    machine_.run_until(3'000'000);
    EXPECT_TRUE(machine_.finished());
  }

  /// Of all nodes.
  std::uint64_t runs(const std::string& handler) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      const magic_node& node = machine_.nodes().node(i);
      const handler_id number = node.protocols().find("active_messages." + handler);
      sum += node.processing().occupancy(number).count();
    }
    return sum;
  }

 private:
  flash_machine machine_;
};

// --- to processors -------------------------------------------------------------------------------

constexpr std::uint32_t rounds = 12;

/// Who gets the i-th message of a node; each gets as many, also from itself.
std::uint32_t receiver_of(std::uint32_t source, std::uint32_t i) { return (source + i) % nodes; }

/// What a node gets: sources and first arguments.
using seen_messages = std::multiset<std::pair<std::uint32_t, word_t>>;

void send_to_all(const flash_config& config, std::uint64_t& refused) {
  std::vector<seen_messages> seen(nodes);
  talk all(config, [&](program_context& context, flash_active_messages& messages) {
    const std::uint32_t rank = context.rank();
    messages.serve(5, [&](program_context& own, const active_message& message) {
      ASSERT_EQ(message.arguments.size(), 3U);
      EXPECT_EQ(message.arguments[1], message.arguments[0] * 7);
      EXPECT_EQ(message.arguments[2], own.rank());
      seen[own.rank()].emplace(index(message.source), message.arguments[0]);
    });
    context.delay(2000);
    for (std::uint32_t i = 0; i < rounds; ++i) {
      const std::uint32_t to = receiver_of(rank, i);
      messages.send(node_id{to}, 5, {i / 8, i / 8 * 7, to});
    }
    messages.fence();
    while (seen[rank].size() < rounds) context.delay(500);
  });
  for (std::uint32_t node = 0; node < nodes; ++node) {
    seen_messages expected;
    for (std::uint32_t source = 0; source < nodes; ++source) {
      for (std::uint32_t i = 0; i < rounds; ++i) {
        if (receiver_of(source, i) == node) expected.emplace(source, i / 8);
      }
    }
    EXPECT_EQ(seen[node], expected) << "node " << node;
  }
  refused = all.runs("refused");
  EXPECT_EQ(all.runs("accepted"), nodes * rounds * (nodes - 1) / nodes);
  EXPECT_GE(all.runs("send_again"), refused);
}

/// Also two that are alike, which calls of the kernel are not.
TEST(flash_active_messages, each_interrupts_its_processor_once) {
  for (const bool caches : {false, true}) {
    SCOPED_TRACE(caches ? "caches" : "no caches");
    std::uint64_t refused = 0;
    send_to_all(talking(caches), refused);
    EXPECT_EQ(refused, 0U);
  }
}

TEST(flash_active_messages, are_sent_again_where_the_queue_was_full) {
  for (const bool caches : {false, true}) {
    SCOPED_TRACE(caches ? "caches" : "no caches");
    flash_config config = talking(caches);
    config.kernel.ospc.depth = 1;
    std::uint64_t refused = 0;
    send_to_all(config, refused);
    EXPECT_GT(refused, 0U);
  }
}

/// A request and its answer, from the handler of the request.
TEST(flash_active_messages, a_handler_answers) {
  std::vector<word_t> answers(nodes);
  talk all(talking(true), [&](program_context& context, flash_active_messages& messages) {
    messages.serve(1, [&](program_context& own, const active_message& asked) {
      messages.send(asked.source, 2, {asked.arguments[0] + 100 * own.rank()});
    });
    messages.serve(2, [&](program_context& own, const active_message& answer) {
      answers[own.rank()] = answer.arguments[0];
    });
    context.delay(2000);
    const std::uint32_t other = (context.rank() + 1) % nodes;
    messages.send(node_id{other}, 1, {context.rank() + 1});
    while (answers[context.rank()] == 0) context.delay(500);
    context.delay(50'000);  // the others may ask still
  });
  EXPECT_EQ(answers, (std::vector<word_t>{101, 202, 303, 4}));
}

/// All places of a record hold what they should.
TEST(flash_active_messages, take_as_many_arguments_as_a_line_holds) {
  std::vector<word_t> got;
  talk all(talking(false), [&](program_context& context, flash_active_messages& messages) {
    messages.serve(0, [&](program_context&, const active_message& m) { got = m.arguments; });
    context.delay(1000);
    if (context.rank() != 0) return context.delay(100'000);
    messages.send(node_id{3}, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
    messages.fence();
  });
  EXPECT_EQ(got, (std::vector<word_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

// --- to controllers ------------------------------------------------------------------------------

/// No processor is interrupted, and no sum is lost.
TEST(flash_active_messages, a_controller_runs_its_functions) {
  constexpr std::uint64_t times = 20;
  std::vector<word_t> found(nodes);
  talk all(talking(false), [&](program_context& context, flash_active_messages& messages) {
    const std::uint32_t rank = context.rank();
    for (std::uint64_t i = 0; i < times; ++i) {
      for (std::uint32_t to = 0; to < nodes; ++to) {
        messages.call(node_id{to}, usual_functions::add, {3, rank + 1});
      }
    }
    messages.call(node_id{(rank + 1) % nodes}, usual_functions::put, {7, rank});
    messages.fence();
    context.delay(50'000);
    found[rank] = messages.word(3) * 10 + messages.word(7);
    messages.set_word(3, 2 * messages.word(3));
    EXPECT_EQ(messages.word(3), 2 * times * 10);
    EXPECT_EQ(messages.word(2), 0U) << "others stay as they are";
  });
  EXPECT_EQ(found, (std::vector<word_t>{2003, 2000, 2001, 2002}));
  EXPECT_EQ(all.runs("refused"), 0U);
}

/// Of a word that is not there nothing becomes, nor of a function that is not.
TEST(flash_active_messages, a_function_reaches_its_own_words_only) {
  talk all(talking(false), [&](program_context& context, flash_active_messages& messages) {
    if (context.rank() != 0) return;
    messages.call(node_id{1}, usual_functions::put, {8, 1});
    messages.call(node_id{1}, usual_functions::add, {~word_t{0}, 1});
    messages.call(node_id{1}, usual_functions::count, {0, 1});
    messages.fence();
  });
  EXPECT_EQ(all.runs("accepted"), 3U);
}

// --- what is refused by name ---------------------------------------------------------------------

std::string refusal(const std::function<void(flash_active_messages&)>& wrong) {
  std::string told;
  talk all(talking(false), [&](program_context& context, flash_active_messages& messages) {
    if (context.rank() == 0) told = testing::failure([&] { wrong(messages); });
  });
  return told;
}

TEST(flash_active_messages, refuse_what_cannot_be_by_name) {
  const auto refused = [](const std::string& told, const std::string& about) {
    return told.find("processor 0, cycle ") != std::string::npos &&
           told.find(about) != std::string::npos;
  };
  EXPECT_TRUE(refused(refusal([](auto& m) { m.send(node_id{4}, 0, {}); }), "does not exist"));
  EXPECT_TRUE(refused(refusal([](auto& m) { m.send(node_id{1}, 65536, {}); }), "65535"));
  EXPECT_TRUE(refused(refusal([](auto& m) { m.serve(65536, {}); }), "65535"));
  EXPECT_TRUE(refused(refusal([](auto& m) { m.word(8); }), "8 words"));
  EXPECT_TRUE(refused(refusal([](auto& m) { m.set_word(8, 1); }), "8 words"));
  EXPECT_TRUE(refused(refusal([](auto& m) {
                        m.call(node_id{1}, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5});
                      }),
                      "14 arguments"));
  EXPECT_EQ(refusal([](auto& m) { m.call(node_id{3}, 65535, {1}); }), "");
}

TEST(flash_active_messages, tell_who_sends_to_a_handler_that_is_not_there) {
  const std::string told = testing::failure([] {
    talk all(talking(false), [](program_context& context, flash_active_messages& messages) {
      if (context.rank() == 2) messages.send(node_id{1}, 9, {});
      context.delay(20'000);
    });
  });
  EXPECT_NE(told.find("processor 1"), std::string::npos) << told;
  EXPECT_NE(told.find("handler 9 from node 2"), std::string::npos) << told;
}

TEST(flash_active_messages, need_address_space_and_a_rule_of_the_jump_table) {
  flash_config config = talking(false);
  config.machine.node.addresses.space_bits = 2;
  EXPECT_NE(testing::failure([&] { config.validate(); }).find("node.addresses.space_bits"),
            std::string::npos);
  config = talking(false);
  config.machine.node.jump_table.candidates = 4;
  EXPECT_NE(testing::failure([&] { config.validate(); }).find("node.jump_table.candidates"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
