// SPDX-License-Identifier: Apache-2.0
// Shared memory by Stache: whatever processors of several nodes do to words, one order of each
// word's writes explains it, one node writes or many read, and everybody gets on.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <smp/smp_simulation.h>
#include <tributary/nic/access_tags.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/busy_words.h"
#include "support/failure.h"
#include "support/random_choice.h"
#include "support/sizes.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

constexpr cycle_t patience = 20'000'000;

/// What is tried: some words of few blocks, by many processors.
struct trial : testing::busy_words {
  smp_config config;
};

/// With caches that hold a few lines.
void put_on_bus(smp_config& config, random_stream& random) {
  smp_node_config& node = config.machine.node;
  node.level = node_level::bus;
  node.caches.levels[0].bytes = one_of<std::uint64_t>(random, {64, 256, 4096});
  node.interface.depth = one_of(random, {1U, 16U});
  node.caches.accesses = one_of(random, {1U, 16U});
  node.caches.outstanding = one_of(random, {1U, 4U});
  node.caches.prefetches_wait = random.below(2) == 0;
  config.machine.network.router_buffers = one_of(random, {1U, 1024U});
  node.bus.outstanding = one_of(random, {1U, 8U});
  node.bus.uncached = one_of(random, {1U, 4U});
  node.bus.write_backs = one_of(random, {1U, 2U});
  for (std::uint64_t* const cost :
       {&config.costs.bus.stache.fault, &config.costs.bus.stache.serve,
        &config.costs.bus.stache.reply, &config.costs.bus.stache.invalidate}) {
    *cost = one_of<std::uint64_t>(random, {0, 20, 140});
  }
}

trial random_trial(std::uint64_t seed, node_level level) {
  random_stream random(seed, 0, purpose::placement);
  trial made;
  smp_config& config = made.config;
  config.protocol = request_protocol::stache;
  config.machine.nodes = between(random, 2, 4);
  config.machine.network.base_latency = one_of(random, {2U, 30U, 99U});
  config.machine.network.header_bytes = one_of(random, {1U, 16U, 4096U});
  config.machine.network.bandwidth = one_of(random, {800U, 100000U});
  smp_node_config& node = config.machine.node;
  node.schedule = one_of(random, {schedule_kind::fixed, schedule_kind::floating});
  node.processors = between(random, node.schedule == schedule_kind::fixed ? 2 : 1, 4);
  node.costs.variation.percent = one_of(random, {0U, 50U});
  node.costs.interrupt = one_of<std::uint64_t>(random, {2, 200, 2000});
  node.readings.drains = random.below(2) == 0;
  node.readings.leaves_full_queue = random.below(2) == 0;
  node.memory.line_bytes = one_of(random, {32U, 128U});
  node.memory.bytes = std::uint64_t{1} << 20;
  node.protocol_bytes = std::uint64_t{640} << 10;
  config.stache.page_bytes = one_of<std::uint64_t>(random, {512, 4096});
  config.stache.frames = 16;
  for (std::uint64_t* const cost :
       {&config.costs.stache.fault, &config.costs.stache.serve, &config.costs.stache.reply,
        &config.costs.stache.invalidate, &config.costs.stache.recall}) {
    *cost = one_of<std::uint64_t>(random, {0, 20, 140});
  }
  const std::uint64_t blocks = between(random, 1, 3);
  for (std::uint64_t i = 0; i < blocks * 2; ++i) {
    const node_id home{static_cast<std::uint32_t>(random.below(config.machine.nodes))};
    const std::uint64_t offset = (i / 2) * node.memory.line_bytes + random.below(4) * word_bytes;
    made.words.push_back(node.addresses.address_of(home, 0, offset));
  }
  made.pause = one_of<std::uint64_t>(random, {5, 200, 3000});
  if (level == node_level::bus) put_on_bus(config, random);
  return made;
}

