// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/handler_statistics.h>
#include <support/protocol_lists.h>
#include <support/scripted_machine.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

/// Fetch-and-add on a word of any node, by an uncached read.
testing::script fetch_add_handlers() {
  testing::script bodies;
  bodies.read = [](handler_context& context) {
    context.spend(10);
    message what;
    what.type = testing::script::request_type;
    what.destination = context.addresses().node_of(context.arrived().address);
    what.address = context.arrived().address;
    what.aux = context.keep_read();
    context.send(what);
  };
  bodies.request = [](handler_context& context) {
    const message& asked = context.arrived();
    context.spend(12);
    const word_t old = context.load(asked.address);
    context.store(asked.address, old + 1);
    message what;
    what.type = testing::script::reply_type;
    what.over = message_lane::reply;
    what.destination = asked.source;
    what.address = asked.address;
    what.aux = asked.aux;
    what.data = context.allocate().value();
    context.set_word(what.data, 0, old);
    what.length = word_bytes;
    context.send(what);
  };
  bodies.reply = [](handler_context& context) {
    context.spend(4);
    context.answer(static_cast<std::uint8_t>(context.arrived().aux),
                   context.word(context.arrived().data, 0));
  };
  return bodies;
}

testing::protocol_list fetch_add(node_id) {
  return testing::list_of(std::make_unique<testing::scripted_protocol>(fetch_add_handlers()));
}

TEST(magic_machine_test, fetch_and_adds_of_all_nodes_count_each_once) {
  for (const std::uint32_t nodes : {2U, 5U, 16U}) {
    magic_machine_config config;
    config.nodes = nodes;
    magic_machine machine(config, fetch_add);
    const address_layout& layout = machine.config().node.addresses;
    std::vector<std::uint64_t> seen;
    auto counting = make_program([&](program_context& context) {
      for (int i = 0; i < 20; ++i)
        seen.push_back(context.load(layout.address_of(node_id{1}, 0, 64)));
    });
    node_programs programs(config, std::move(counting));
    programs.elements().add_all(machine);
    machine.run_until(100000);
    ASSERT_TRUE(machine.idle()) << nodes;
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 20U * nodes);
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i) << nodes;
    EXPECT_EQ(machine.node(1).memory().read(64), 20U * nodes);
    EXPECT_EQ(testing::handler_total(machine, "test.request", "mean"), 12U);
  }
}

/// Loads of the other nodes keep the request lane of node 0 busy.
TEST(magic_machine_test, a_word_that_all_poll_is_written_all_the_same) {
  magic_machine_config config;
  config.nodes = 16;
  magic_machine machine(config, testing::uncached_only);
  const address_layout& layout = machine.config().node.addresses;
  auto polling = make_program([&](program_context& context) {
    const std::uint64_t word = layout.address_of(node_id{0}, 0, 64);
    if (context.rank() == 0) {
      context.delay(3000);
      context.store(word, 1);
    } else {
      while (context.load(word) == 0) {
      }
    }
  });
  node_programs programs(config, std::move(polling));
  programs.elements().add_all(machine);
  machine.run_until(20000);
  EXPECT_TRUE(machine.idle());
  EXPECT_EQ(machine.node(0).memory().read(64), 1U);
  EXPECT_TRUE(programs.work().finished());
}

TEST(magic_machine_test, refuses_a_network_on_which_messages_overtake_each_other) {
  magic_machine_config config;
  config.network.reorder_window = 3;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { config.validate(); }),
                             {"network.reorder_window", "3", "MAGIC"}));
  config.network.broadcast = true;
  config.network.reorder_window = 0;
  config.validate();
}

/// Statistics are over the cycles that were asked for, though the last of them are empty.
TEST(magic_machine_test, time_passes_when_nothing_happens) {
  magic_machine machine({}, fetch_add);
  machine.run_until(700);
  EXPECT_EQ(machine.now(), 700U);
  EXPECT_EQ(machine.network().now(), 700U);
  EXPECT_EQ(machine.node(1).clockwork().now(), 700U);
  bool asked = false;
  machine.run_until(900, [&] { return asked = true; });
  EXPECT_FALSE(asked) << "no cycle in which something happened";
  EXPECT_EQ(machine.now(), 900U);
}

}  // namespace
}  // namespace tributary
