// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_elements.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>

#include <support/plain_controller.h>

namespace tributary {
namespace {

using testing::plain_machine;
using testing::plain_machine_config;

std::vector<std::unique_ptr<protocol>> uncached(node_id) {
  std::vector<std::unique_ptr<protocol>> made;
  made.push_back(std::make_unique<uncached_protocol>(uncached_costs{}));
  return made;
}

const uncached_protocol& protocol_of(plain_machine& machine, std::uint32_t node) {
  return static_cast<const uncached_protocol&>(machine.protocols(node_id{node}).at(0));
}

TEST(uncached_protocol_test, local_and_remote_words) {
  plain_machine machine({}, uncached);
  const address_layout& layout = machine.config().addresses;
  for (std::uint32_t home = 0; home < 2; ++home) {
    const std::uint64_t address = layout.address_of(node_id{home}, 0, 0x1238);
    machine.memory(node_id{home}).write(0x1238, 17 + home);
    EXPECT_EQ(machine.read(node_id{0}, address), 17 + home);
    machine.begin_write(node_id{0}, address, 99);
    EXPECT_EQ(machine.read(node_id{0}, address), 99U);
    EXPECT_EQ(machine.memory(node_id{home}).read(0x1238), 99U);
  }
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(machine.count("uncached.load"), 2U);
  EXPECT_EQ(machine.count("uncached.home_load"), 2U);
  EXPECT_EQ(machine.count("uncached.load_reply"), 2U);
  EXPECT_EQ(machine.count("uncached.store"), 1U);
  EXPECT_EQ(machine.count("uncached.store_done"), 1U);
}

TEST(uncached_protocol_test, acknowledgements_are_counted) {
  plain_machine machine({}, uncached);
  const address_layout& layout = machine.config().addresses;
  for (std::uint64_t i = 0; i < 4; ++i) {
    machine.begin_write(node_id{0}, layout.address_of(node_id{1}, 0, 8 * i), i + 1);
  }
  machine.run_until(30);
  EXPECT_GT(protocol_of(machine, 0).stores_under_way(machine.memory(node_id{0})), 0U);
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(protocol_of(machine, 0).stores_under_way(machine.memory(node_id{0})), 0U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(machine.memory(node_id{1}).read(8 * i), i + 1);
}

// Each node writes words of its own everywhere, and reads them back: what a processor wrote last is
// what it reads, whatever queues and buffers are short of.
TEST(uncached_protocol_test, a_processor_reads_what_it_wrote) {
  std::uint64_t again = 0;
  for (const std::uint32_t buffers : {3U, 4U, 16U}) {
    magic_machine_config config;
    config.nodes = 4;
    config.node.buffers.buffers = buffers;
    magic_machine machine(config, uncached);
    const address_layout& layout = machine.config().node.addresses;
    std::uint64_t wrong = 0;
    std::uint32_t finished = 0;
    auto writing = make_program([&](program_context& context) {
      std::map<std::uint64_t, word_t> wrote;
      for (std::uint64_t i = 0; i < 300; ++i) {
        const std::uint64_t address =
            layout.address_of(node_id{static_cast<std::uint32_t>(context.random(4))}, 0,
                              8 * (context.rank() + 4 * context.random(20)));
        if (context.random(2) == 0) {
          wrote[address] = i + 1000 * context.rank();
          context.store(address, wrote[address]);
        } else if (context.load(address) != wrote[address]) {
          ++wrong;
        }
      }
      ++finished;
    });
    node_programs programs(machine.config(), std::move(writing));
    programs.elements().add_all(machine);
    machine.run_until(10'000'000, [&] { return finished == 4; });
    EXPECT_EQ(finished, 4U) << buffers;
    EXPECT_EQ(wrong, 0U) << buffers;
    statistics_tree tree;
    machine.report(tree.root());
    for (const flat_statistic& each : tree.flatten()) {
      if (each.path.find("uncached.load_again.count") != std::string::npos) {
        again += static_cast<std::uint64_t>(each.value);
      }
    }
  }
  EXPECT_GT(again, 0U);
}

}  // namespace
}  // namespace tributary