/// What nodes may do with blocks, and what is in them.
class tag_watch {
 public:
  tag_watch(const smp_config& config, const smp_nodes& machine) : machine_(machine) {
    for (std::size_t i = 0; i < machine.size(); ++i) {
      const smp_node& node = machine.node(i);
      tags_.emplace_back(*node.protocols().checked(), config.machine.node.addresses, node.here(),
                         memory_of(i));
    }
  }

  /// "" unless somebody writes beside others, or two that read find different words.
  std::string fault(std::uint64_t address) const {
    std::uint32_t writers = 0;
    std::optional<word_t> found;
    std::uint32_t readers = 0;
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      writers += tags_[i].look_up(address, true).allowed ? 1 : 0;
      const access_tags::result read = tags_[i].look_up(address, false);
      if (!read.allowed) continue;
      ++readers;
      if (is_moving(i, read.offset)) continue;  // nobody has it, but the bus
      const word_t word = machine_.node(i).word_at(read.offset);
      if (found && *found != word) return "two nodes read different words";
      found = word;
    }
    if (writers > 0 && readers > 1) return "a node may write and another one read";
    return {};
  }

  /// What any node that may read finds there.
  std::optional<word_t> newest(std::uint64_t address) const {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const access_tags::result read = tags_[i].look_up(address, false);
      if (read.allowed) return machine_.node(i).word_at(read.offset);
    }
    return std::nullopt;
  }

 private:
  bool is_moving(std::size_t i, std::uint64_t offset) const {
    const node_bus* const on = machine_.node(i).on_bus();
    return on != nullptr && (on->bus().under_way(on->bus().config().line().start(offset)) ||
                             memory_of(i).writes_pending() != 0);
  }
  const memory_controller& memory_of(std::size_t i) const { return machine_.node(i).memory(); }

  const smp_nodes& machine_;
  std::vector<access_tags> tags_;
};

/// "" unless requests were begun more or less often than they ended.
std::string miscount(const smp_simulation& machine) {
  const statistics_tree counts = machine.statistics();
  for (std::size_t i = 0; i < machine.machine().size(); ++i) {
    const std::string node = "node." + std::to_string(i);
    const double begun = counts.find(node + ".processors.requests");
    const double ended = counts.find(node + ".role.round_trip.count");
    if (begun != ended) {
      return node + " has begun " + std::to_string(begun) + " requests and ended " +
             std::to_string(ended);
    }
  }
  return {};
}

/// "" or what is wrong.
std::string run_trial(std::uint64_t seed, node_level level) {
  const trial what = random_trial(seed, level);
  auto own = std::make_unique<testing::busy_program>(what);
  testing::busy_program& program = *own;
  smp_simulation machine(what.config, seed, std::move(own));
  const tag_watch tags(what.config, machine.machine());
  while (!machine.finished()) {
    const cycle_t before = machine.now();
    machine.run_until(before + 50);
    for (const std::uint64_t word : what.words) {
      const std::string fault = tags.fault(word);
      if (!fault.empty()) return fault + " in cycle " + std::to_string(machine.now());
    }
    if (machine.now() > patience) return "somebody does not get on";
  }
  for (const std::uint64_t word : what.words) {
    const std::optional<word_t> newest = tags.newest(word);
    if (!newest) return "nobody has a block";
    const std::string fault = program.seen()[word].fault(*newest, true);
    if (!fault.empty()) return fault + " of " + std::to_string(word);
  }
  return miscount(machine);
}

/// Whatever programs do when they are stopped, what they have begun ends.
std::string stop_trial(std::uint64_t seed, node_level level) {
  const trial what = random_trial(seed, level);
  smp_simulation machine(what.config, seed, std::make_unique<testing::busy_program>(what));
  machine.run_until(random_stream(seed, 1, purpose::placement).below(40 * what.pause + 4000));
  machine.drain({});
  return machine.machine().idle() ? miscount(machine) : "a node is not idle";
}

