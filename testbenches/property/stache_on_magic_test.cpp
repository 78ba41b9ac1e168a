// SPDX-License-Identifier: Apache-2.0
// The same of nodes with MAGIC: the protocol object of SMP nodes keeps the rules of FLASH 2.3.6,
// however little room there is for messages.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
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

constexpr cycle_t patience = 5'000'000;

struct trial : testing::busy_words {
  flash_config config;
};

flash_config sharing_nodes(std::uint32_t nodes) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.machine.node.protocol_bytes = std::uint64_t{640} << 10;
  config.stache.present = true;
  config.stache.frames = 16;
  return config;
}

trial random_trial(std::uint64_t seed) {
  random_stream random(seed, 0, purpose::placement);
  trial made;
  made.config = sharing_nodes(between(random, 2, 8));
  magic_machine_config& machine = made.config.machine;
  machine.network.base_latency = one_of(random, {2U, 30U, 99U});
  machine.network.header_bytes = one_of(random, {8U, 16U, 4096U});
  machine.network.router_buffers = one_of(random, {1U, 64U});
  magic_node_config& node = machine.node;
  node.processes = between(random, 1, 3);
  node.memory.line_bytes = one_of(random, {32U, 128U});
  node.memory_cycles = one_of<std::uint64_t>(random, {1, 7});
  node.processor_interface.queue = one_of(random, {1U, 8U});
  node.network_interface.out_depth = one_of(random, {3U, 4U, 16U});
  node.buffers.buffers = one_of(random, {4U, 6U, 16U});
  node.buffers.reply_reserve = 1;
  node.buffers.arrival_reserve = 1;
  node.protocol_processor.speed = one_of(random, {1U, 2U});
  stache_config& stache = made.config.stache;
  stache.page_bytes = one_of<std::uint64_t>(random, {512, 4096});
  stache_costs& costs = made.config.stache.costs;
  for (std::uint64_t* const cost : {&costs.fault, &costs.serve, &costs.reply, &costs.invalidate,
                                    &costs.recall, &costs.returned, &costs.later}) {
    *cost = one_of<std::uint64_t>(random, {0, 20, 140});
  }
  const std::uint64_t blocks = between(random, 1, 3);
  for (std::uint64_t i = 0; i < blocks * 2; ++i) {
    const node_id home{static_cast<std::uint32_t>(random.below(machine.nodes))};
    const std::uint64_t offset = (i / 2) * node.memory.line_bytes + random.below(4) * word_bytes;
    made.words.push_back(node.addresses.address_of(home, 0, offset));
  }
  made.pause = one_of<std::uint64_t>(random, {5, 200, 3000});
  return made;
}

/// What nodes may do with blocks, and what is in them.
class tag_watch {
 public:
  explicit tag_watch(flash_machine& machine) : nodes_(machine.nodes()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const magic_node& node = nodes_.node(i);
      tags_.emplace_back(*node.protocols().checked(), node.config().addresses, node.here(),
                         node.memory());
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
      const word_t word = nodes_.node(i).memory().read(read.offset);
      if (found && *found != word) return "two nodes read different words";
      found = word;
    }
    return writers > 0 && readers > 1 ? "a node may write and another one read" : "";
  }

  /// What any node that may read finds there.
  std::optional<word_t> newest(std::uint64_t address) const {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const access_tags::result read = tags_[i].look_up(address, false);
      if (read.allowed) return nodes_.node(i).memory().read(read.offset);
    }
    return std::nullopt;
  }

 private:
  const magic_nodes& nodes_;
  std::vector<access_tags> tags_;
};

/// Invocations of a handler on all nodes.
std::uint64_t invocations(const flash_machine& machine, const char* name) {
  const magic_nodes& nodes = machine.nodes();
  const handler_id handler = nodes.node(0).protocols().find(name);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += nodes.node(i).processing().occupancy(handler).count();
  }
  return sum;
}

/// "" or what is wrong. `put_off` grows by the messages that waited for room.
std::string run_trial(std::uint64_t seed, std::uint64_t& put_off) {
  const trial what = random_trial(seed);
  auto own = std::make_unique<testing::busy_program>(what);
  testing::busy_program& program = *own;
  flash_config config = what.config;
  config.workload.choice.program.run.processes = config.machine.node.processes;
  flash_machine machine(config, seed, std::move(own));
  const tag_watch tags(machine);
  while (!machine.finished()) {
    machine.run_until(machine.now() + 50);
    for (const std::uint64_t word : what.words) {
      const std::string fault = tags.fault(word);
      if (!fault.empty()) return fault + " in cycle " + std::to_string(machine.now());
    }
    if (machine.now() > patience) return "somebody does not get on";
  }
  put_off += invocations(machine, "stache.send_later");
  for (const std::uint64_t word : what.words) {
    const std::optional<word_t> newest = tags.newest(word);
    if (!newest) return "nobody has a block";
    const std::string fault = program.seen()[word].fault(*newest, true);
    if (!fault.empty()) return fault + " of " + std::to_string(word);
  }
  return {};
}

void run_trials(std::uint64_t first, std::uint64_t count) {
  std::uint64_t put_off = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    EXPECT_EQ(run_trial(seed, put_off), "") << "seed " << seed;
  }
  if (testing::sanitized) return;
  EXPECT_GT(put_off, count) << "hardly a message had to wait for room";
}

