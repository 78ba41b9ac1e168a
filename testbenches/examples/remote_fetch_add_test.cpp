// SPDX-License-Identifier: Apache-2.0
// The example protocol on nodes with MAGIC.
#include "remote_fetch_add.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>

#include "support/handler_statistics.h"
#include "support/node_processor.h"
#include "support/protocol_lists.h"

namespace tributary {
namespace {

using example::remote_fetch_add;

testing::protocol_list protocols(node_id) {
  return testing::list_of(std::make_unique<remote_fetch_add>());
}

std::uint64_t word_of(std::uint32_t node, std::uint64_t offset) {
  return address_layout().address_of(node_id{node}, remote_fetch_add::space, offset);
}

TEST(remote_fetch_add, adds_to_a_word_of_another_node) {
  magic_machine machine({}, protocols);
  machine.node(1).memory().write(0x100, 40);
  testing::node_processor processor(machine, 0);
  processor.store(word_of(1, 0x100), 2);
  EXPECT_EQ(processor.load(word_of(0, 0)), 40U);
  EXPECT_EQ(machine.node(1).memory().read(0x100), 42U);
  machine.run_until(10000);
  EXPECT_TRUE(machine.idle());
  EXPECT_EQ(testing::handler_total(machine, "remote_fetch_add.add_for_another"), 1U);
  EXPECT_EQ(testing::handler_total(machine, "remote_fetch_add.add_here"), 0U);
}

TEST(remote_fetch_add, adds_to_a_word_of_its_own_node) {
  magic_machine machine({}, protocols);
  machine.node(1).memory().write(0x100, 40);
  testing::node_processor processor(machine, 1);
  processor.store(word_of(1, 0x100), 2);
  machine.run_until(10000);
  EXPECT_TRUE(machine.idle());
  // The result is there before it is asked for.
  EXPECT_EQ(processor.load(word_of(1, 0)), 40U);
  EXPECT_EQ(machine.node(1).memory().read(0x100), 42U);
  EXPECT_EQ(testing::handler_total(machine, "remote_fetch_add.add_here"), 1U);
}

TEST(remote_fetch_add, gives_each_of_many_processors_a_number_of_its_own) {
  magic_machine_config config;
  config.nodes = 8;
  magic_machine machine(config, protocols);
  const std::uint64_t counter = word_of(3, 0x2000);
  constexpr std::uint64_t rounds = 50;
  std::set<word_t> seen;
  auto counting = make_program([&](program_context& context) {
    const std::uint64_t result = word_of(context.rank(), 0);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      context.store(counter, 1);
      EXPECT_TRUE(seen.insert(context.load(result)).second);
    }
  });
  node_programs programs(config, std::move(counting));
  programs.elements().add_all(machine);
  machine.run_until(1'000'000);
  EXPECT_TRUE(machine.idle());
  ASSERT_EQ(seen.size(), rounds * config.nodes);
  EXPECT_EQ(*seen.rbegin(), rounds * config.nodes - 1);
  EXPECT_EQ(machine.node(3).memory().read(0x2000), rounds * config.nodes);
}

}  // namespace
}  // namespace tributary
