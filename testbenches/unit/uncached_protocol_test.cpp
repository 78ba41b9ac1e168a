// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include <tributary/processor/node_programs.h>
#include <tributary/sim/random_stream.h>

#include <support/handler_statistics.h>
#include <support/node_processor.h>
#include <support/protocol_lists.h>

namespace tributary {
namespace {

using testing::handler_total;
using testing::node_processor;
using testing::uncached_only;

TEST(uncached_protocol_test, local_and_remote_words) {
  magic_machine machine({}, uncached_only);
  node_processor processor(machine, 0);
  for (std::uint32_t home = 0; home < 2; ++home) {
    const std::uint64_t address = address_layout().address_of(node_id{home}, 0, 0x1238);
    memory_controller& memory = machine.node(home).memory();
    memory.write(0x1238, 17 + home);
    EXPECT_EQ(processor.load(address), 17 + home);
    processor.store(address, 99);
    EXPECT_EQ(processor.load(address), 99U);
    EXPECT_EQ(memory.read(0x1238), 99U);
  }
  machine.run_until(10000);
  EXPECT_TRUE(machine.idle());
  EXPECT_EQ(handler_total(machine, "uncached.load"), 2U);
  EXPECT_EQ(handler_total(machine, "uncached.home_load"), 2U);
  EXPECT_EQ(handler_total(machine, "uncached.load_reply"), 2U);
  EXPECT_EQ(handler_total(machine, "uncached.store"), 1U);
  EXPECT_EQ(handler_total(machine, "uncached.store_done"), 1U);
}

TEST(uncached_protocol_test, acknowledgements_are_counted) {
  magic_machine machine({}, uncached_only);
  node_processor processor(machine, 0);
  const auto stores_under_way = [&machine] {
    const magic_node& node = machine.node(0);
    return static_cast<const uncached_protocol&>(node.protocols().at(0))
        .stores_under_way(node.memory());
  };
  for (std::uint64_t i = 0; i < 4; ++i) {
    processor.store(address_layout().address_of(node_id{1}, 0, 8 * i), i + 1);
  }
  machine.run_until(30);
  EXPECT_GT(stores_under_way(), 0U);
  machine.run_until(10000);
  EXPECT_TRUE(machine.idle());
  EXPECT_EQ(stores_under_way(), 0U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(machine.node(1).memory().read(8 * i), i + 1);
}

// Each node writes words of its own everywhere, and reads them back: what a processor wrote last is
// what it reads, whatever queues and buffers are short of.
TEST(uncached_protocol_test, a_processor_reads_what_it_wrote) {
  std::map<std::string, std::uint64_t> ran;
  for (const std::uint32_t buffers : {3U, 4U, 16U}) {
    magic_machine_config config;
    config.nodes = 4;
    config.node.buffers.buffers = buffers;
    magic_machine machine(config, uncached_only);
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
    for (const std::string& handler : machine.node(0).protocols().handler_names()) ran[handler];
    for (const auto& [handler, times] : testing::handler_totals(machine)) ran[handler] += times;
  }
  for (const auto& [name, times] : ran) EXPECT_GT(times, 0U) << name << " never ran";
}

}  // namespace
}  // namespace tributary