TEST(stache_on_magic, words_of_few_blocks_go_forward_for_everybody) {
  run_trials(1, testing::halved(300));
}

constexpr std::uint64_t shards = 8;

class stache_on_magic_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(stache_on_magic_long, words_of_few_blocks_go_forward_for_everybody) {
  const std::uint64_t seeds = testing::scaled(20'000 / shards);
  run_trials(1000 + GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, stache_on_magic_long, ::testing::Range(std::uint64_t{0}, shards));

TEST(stache_on_magic, a_machine_that_is_stopped_comes_to_rest) {
  for (std::uint64_t seed = 1; seed <= testing::halved(40); ++seed) {
    const trial what = random_trial(seed);
    flash_machine machine(what.config, seed, std::make_unique<testing::busy_program>(what));
    machine.run_until(random_stream(seed, 1, purpose::placement).below(40 * what.pause + 4000));
    machine.drain({});
    EXPECT_TRUE(machine.nodes().idle()) << "seed " << seed;
  }
}

/// Nodes at which a message waits for room.
std::size_t nodes_that_wait(const flash_machine& machine) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < machine.nodes().size(); ++i) {
    if (machine.nodes().node(i).deferred().size() != 0) ++found;
  }
  return found;
}

TEST(stache_on_magic, a_machine_that_was_saved_goes_on_as_the_other) {
  std::size_t waiting = 0;
  for (std::uint64_t seed = 1; seed <= testing::halved(40); ++seed) {
    const trial what = random_trial(seed);
    flash_machine one(what.config, seed, std::make_unique<testing::busy_program>(what));
    // To a message that waits, if there is one early enough.
    do {
      one.run_until(one.now() + 150);
    } while (nodes_that_wait(one) == 0 && one.now() < 3000);
    waiting += nodes_that_wait(one);
    flash_machine other(what.config, seed, std::make_unique<testing::busy_program>(what));
    other.restore(one.save());
    one.run_until(patience);
    other.run_until(patience);
    EXPECT_EQ(one.statistics().to_json_text(), other.statistics().to_json_text()) << seed;
  }
  EXPECT_GT(waiting, 0U) << "no message waited for room in any machine that was saved";
}

/// Cycles of one access of node 0 to a block that node 1 is the home of.
double fault_latency(const flash_config& config) {
  const std::uint64_t word = config.machine.node.addresses.address_of(node_id{1}, 0, 0);
  flash_machine machine(config, 1, make_program([=](program_context& context) {
                          if (context.rank() == 0) context.load(word);
                        }));
  machine.run_until(patience);
  return machine.statistics().find("node.0.tag_interface.fault_latency.mean");
}

TEST(stache_on_magic, the_costs_of_three_handlers_are_in_an_unloaded_fault) {
  flash_config config = sharing_nodes(2);
  const double before = fault_latency(config);
  config.stache.costs.fault += 7;
  config.stache.costs.serve += 11;
  EXPECT_EQ(fault_latency(config), before + 7 + 11);
  // The handler that takes the block runs while its last words come.
  config.stache.costs.reply += 100;
  const double with_reply = fault_latency(config) - (before + 7 + 11);
  EXPECT_LE(with_reply, 100);
  EXPECT_GT(with_reply, 80);
}

TEST(stache_on_magic, an_access_beyond_shared_memory_ends_the_run) {
  const flash_config config = sharing_nodes(2);
  const std::uint64_t beyond = config.machine.node.addresses.address_of(
      node_id{0}, 0, config.machine.node.protocol_storage());
  flash_machine machine(config, 1,
                        make_program([=](program_context& context) { context.load(beyond); }));
  const std::string said = testing::failure<simulation_error>([&] { machine.run_until(patience); });
  EXPECT_TRUE(
      testing::names(said, {"tag interface of node 0", "beyond the memory that nodes share"}))
      << said;
}

TEST(stache_on_magic, refuses_by_key_what_could_not_work) {
  struct refused {
    std::function<void(flash_config&)> change;
    std::vector<std::string> parts;
  };
  const std::vector<refused> all{
      {[](flash_config& c) { c.machine.node.caches.present = true; },
       {"node.processor_caches.present", "stache.present", "false"}},
      {[](flash_config& c) { c.workload.choice.kind = workload_kind::own; },
       {"workload.kind", "transfers", "stache.present"}},
      {[](flash_config& c) { c.stache.frames = 4096; },
       {"node.protocol_bytes", "Stache keeps", "stache.frames = 4096"}},
      {[](flash_config& c) { c.stache.page_bytes = 1000; }, {"stache.page_bytes", "power of two"}},
      {[](flash_config& c) { c.machine.nodes = 33; }, {"nodes", "33", "2 to 32"}}};
  for (const refused& each : all) {
    flash_config config = sharing_nodes(2);
    config.workload.choice.kind = workload_kind::program;
    each.change(config);
    const std::string said = testing::failure<configuration_error>([&] { config.validate(); });
    for (const std::string& part : each.parts) EXPECT_TRUE(testing::contains(said, part)) << said;
  }
}

}  // namespace
}  // namespace tributary
