// SPDX-License-Identifier: Apache-2.0
// The kernel and the controller: block transfers by virtual addresses, whose missing translations
// interrupt the processor; changes of translations, which transfers hold off (V46); and the queues
// of calls.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/processor/node_programs.h>
#include <tributary/protocols/kernel_calls.h>

#include <support/handler_statistics.h>
#include <support/kernel_bench.h>
#include <support/scripted_machine.h>

namespace tributary {
namespace {

using testing::asking_kernel;
using testing::destination_offset;
using testing::flag_offset;
using testing::kernel_bench;
using testing::node_processor;
using testing::source_offset;
using testing::virtual_destination;
using testing::virtual_flag;
using testing::virtual_source;
using command = block_transfer_command;
using result = block_transfer_result;

constexpr std::uint64_t page = testing::kernel_page;

// --- virtual addresses ---------------------------------------------------------------------------

TEST(kernel_calls_test, a_copy_may_name_virtual_addresses) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  EXPECT_EQ(bench.ask(port), result::accepted);
  ASSERT_TRUE(bench.run_until_flag(1));
  EXPECT_TRUE(bench.is_copied());
  EXPECT_EQ(bench.operations(), 0U);
  // 233 of the set-up, and 15, 22 and 29 of lookups that find their entries at probes 1 to 3
  // (FLASH 4.2.1: 8 + 7 a probe).
  EXPECT_EQ(testing::handler_total(bench.machine(), "block_transfer.setup", "sum"),
            233U + 15 + 22 + 29);
}

TEST(kernel_calls_test, the_processor_counts_by_a_virtual_flag) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  const std::uint64_t commands = bench.mapping().commands;
  port.store(commands, 0);
  port.store(commands + 8, virtual_flag);
  EXPECT_EQ(bench.commit_virtual(port), result::accepted);
  EXPECT_TRUE(bench.run_until_flag(1));
}

TEST(kernel_calls_test, arguments_keep_their_order) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  const std::uint64_t commands = bench.mapping().commands;
  port.store(commands, page);
  port.store(commands + 16, virtual_destination);
  EXPECT_EQ(bench.commit_virtual(port), result::bad_sequence);
  port.store(commands, page);
  port.store(commands + 8, virtual_source);
  EXPECT_EQ(bench.commit_virtual(port), result::bad_sequence);
  EXPECT_EQ(bench.operations(), 0U);
}

TEST(kernel_calls_test, a_protected_page_is_read_and_not_written) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  bench.enter(port, virtual_source, bench.address(0, source_offset), page_access::read);
  EXPECT_EQ(bench.ask(port), result::accepted);
  ASSERT_TRUE(bench.run_until_flag(1));
  bench.enter(port, virtual_destination, bench.address(1, destination_offset), page_access::read);
  EXPECT_EQ(bench.ask(port), result::no_translation);
  EXPECT_EQ(port.load(bench.kernel_address(kernel_command::call(ospc_priority::low, 3))), 1U)
      << "the call is for a write";
}

/// The kernel is not asked again for what it has refused, until it gives the page.
TEST(kernel_calls_test, a_page_that_the_kernel_refuses_ends_the_command) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  const std::uint64_t destination = bench.address(1, destination_offset);
  bench.enter(port, virtual_destination, destination, page_access::read_and_no_write);
  EXPECT_EQ(bench.ask(port), result::no_access);
  bench.enter(port, virtual_destination, destination);
  bench.enter(port, virtual_source, 0, page_access::none);
  EXPECT_EQ(bench.ask(port), result::no_access);
  EXPECT_EQ(bench.kernel().calls().waiting(bench.memory(0), ospc_priority::low), 0U);
  EXPECT_EQ(bench.operations(), 0U);
  bench.enter(port, virtual_source, bench.address(0, source_offset),
              page_access::read_and_no_write);
  EXPECT_EQ(bench.ask(port), result::accepted);
  ASSERT_TRUE(bench.run_until_flag(1));
  EXPECT_TRUE(bench.is_copied());
}

