// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/processor/node_programs.h>
#include <tributary/protocols/uncached_operations.h>

#include <support/handler_statistics.h>
#include <support/protocol_lists.h>

namespace tributary {
namespace {

using testing::handler_total;

/// By the processor of node 0 on a word of its own and on one of the other node.
TEST(uncached_operations_test, answer_the_word_before_and_leave_what_the_function_makes_of_it) {
  magic_machine machine({}, [](node_id) {
    return testing::list_of(std::make_unique<uncached_protocol>(uncached_costs{}),
                            std::make_unique<uncached_operations>(uncached_operation_costs{}));
  });
  std::uint32_t finished = 0;
  auto own_program = make_program([&](program_context& context) {
    for (std::uint32_t home = 0; context.rank() == 0 && home < 2; ++home) {
      memory_controller& memory = machine.node(home).memory();
      const std::uint64_t address = address_layout().address_of(node_id{home}, 0, 0x1238);
      memory.write(0x1238, 17);
      const word_t before_add = context.fetch_add(address, 3);
      const word_t after_add = memory.read(0x1238);
      const word_t before_exchange = context.compare_and_swap(address, 20, 5);
      const word_t after_exchange = memory.read(0x1238);
      const word_t before_nothing = context.compare_and_swap(address, 20, 6);
      const word_t after_nothing = memory.read(0x1238);
      EXPECT_EQ((std::vector<word_t>{before_add, before_exchange, before_nothing}),
                (std::vector<word_t>{17, 20, 5}))
          << "answers of node " << home;
      EXPECT_EQ((std::vector<word_t>{after_add, after_exchange, after_nothing}),
                (std::vector<word_t>{20, 5, 5}))
          << "words of node " << home;
    }
    ++finished;
  });
  node_programs programs(machine.config(), std::move(own_program));
  programs.elements().add_all(machine);
  machine.run_until(100'000, [&] { return finished == 2; });
  ASSERT_EQ(finished, 2U) << "a processor waits in vain";
  EXPECT_EQ(handler_total(machine, "uncached_operations.perform"), 3U);
  EXPECT_EQ(handler_total(machine, "uncached_operations.perform_for_another"), 3U);
}

}  // namespace
}  // namespace tributary