constexpr auto constants = node_level::constants;
constexpr auto on_bus = node_level::bus;

void run_trials(std::uint64_t first, std::uint64_t count, node_level level = constants) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    EXPECT_EQ(run_trial(seed, level), "") << "seed " << seed;
  }
}

TEST(stache_coherence, words_of_few_blocks_go_forward_for_everybody) {
  run_trials(1, testing::halved(300));
}

TEST(stache_coherence, words_of_few_blocks_go_forward_on_a_bus) {
  run_trials(1, testing::halved(300), on_bus);
}

TEST(stache_coherence, a_machine_that_is_stopped_comes_to_rest) {
  const std::uint64_t count = testing::halved(300);
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    EXPECT_EQ(stop_trial(seed, constants), "") << "seed " << seed;
    EXPECT_EQ(stop_trial(seed, on_bus), "") << "seed " << seed << " on a bus";
  }
}

// 10^5 machines at each level, in shards.
constexpr std::uint64_t shards = 40;

class stache_coherence_long : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void run_shard(node_level level) {
    const std::uint64_t seeds = testing::scaled(100'000 / shards);
    run_trials(1000 + GetParam() * seeds, testing::sanitized ? 4 : seeds, level);
  }
};

TEST_P(stache_coherence_long, words_of_few_blocks_go_forward_for_everybody) {
  run_shard(constants);
}

TEST_P(stache_coherence_long, words_of_few_blocks_go_forward_on_a_bus) { run_shard(on_bus); }

INSTANTIATE_TEST_SUITE_P(shards, stache_coherence_long, ::testing::Range(std::uint64_t{0}, shards));

// --- what random accesses do not show -----------------------------------------------------------

/// Two nodes with two processors that compute, and one that only runs the protocol.
smp_config two_nodes() {
  smp_config config;
  config.protocol = request_protocol::stache;
  config.machine.node.processors = 3;
  return config;
}

/// Messages that node 0 sends if both of its processors read a block of node 1.
double requests_of_two_readers(std::uint64_t second_reads_in) {
  const smp_config config = two_nodes();
  const std::uint64_t word = config.machine.node.addresses.address_of(node_id{1}, 0, 0);
  smp_simulation machine(config, 1, make_program([=](program_context& context) {
                           if (index(context.node()) != 0) return;
                           if (context.rank() == 1) context.delay(second_reads_in);
                           context.load(word);
                         }));
  machine.run_until(patience);
  EXPECT_TRUE(machine.finished());
  return machine.statistics().find("node.0.network_interface.sent");
}

/// An unloaded fault takes 900 cycles, of which the handler that takes the block ends in 755.
TEST(stache_coherence, a_node_asks_once_for_a_block_that_its_processors_read) {
  EXPECT_EQ(requests_of_two_readers(100), 1) << "on its way when the second one faults";
  EXPECT_EQ(requests_of_two_readers(700), 1) << "there when the second fault is handled";
  EXPECT_EQ(requests_of_two_readers(2000), 1) << "there when the second one reads";
}

TEST(stache_coherence, a_page_more_than_there_are_frames_ends_the_run) {
  for (const std::uint64_t pages : {2U, 3U}) {
    smp_config config = two_nodes();
    config.stache.frames = 2;
    smp_simulation machine(config, 1, make_program([=](program_context& context) {
                             if (context.rank() != 0) return;
                             for (std::uint64_t page = 0; page < pages; ++page) {
                               context.load(config.machine.node.addresses.address_of(
                                   node_id{1}, 0, page * config.stache.page_bytes));
                             }
                           }));
    const std::string said =
        testing::failure<simulation_error>([&] { machine.run_until(patience); });
    if (pages == 2) {
      EXPECT_EQ(said, "");
    } else {
      EXPECT_TRUE(testing::names(said, {"all 2 frames", "stache.frames"}));
    }
  }
}

}  // namespace
}  // namespace tributary