/// The kernel's handler refuses a write to a page that it had given to be read: the copy ends.
TEST(kernel_calls_test, a_refusal_of_the_interrupts_handler_ends_the_copy) {
  kernel_bench bench;
  std::uint64_t calls = 0;
  fbcopy_outcome outcome;
  const auto serve = [&](program_context& context) {
    program_port port(context);
    const auto call = [&](std::uint64_t place) {
      return port.load(bench.kernel_address(kernel_command::call(ospc_priority::low, place)));
    };
    while (call(0) == kernel_command::missing_translation) {
      ++calls;
      EXPECT_EQ(call(1), virtual_destination);
      EXPECT_EQ(call(3), 1U) << "it is to be written";
      bench.enter(port, virtual_destination, bench.address(1, destination_offset),
                  page_access::read_and_no_write);
      port.store(bench.kernel_address(kernel_command::served(ospc_priority::low)), 0);
    }
  };
  node_programs programs(bench.machine().config(), make_program([&](program_context& context) {
                           if (context.rank() != 0) return;
                           context.interrupts(1, serve);
                           program_port port(context);
                           bench.enter_all(port);
                           bench.enter(port, virtual_destination,
                                       bench.address(1, destination_offset), page_access::read);
                           outcome = fbcopy(port, bench.mapping(), virtual_source,
                                            virtual_destination, page, virtual_flag);
                         }));
  programs.elements().add_all(bench.machine());
  bench.machine().run_until(1'000'000, [&] { return programs.finished(0); });
  ASSERT_TRUE(programs.finished(0));
  EXPECT_EQ(outcome.result, result::no_access);
  EXPECT_EQ(outcome.refusals, 1U);
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(bench.flag(), 0U);
}

/// The whole way: a translation is missing, the processor is interrupted, its handler reads the
/// call, enters the page and acknowledges, and the copy, which is asked for again, succeeds.
TEST(kernel_calls_test, a_missing_translation_interrupts_the_processor) {
  kernel_bench bench;
  std::vector<std::uint64_t> served;
  std::vector<cycle_t> begun;
  fbcopy_outcome outcome;
  const auto serve = [&](program_context& context) {
    begun.push_back(context.now());
    program_port port(context);
    const auto call = [&](std::uint64_t place) {
      return bench.kernel_address(kernel_command::call(ospc_priority::low, place));
    };
    while (port.load(call(0)) == kernel_command::missing_translation) {
      const std::uint64_t wanted = port.load(call(1));
      EXPECT_EQ(port.load(call(2)), 0U) << "the process";
      served.push_back(wanted);
      for (const auto& [virtual_page, physical] : bench.pages()) {
        if (virtual_page == wanted) bench.enter(port, virtual_page, physical);
      }
      port.store(bench.kernel_address(kernel_command::served(ospc_priority::low)), 0);
    }
  };
  node_programs programs(bench.machine().config(), make_program([&](program_context& context) {
                           if (context.rank() != 0) return;
                           context.interrupts(1, serve);
                           program_port port(context);
                           outcome = fbcopy(port, bench.mapping(), virtual_source,
                                            virtual_destination, page, virtual_flag);
                           fbcopy_wait(port, bench.address(0, flag_offset), 1);
                         }));
  programs.elements().add_all(bench.machine());
  bench.machine().run_until(1'000'000, [&] { return programs.finished(0); });
  ASSERT_TRUE(programs.finished(0));
  EXPECT_EQ(outcome.result, result::accepted);
  EXPECT_EQ(outcome.refusals, 3U) << "one for each page";
  EXPECT_EQ(served,
            (std::vector<std::uint64_t>{virtual_source, virtual_destination, virtual_flag - 64}));
  EXPECT_EQ(begun.size(), 3U);
  EXPECT_EQ(bench.kernel().calls().waiting(bench.memory(0), ospc_priority::low), 0U);
  EXPECT_TRUE(bench.is_copied());
}

