// SPDX-License-Identifier: Apache-2.0
// A FLASH machine whose programs lock, cross barriers, reduce, send active messages and have
// handlers perform operations does the same in the plain loop and as SystemC modules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/algorithms/flash_active_messages.h>
#include <tributary/algorithms/flash_barrier.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/flash_reduction.h>
#include <tributary/processor/program.h>

#include <support/event_text.h>
#include <support/sizes.h>

namespace tributary {
namespace {

constexpr std::uint32_t nodes = 4;
constexpr std::uint64_t counter = 0x2000;

flash_config synchronizing(std::uint64_t seed) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.network.topology = topology_kind::hypercube;
  magic_node_config& node = config.machine.node;
  node.memory.bytes = std::uint64_t{1} << 20;
  node.addresses.space_bits = lock_command::space_bits;
  node.jump_table.candidates = 6;
  node.caches.present = true;
  node.caches.levels.levels = {{2 * node.memory.line_bytes, 1, node.memory.line_bytes, 0}};
  node.timed.period = 200;
  config.barriers.count = 1;
  config.locks.count = 3;
  config.locks.timeout = seed % 2 == 0 ? 0 : 1000;
  node.processes = 1 + seed % 4;
  return config;
}

/// What a machine did.
struct outcome {
  std::string events;
  std::string statistics;
  std::vector<word_t> found;  ///< in the counter, by processes in the order in which they held it
};

void synchronize(program_context& context, const flash_config& config, outcome& seen) {
  const magic_node_config& node = config.machine.node;
  flash_barrier all(context, {node.addresses, node.memory.line(), config.barriers.count, 0},
                    {nodes, 2, 3, false, context.processes()});
  flash_lock lock(context,
                  {node.addresses, node.memory.line(), config.locks.count, nodes, 2, node_id{1}});
  for (int round = 0; round < 3; ++round) {
    all.cross();
    context.delay(context.random(500));
    if (config.locks.timeout != 0 && !lock.try_acquire(context.random(1000))) continue;
    if (!lock.held()) lock.acquire();
    seen.found.push_back(context.load(counter));
    context.store(counter, seen.found.back() + 1);
    lock.release();
  }
}

flash_config communicating(std::uint64_t seed) {
  flash_config config = synchronizing(seed);
  config.barriers.count = 0;
  config.locks.count = 0;
  config.reductions.count = 2;
  config.machine.node.processes = 1;
  config.active_messages.window = 2;
  config.kernel.ospc.depth = 1;
  return config;
}

void communicate(program_context& context, const flash_config& config, outcome& seen) {
  const magic_node_config& node = config.machine.node;
  const std::uint32_t rank = context.rank();
  flash_reduction sum(context, {node.addresses, node.memory.line(), config.reductions.count, 1},
                      {nodes, 2, 3}, reduction_operation::double_sum);
  flash_active_messages messages(
      context, {node.addresses, node.memory.line(), nodes, config.active_messages.words, true});
  int got = 0;
  messages.serve(0, [&got](program_context&, const active_message&) { ++got; });
  for (int round = 1; round <= 3; ++round) {
    context.delay(context.random(500));
    if (sum.reduce_double(0.5 * rank) == 3) seen.found.push_back(seen.found.size());
    for (std::uint32_t to = 0; to < nodes; ++to) messages.send(node_id{to}, 0, {rank});
    messages.call(node_id{0}, usual_functions::add, {0, 1});
    while (got < round * static_cast<int>(nodes)) context.delay(100);
  }
  messages.fence();
  sum.reduce_double(0);
  if (rank == 0 && messages.word(0) == 3 * nodes) seen.found.push_back(seen.found.size());
}

using program_of_case = void (*)(program_context&, const flash_config&, outcome&);

outcome outcome_of(engine_kind engine, std::uint64_t seed, const flash_config& config,
                   program_of_case run) {
  outcome seen;
  flash_machine machine(config, seed,
                        make_program([&](program_context& context) { run(context, config, seen); }),
                        engine);
  const testing::event_text told(machine.observers());
  machine.run_until(100000);
  EXPECT_TRUE(machine.finished());
  seen.events = told.text();
  seen.statistics = machine.statistics().to_json_text();
  return seen;
}

/// Returns what both have found.
std::vector<word_t> expect_equal(std::uint64_t seed, const flash_config& config,
                                 program_of_case run) {
  const outcome loop = outcome_of(engine_kind::loop, seed, config, run);
  const outcome modules = outcome_of(engine_kind::systemc, seed, config, run);
  EXPECT_EQ(loop.found, modules.found);
  EXPECT_TRUE(loop.events == modules.events)
      << testing::first_difference(loop.events, modules.events);
  EXPECT_EQ(loop.statistics, modules.statistics);
  return loop.found;
}

TEST(flash_engine_equality, locks_and_barriers_have_the_same_events) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(8); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<word_t> found = expect_equal(seed, synchronizing(seed), synchronize);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
  }
}

TEST(flash_engine_equality, nodes_that_share_routers_have_the_same_events) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    flash_config config = synchronizing(seed);
    config.machine.network.nodes_per_router = 2;
    const std::vector<word_t> found = expect_equal(seed, config, synchronize);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
  }
}

TEST(flash_engine_equality, reductions_and_active_messages_have_the_same_events) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(expect_equal(seed, communicating(seed), communicate).size(), 3U * nodes + 1)
        << "sums that are right, and the word of the first node";
  }
}

// --- operations ----------------------------------------------------------------------------------

flash_config operating(std::uint64_t seed) {
  flash_config config;
  config.machine.nodes = seed % 2 == 0 ? nodes : 2 * nodes;
  config.machine.network.topology = topology_kind::omega;
  config.machine.network.endpoint_buffers = 1 + static_cast<std::uint32_t>(seed % 3);
  config.machine.network.omega.combining =
      seed % 3 == 0 ? combining_design::none : combining_design::improved;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.machine.node.caches.present = seed % 4 != 1;
  config.fetch_op.method = seed % 4 < 2 ? fetch_op_method::home : fetch_op_method::coherent;
  config.processor.start_window = 50;
  return config;
}

void operate(program_context& context, const flash_config&, outcome& seen) {
  const std::uint64_t word = context.local_address(pe_id{0}, 5);
  for (int i = 0; i < 8; ++i) {
    seen.found.push_back(context.fetch_add(word, 1));
    context.delay(context.random(30));
    context.store(context.local_address(pe_id{0}, 6 + context.rank()), 1);
    if (context.random(4) == 0) context.load(word);
  }
}

TEST(flash_engine_equality, operations_have_the_same_events_combined_or_not) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(12); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<word_t> found = expect_equal(seed, operating(seed), operate);
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
  }
}

}  // namespace
}  // namespace tributary
