// SPDX-License-Identifier: Apache-2.0
// The example protocol on the plain controller and on MAGIC.
#include "remote_fetch_add.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_elements.h>

#include "support/plain_controller.h"

namespace tributary {
namespace {

using example::remote_fetch_add;

testing::plain_machine::protocol_list protocols(node_id) {
  testing::plain_machine::protocol_list all;
  all.push_back(std::make_unique<remote_fetch_add>());
  return all;
}

std::uint64_t word_of(const testing::plain_machine& machine, node_id node, std::uint64_t offset) {
  return machine.config().addresses.address_of(node, remote_fetch_add::space, offset);
}

TEST(remote_fetch_add, adds_to_a_word_of_another_node) {
  testing::plain_machine machine({}, protocols);
  machine.memory(node_id{1}).write(0x100, 40);
  const std::uint64_t counter = word_of(machine, node_id{1}, 0x100);
  machine.begin_write(node_id{0}, counter, 2);
  EXPECT_EQ(machine.read(node_id{0}, word_of(machine, node_id{0}, 0)), 40U);
  EXPECT_EQ(machine.memory(node_id{1}).read(0x100), 42U);
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.count("remote_fetch_add.add_for_another"), 1U);
  EXPECT_EQ(machine.count("remote_fetch_add.add_here"), 0U);
}

TEST(remote_fetch_add, adds_to_a_word_of_its_own_node) {
  testing::plain_machine machine({}, protocols);
  machine.memory(node_id{1}).write(0x100, 40);
  machine.begin_write(node_id{1}, word_of(machine, node_id{1}, 0x100), 2);
  EXPECT_TRUE(machine.run());
  // The result is there before it is asked for.
  EXPECT_EQ(machine.read(node_id{1}, word_of(machine, node_id{1}, 0)), 40U);
  EXPECT_EQ(machine.memory(node_id{1}).read(0x100), 42U);
  EXPECT_EQ(machine.count("remote_fetch_add.add_here"), 1U);
}

TEST(remote_fetch_add, gives_each_of_many_processors_a_number_of_its_own) {
  testing::plain_machine_config config;
  config.nodes = 8;
  config.jitter = 100;
  testing::plain_machine machine(config, protocols);
  const std::uint64_t counter = word_of(machine, node_id{3}, 0x2000);
  constexpr std::uint64_t rounds = 50;
  std::vector<std::uint64_t> left(config.nodes, rounds);
  std::vector<std::uint8_t> tags(config.nodes);
  const auto begin = [&](std::uint32_t i) {
    machine.begin_write(node_id{i}, counter, 1);
    tags[i] = machine.begin_read(node_id{i}, word_of(machine, node_id{i}, 0));
  };
  for (std::uint32_t i = 0; i < config.nodes; ++i) begin(i);
  std::set<word_t> seen;
  while (seen.size() < rounds * config.nodes && machine.now() < 1'000'000) {
    machine.run_until(machine.now() + 1);
    for (std::uint32_t i = 0; i < config.nodes; ++i) {
      if (left[i] == 0) continue;
      const std::optional<word_t> ticket = machine.take_answer(node_id{i}, tags[i]);
      if (!ticket) continue;
      EXPECT_TRUE(seen.insert(*ticket).second) << *ticket << " twice";
      if (--left[i] > 0) begin(i);
    }
  }
  EXPECT_EQ(machine.memory(node_id{3}).read(0x2000), rounds * config.nodes);
  ASSERT_EQ(seen.size(), rounds * config.nodes);
  EXPECT_EQ(*seen.rbegin(), rounds * config.nodes - 1);
  EXPECT_TRUE(machine.run());
}

TEST(remote_fetch_add, does_the_same_on_magic) {
  magic_machine_config config;
  config.nodes = 8;
  magic_machine machine(config, protocols);
  const address_layout& layout = machine.config().node.addresses;
  const std::uint64_t counter = layout.address_of(node_id{3}, remote_fetch_add::space, 0x2000);
  constexpr std::uint64_t rounds = 20;
  std::set<word_t> seen;
  auto counting = make_program([&](program_context& context) {
    const std::uint64_t result =
        layout.address_of(node_id{context.rank()}, remote_fetch_add::space, 0);
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