// --- changes of translations ---------------------------------------------------------------------

TEST(kernel_calls_test, a_change_is_answered_at_once_when_nothing_is_held_off) {
  kernel_bench bench;
  asking_kernel kernel(bench);
  kernel.change(virtual_source);
  bench.machine().run_until(bench.machine().now() + 200);
  ASSERT_TRUE(kernel.answered);
  EXPECT_EQ(kernel.answer, 1U);
}

/// V46.
TEST(kernel_calls_test, a_copy_holds_a_change_off_and_new_copies_are_refused_meanwhile) {
  kernel_bench bench;
  {
    node_processor port(bench.machine(), 0);
    bench.enter_all(port);
    ASSERT_EQ(bench.ask(port), result::accepted);
    bench.name_virtual(port);  // half a command, which the change makes obsolete
  }
  asking_kernel kernel(bench);
  kernel.change(virtual_source);
  bench.machine().run_until(bench.machine().now() + 300);
  EXPECT_FALSE(kernel.answered) << "the copy is under way";
  EXPECT_EQ(bench.operations(), 1U);
  cycle_t flag_changed = 0;
  const auto is_answered = [&] {
    if (flag_changed == 0 && bench.flag() == 1) flag_changed = bench.machine().now();
    return kernel.answered.has_value();
  };
  bench.machine().run_until(bench.machine().now() + 100'000, is_answered);
  ASSERT_TRUE(kernel.answered);
  EXPECT_NE(flag_changed, 0U);
  EXPECT_GE(*kernel.answered, flag_changed) << "answered before the copy was complete";
  EXPECT_LT(*kernel.answered, flag_changed + 200);
  bench.machine().run_until(bench.machine().now() + 1000);
  EXPECT_TRUE(bench.is_copied());
  node_processor port(bench.machine(), 0);
  EXPECT_EQ(bench.commit_virtual(port), result::interrupted) << "of the half command";
  EXPECT_EQ(bench.ask(port), result::no_translation) << "the change took the page out";
  bench.enter_all(port);
  EXPECT_EQ(bench.ask(port), result::accepted);
  EXPECT_TRUE(bench.run_until_flag(2));
}

/// Whether the addresses come by the shadow mapping or not.
TEST(kernel_calls_test, copies_are_refused_while_a_change_waits) {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  bench.enter_all(port);
  ASSERT_EQ(bench.ask(port), result::accepted);
  port.store(bench.kernel_address(kernel_command::shootdown), virtual_flag - 64);
  EXPECT_EQ(bench.ask(port), result::interrupted);
  const fbcopy_mapping shadow =
      physical_mapping(bench.machine().config().node.addresses, node_id{0}, page);
  port.store(shadow.commands, page);
  port.store(bench.address(0, source_offset, command::shadow_space), 0);
  port.store(bench.address(1, destination_offset, command::shadow_space), 0);
  port.store(bench.address(0, flag_offset, command::shadow_space), 0);
  EXPECT_EQ(static_cast<result>(port.load(shadow.commands + command::commit)), result::interrupted);
  EXPECT_EQ(bench.flag(), 0U) << "the copy is still under way";
  ASSERT_TRUE(bench.run_until_flag(1));
  EXPECT_EQ(port.load(bench.kernel_address(kernel_command::shootdown)), 1U);
  EXPECT_EQ(bench.ask(port), result::no_translation);
}

// --- half-built commands when a translation changes (FLASH 4.2.2) ------------------------------

kernel_calls_config invalidating() {
  kernel_calls_config config;
  config.half_built = half_built_commands::invalidate;
  return config;
}

constexpr std::uint64_t other_page = 16 * page;

TEST(kernel_calls_test, a_change_of_another_page_lets_a_half_built_command_go_on) {
  for (const bool invalidates : {false, true}) {
    kernel_bench bench(invalidates ? invalidating() : kernel_calls_config{});
    node_processor port(bench.machine(), 0);
    bench.name_shadow(port);
    bench.shoot_down(port, 0x7300'0000, bench.address(1, other_page));
    EXPECT_EQ(bench.commit_shadow(port), invalidates ? result::accepted : result::interrupted);
    EXPECT_EQ(bench.run_until_flag(1), invalidates);
    EXPECT_EQ(bench.is_copied(), invalidates);
  }
}

/// The kernel is told which page is missing, and the command succeeds when it is repeated; one for
/// the new page goes on by itself.
TEST(kernel_calls_test, an_address_of_a_changed_page_is_got_anew) {
  for (const bool is_known : {false, true}) {
    kernel_bench bench(invalidating());
    node_processor port(bench.machine(), 0);
    const std::uint64_t moved = bench.address(1, other_page);
    bench.name_shadow(port);
    bench.shoot_down(port, virtual_destination, bench.address(1, destination_offset));
    if (is_known) bench.enter(port, virtual_destination, moved);
    EXPECT_EQ(bench.commit_shadow(port), is_known ? result::accepted : result::no_translation);
    const auto call = [&](std::uint64_t place) {
      return port.load(bench.kernel_address(kernel_command::call(ospc_priority::low, place)));
    };
    EXPECT_EQ(call(0), is_known ? 0U : kernel_command::missing_translation);
    if (!is_known) {
      EXPECT_EQ(call(1), virtual_destination);
      EXPECT_EQ(call(3), 1U) << "it is to be written";
      EXPECT_EQ(bench.operations(), 0U);
      continue;
    }
    ASSERT_TRUE(bench.run_until_flag(1));
    EXPECT_TRUE(bench.is_copied(other_page));
    EXPECT_FALSE(bench.is_copied()) << "the old page has no byte of it";
  }
}

TEST(kernel_calls_test, a_source_that_is_got_anew_is_read_only) {
  kernel_bench bench(invalidating());
  node_processor port(bench.machine(), 0);
  const std::uint64_t source = bench.address(0, source_offset);
  bench.name_shadow(port);
  bench.shoot_down(port, virtual_source, source);
  bench.enter(port, virtual_source, source, page_access::read_and_no_write);
  EXPECT_EQ(bench.commit_shadow(port), result::accepted);
  ASSERT_TRUE(bench.run_until_flag(1));
  bench.name_shadow(port);
  bench.shoot_down(port, virtual_flag - 64, bench.address(0, flag_offset - 64));
  bench.enter(port, virtual_flag - 64, bench.address(0, flag_offset - 64),
              page_access::read_and_no_write);
  EXPECT_EQ(bench.commit_shadow(port), result::no_access);
}

/// What nobody can translate has to be named again: without the virtual addresses, without the
/// physical page, and what is named while a change waits.
TEST(kernel_calls_test, a_half_built_command_is_repeated_where_its_addresses_cannot_be_got) {
  kernel_bench bench(invalidating());
  node_processor port(bench.machine(), 0);
  const std::uint64_t destination = bench.address(1, destination_offset);
  bench.name_shadow(port, false);
  bench.shoot_down(port, virtual_destination, destination);
  EXPECT_EQ(bench.commit_shadow(port), result::interrupted);
  bench.name_shadow(port);
  port.store(bench.kernel_address(kernel_command::shootdown), virtual_destination);
  EXPECT_EQ(bench.commit_shadow(port), result::interrupted);
  bench.name_shadow(port);
  ASSERT_EQ(bench.commit_shadow(port), result::accepted);
  bench.shoot_down(port, virtual_destination, destination);
  bench.name_shadow(port);  // while the change waits for the copy
  ASSERT_TRUE(bench.run_until_flag(1));
  EXPECT_EQ(bench.commit_shadow(port), result::interrupted);
  bench.name_shadow(port);
  EXPECT_EQ(bench.commit_shadow(port), result::accepted);
  EXPECT_TRUE(bench.run_until_flag(2));
}

/// A transfer that is under way holds the change off, however commands that are built fare.
TEST(kernel_calls_test, a_transfer_under_way_is_held_off_where_commands_are_invalidated) {
  kernel_bench bench(invalidating());
  {
    node_processor port(bench.machine(), 0);
    bench.name_shadow(port);
    ASSERT_EQ(bench.commit_shadow(port), result::accepted);
    bench.name_shadow(port);  // half a command, of other pages than the one that changes
    port.store(bench.kernel_address(kernel_command::changed_page), bench.address(1, other_page));
  }
  asking_kernel kernel(bench);
  kernel.change(0x7300'0000);
  bench.machine().run_until(bench.machine().now() + 300);
  EXPECT_FALSE(kernel.answered) << "the copy is under way";
  const auto is_answered = [&] { return kernel.answered.has_value(); };
  bench.machine().run_until(bench.machine().now() + 100'000, is_answered);
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(bench.flag(), 1U);
  node_processor port(bench.machine(), 0);
  EXPECT_EQ(bench.commit_shadow(port), result::accepted) << "of the half command";
  EXPECT_TRUE(bench.run_until_flag(2));
}

/// A sequence that is forgotten, or begun anew, leaves no address in the lists.
TEST(kernel_calls_test, a_command_that_is_cut_off_leaves_the_lists) {
  kernel_bench bench(invalidating());
  node_processor port(bench.machine(), 0);
  const auto listed = [&] {
    std::uint64_t count = 0;
    bench.machine().run_until(bench.machine().now() + 1000);
    for (std::uint64_t i = 0; i < pages_in_use::places; ++i) {
      if (bench.kernel().in_use().has(bench.memory(0), i)) ++count;
    }
    return count;
  };
  bench.name_shadow(port);
  EXPECT_EQ(listed(), 3U);
  port.store(bench.mapping().commands, page);
  EXPECT_EQ(listed(), 0U);
  bench.name_shadow(port);
  port.store(bench.mapping().commands + command::context_switch, 0);
  EXPECT_EQ(listed(), 0U);
  bench.name_shadow(port);
  EXPECT_EQ(bench.commit_shadow(port), result::accepted);
  EXPECT_EQ(listed(), 0U);
  ASSERT_TRUE(bench.run_until_flag(1));
}

/// Three additions of 8 cycles, three tests of 1, three removals of 8.
TEST(kernel_calls_test, what_the_lists_cost_a_command) {
  const auto cycles = [](const kernel_calls_config& config) {
    kernel_bench bench(config);
    node_processor port(bench.machine(), 0);
    bench.name_shadow(port);
    EXPECT_EQ(bench.commit_shadow(port), result::accepted);
    EXPECT_TRUE(bench.run_until_flag(1));
    return testing::handler_total(bench.machine(), "block_transfer.log_address", "sum") +
           testing::handler_total(bench.machine(), "block_transfer.setup", "sum");
  };
  EXPECT_EQ(cycles(invalidating()) - cycles({}), 3U * (8 + 1 + 8));
}

// --- queues of calls -----------------------------------------------------------------------------

TEST(kernel_calls_test, calls_are_read_again_until_they_are_acknowledged) {
  kernel_calls_config config;
  config.ospc.depth = 2;
  kernel_bench bench(config);
  node_processor port(bench.machine(), 0);
  const auto call = [&](std::uint64_t place) {
    return port.load(bench.kernel_address(kernel_command::call(ospc_priority::low, place)));
  };
  const auto serve = [&] {
    port.store(bench.kernel_address(kernel_command::served(ospc_priority::low)), 0);
  };
  EXPECT_EQ(call(0), 0U) << "there is none";
  serve();
  EXPECT_EQ(bench.ask(port), result::no_translation);
  EXPECT_EQ(bench.ask(port), result::no_translation);
  EXPECT_EQ(bench.kernel().calls().waiting(bench.memory(0), ospc_priority::low), 1U)
      << "the same call waits once";
  EXPECT_EQ(call(0), kernel_command::missing_translation);
  EXPECT_EQ(call(1), virtual_source);
  EXPECT_EQ(call(1), virtual_source);
  EXPECT_EQ(port.load(bench.kernel_address(kernel_command::call(ospc_priority::high, 0))), 0U);
  serve();
  EXPECT_EQ(call(0), 0U);
  // Further calls than the queue holds are forgotten, and told again.
  const std::uint64_t commands = bench.mapping().commands;
  for (const std::uint64_t each : {page, 2 * page, 3 * page}) {
    port.store(commands, 0);
    port.store(commands + 8, each);
    EXPECT_EQ(bench.commit_virtual(port), result::no_translation);
  }
  EXPECT_EQ(bench.kernel().calls().waiting(bench.memory(0), ospc_priority::low), 2U);
  EXPECT_EQ(call(1), page);
  serve();
  EXPECT_EQ(call(1), 2 * page);
}

/// What interrupts the processor of node 0.
class interrupt_list final : public interrupt_client {
 public:
  explicit interrupt_list(processor_interface& port) : port_(port) {
    port_.set_interrupt_client(this);
  }
  ~interrupt_list() { port_.set_interrupt_client(nullptr); }
  std::vector<std::uint32_t> lines;
  std::vector<cycle_t> cycles;

 private:
  void interrupted(std::uint32_t line, cycle_t when) override {
    lines.push_back(line);
    cycles.push_back(when);
  }
  processor_interface& port_;
};

TEST(kernel_calls_test, each_queue_interrupts_once_until_it_is_empty) {
  ospc_queues queues{ospc_config{}};
  std::function<void(handler_context&)> next;
  testing::script bodies;
  cycle_t posted = 0;
  bodies.read = [&](handler_context& context) {
    posted = context.now();
    next(context);
    context.answer(0);
  };
  testing::scripted_machine nodes(bodies);
  magic_node& node = nodes.machine.node(0);
  interrupt_list raised(node.processor());
  queues.place(node.protocols().storage(0).address, line_size());
  const auto run = [&](const std::function<void(handler_context&)>& what) {
    next = what;
    nodes.read();
    EXPECT_EQ(nodes.run(nodes.machine.now() + 500), "");
  };
  const auto post = [&](ospc_priority priority, word_t type) {
    run([&, priority, type](handler_context& context) {
      EXPECT_TRUE(queues.post(context, priority, {type, {10 * type, 0, 0}}));
    });
  };
  post(ospc_priority::low, 7);
  ASSERT_EQ(raised.lines.size(), 1U);
  const magic_node_config& config = nodes.machine.config().node;
  EXPECT_EQ(raised.cycles[0], posted + config.out.latency + config.processor_interface.interrupt);
  post(ospc_priority::low, 8);
  post(ospc_priority::high, 9);
  EXPECT_EQ(raised.lines, (std::vector<std::uint32_t>{1, 0})) << "the second of a queue is silent";
  run([&](handler_context& context) {
    EXPECT_EQ(queues.word(context, ospc_priority::high, 0), 9U);
    EXPECT_EQ(queues.word(context, ospc_priority::low, 1), 70U);
    queues.acknowledge(context, ospc_priority::low);
    EXPECT_EQ(queues.word(context, ospc_priority::low, 1), 80U);
    queues.acknowledge(context, ospc_priority::low);
    EXPECT_EQ(queues.word(context, ospc_priority::low, 0), 0U);
  });
  post(ospc_priority::low, 7);
  EXPECT_EQ(raised.lines, (std::vector<std::uint32_t>{1, 0, 1}));
}

}  // namespace
}  // namespace tributary
