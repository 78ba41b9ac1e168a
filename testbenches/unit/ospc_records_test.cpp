// SPDX-License-Identifier: Apache-2.0
// Calls of the operating system that a processor reads as a line of its caches, which is not
// coherent (FLASH 4.1.3).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/magic/coherence_audit.h>

#include <support/cached_kernel.h>
#include <support/failure.h>

namespace tributary {
namespace {

using testing::cached_kernel;
using testing::coherent_transfers;
using command = kernel_command;

constexpr ospc_priority low = cached_kernel::queue;
constexpr std::uint64_t page = cached_kernel::page;
constexpr std::uint64_t source_offset = 4 * page;
constexpr std::uint64_t destination_offset = 8 * page;
constexpr std::uint64_t virtual_source = 0x7000'0000;
constexpr std::uint64_t virtual_destination = 0x7100'0000;
constexpr std::uint64_t virtual_flag = 0x7200'0000;

TEST(ospc_records_test, a_call_is_one_line_until_it_is_acknowledged_and_dropped) {
  cached_kernel kernel;
  const auto fetched = [&] { return kernel.machine.runs("kernel_calls.fetch_line"); };
  kernel.run([&](program_context& context) {
    kernel.drop(context);
    EXPECT_EQ(kernel.record(context, 0), 0U) << "there is none";
    kernel.call_for(context, 3 * page);
    kernel.call_for(context, 5 * page);
    EXPECT_EQ(kernel.record(context, 0), 0U) << "the caches have the line still";
    kernel.drop(context);
    EXPECT_EQ(kernel.record(context, 0), command::missing_translation);
    EXPECT_EQ(kernel.record(context, 1), 3 * page);
    EXPECT_EQ(kernel.record(context, 2), 0U);
    EXPECT_EQ(kernel.record(context, 3), 1U);
    EXPECT_EQ(fetched(), 2U) << "one line for all words";
    kernel.drop(context);
    EXPECT_EQ(kernel.record(context, 1), 3 * page) << "the same call, not acknowledged";
    kernel.acknowledge(context);
    EXPECT_EQ(kernel.record(context, 1), 3 * page) << "the caches have the line still";
    kernel.drop(context);
    EXPECT_EQ(kernel.record(context, 1), 5 * page);
    kernel.acknowledge(context);
    kernel.drop(context);
    EXPECT_EQ(kernel.record(context, 0), 0U);
    EXPECT_EQ(fetched(), 5U);
  });
  EXPECT_EQ(kernel.machine.runs("kernel_calls.read"), 0U) << "no doubleword by itself";
}

/// Nor is the last one left to be read, whose record the next call takes.
TEST(ospc_records_test, a_call_that_was_served_is_read_no_more) {
  kernel_calls_config config;
  config.ospc.depth = 1;
  cached_kernel kernel(config);
  kernel.run([&](program_context& context) {
    kernel.call_for(context, 3 * page);
    kernel.acknowledge(context);
    for (std::uint64_t place = 0; place < 4; ++place) {
      EXPECT_EQ(kernel.record(context, place), 0U) << place;
    }
  });
}

/// Both kinds of access, in the same words.
TEST(ospc_records_test, an_uncached_load_reads_the_same_call) {
  cached_kernel kernel;
  kernel.run([&](program_context& context) {
    kernel.call_for(context, 3 * page);
    for (std::uint64_t place = 0; place < 16; ++place) {
      EXPECT_EQ(kernel.uncached(context, place), kernel.record(context, place)) << place;
    }
  });
}

TEST(ospc_records_test, nobody_looks_for_a_record_in_a_directory) {
  cached_kernel kernel;
  const std::uint64_t line = kernel.kernel_address(command::record(low, 0));
  const cache& caches = *kernel.nodes().node(0).caches();
  kernel.run([&](program_context& context) {
    kernel.call_for(context, 3 * page);
    EXPECT_EQ(kernel.record(context, 0), command::missing_translation);
    EXPECT_EQ(caches.state_of(line), line_state::shared);
    EXPECT_NO_THROW(coherence_audit(kernel.nodes()).check_rest());
    // Lines of its set take its place, and no hint goes to a home.
    const cache_level_config& last = kernel.nodes().config().node.caches.levels.last();
    const std::uint64_t apart = last.bytes / last.ways;
    for (std::uint64_t i = 0; i < last.ways; ++i) {
      context.load(kernel.machine.address(1, command::record(low, 0) % apart + i * apart));
    }
    EXPECT_EQ(caches.state_of(line), line_state::invalid);
    EXPECT_EQ(kernel.record(context, 1), 3 * page) << "it comes again";
    EXPECT_EQ(kernel.machine.runs("coherence.processor_replaced"), 0U);
    EXPECT_EQ(kernel.machine.runs("kernel_calls.fetch_line"), 2U);
  });
}

/// The whole way, as without caches (kernel_calls_test).
TEST(ospc_records_test, an_interrupts_handler_reads_lines) {
  cached_kernel kernel;
  for (std::uint64_t at = 0; at < page; at += word_bytes) {
    kernel.nodes().node(0).memory().write(source_offset + at, at + 1);
  }
  const coherent_transfers& machine = kernel.machine;
  const std::uint64_t flag = machine.address(0, 2 * page);
  fbcopy_outcome outcome;
  std::vector<std::uint64_t> served;
  const auto serve = [&](program_context& context) {
    for (;;) {
      kernel.drop(context);
      if (kernel.record(context, 0) != command::missing_translation) return;
      const std::uint64_t wanted = kernel.record(context, 1);
      served.push_back(wanted);
      const std::uint64_t physical = wanted == virtual_source ? machine.address(0, source_offset)
                                     : wanted == virtual_destination
                                         ? machine.address(1, destination_offset)
                                         : flag;
      context.store(kernel.kernel_address(command::translation), wanted);
      context.store(kernel.kernel_address(command::translation) + word_bytes, physical);
      kernel.acknowledge(context);
    }
  };
  kernel.run([&](program_context& context) {
    context.interrupts(1, serve);
    program_port port(context);
    outcome =
        fbcopy(port, kernel.mapping(), virtual_source, virtual_destination, page, virtual_flag);
    fbcopy_wait(port, flag, 1);
  });
  EXPECT_EQ(outcome.result, block_transfer_result::accepted);
  EXPECT_EQ(served,
            (std::vector<std::uint64_t>{virtual_source, virtual_destination, virtual_flag}));
  EXPECT_EQ(kernel.machine.newest_words(1, destination_offset, page),
            kernel.machine.newest_words(0, source_offset, page));
  EXPECT_EQ(kernel.machine.runs("kernel_calls.fetch_line"), 6U) << "three, and three ends";
}

TEST(ospc_records_test, what_the_page_does_not_serve) {
  const auto problem = [](const cached_kernel::body& what) {
    cached_kernel kernel;
    return testing::failure<simulation_error>([&] { kernel.run(what); });
  };
  cached_kernel where;
  const std::uint64_t record = where.kernel_address(command::record(low, 0));
  const std::string store = problem([&](program_context& context) { context.store(record, 1); });
  EXPECT_NE(store.find("coherent"), std::string::npos) << store;
  const std::string load = problem(
      [&](program_context& context) { context.load(where.kernel_address(command::drop(low))); });
  EXPECT_NE(load.find("stores"), std::string::npos) << load;
}

}  // namespace
}  // namespace tributary
