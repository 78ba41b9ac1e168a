// SPDX-License-Identifier: Apache-2.0
// Programs on coherent nodes explained by serial orders: what processors load, store and do by
// load-linked pairs.
//
// In both consistencies one order of each word gives what was found there. When sequential it
// agrees with the clock, so that one order of all words does. When relaxed a load may be late by
// the clock, and one order of all words agrees with the fences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/fetch_add_queue.h>
#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/algorithms/self_scheduled_loop.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/algorithms/ticket_lock.h>
#include <tributary/sim/random_stream.h>

#include "support/algorithm_runs.h"
#include "support/random_choice.h"
#include "support/recorded_nodes.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::between;
using testing::cache_sizes;
using testing::coherent_config;
using testing::coherent_nodes;
using testing::find_violation;
using testing::one_of;
using testing::recorded_nodes;

constexpr cycle_t at_most = 20'000'000;
constexpr memory_place place{1, 8, 8};

using body = std::function<void(program_context&)>;

/// Words that no algorithm has.
std::uint64_t word(const program_context& context, std::uint64_t number) {
  return context.shared_address(65536 + number);
}

/// Each holder adds to one word, and posts to another what it found there.
template <class Lock>
void take_turns(program_context& context) {
  Lock lock(context, place);
  for (int i = 0; i < 2; ++i) {
    context.delay(context.random(200) * context.size());
    lock.acquire();
    const word_t before = context.load(word(context, 0));
    context.post(operation::store, word(context, 1), before);
    context.store(word(context, 0), before + 1);
    lock.release();
  }
}

/// The same, but every other turn of a holder only reads.
void read_and_write(program_context& context, readers_writers_algorithm which) {
  const std::unique_ptr<readers_writers_lock> lock =
      make_readers_writers_lock(which, context, place);
  for (std::uint32_t i = 0; i < 2; ++i) {
    context.delay(context.random(200) * context.size());
    if ((context.rank() + i) % 2 == 0) {
      lock->acquire_write();
      const word_t before = context.load(word(context, 0));
      context.post(operation::store, word(context, 1), before);
      context.store(word(context, 0), before + 1);
      lock->release_write();
    } else {
      lock->acquire_read();
      for (std::uint64_t each = 0; each < 2; ++each) context.load(word(context, each));
      lock->release_read();
    }
  }
}

void cross(program_context& context, barrier_algorithm which) {
  const std::unique_ptr<barrier> all = make_barrier(which, context, place);
  for (std::uint64_t step = 0; step < 3; ++step) {
    context.delay(context.random(300));
    context.store(word(context, context.rank()), step);
    context.fence();
    all->cross();
    context.load(word(context, (context.rank() + 1) % context.size()));
  }
}

void hand_on(program_context& context) {
  fetch_add_queue queue(context, place, 16);
  const word_t item = context.rank() + 1;
  context.post(operation::store, word(context, item), item);
  context.delay(context.random(500) * context.size());
  queue.enqueue(item);
  context.delay(context.random(500) * context.size());
  if (const std::optional<word_t> got = queue.dequeue()) context.load(word(context, *got));
}

void share_a_loop(program_context& context) {
  self_scheduled_loop loop(context, place);
  loop.run(context.size() + 5, 2, [&](std::uint64_t i) {
    context.delay(context.random(300));
    context.post(operation::store, word(context, i), 1);
  });
  context.load(word(context, context.random(context.size())));
}

struct named_body {
  const char* name;
  body run;
  std::uint32_t most_nodes = testing::many_nodes().back();
};

/// Of programs that poll for many seconds on more nodes.
constexpr std::uint32_t most_that_poll = 16;

const std::vector<named_body>& algorithms() {
  static const std::vector<named_body> all = [] {
    std::vector<named_body> made{{"test_and_set_lock", take_turns<test_and_set_lock>},
                                 {"ticket_lock", take_turns<ticket_lock>},
                                 {"mcs_queue_lock", take_turns<mcs_queue_lock>},
                                 {"ll_sc_lock", take_turns<ll_sc_lock>, most_that_poll},
                                 {"fetch_add_queue", hand_on},
                                 {"self_scheduled_loop", share_a_loop}};
    for (const auto& [name, which] : barrier_algorithms()) {
      const barrier_algorithm kind = which;
      made.push_back({"barrier", [kind](program_context& context) { cross(context, kind); }});
    }
    for (const auto& [name, which] : readers_writers_algorithms()) {
      const readers_writers_algorithm kind = which;
      made.push_back({"readers-writers lock",
                      [kind](program_context& context) { read_and_write(context, kind); },
                      most_that_poll});
    }
    return made;
  }();
  return all;
}

/// The nodes of a machine of FLASH, with the costs and the place for a directory of all tests.
coherent_config nodes_of(const flash_config& machine) {
  coherent_config config(machine.machine.nodes);
  const std::uint64_t protocol_bytes = config.machine.node.protocol_bytes;
  config.machine = machine.machine;
  config.machine.node.protocol_bytes = protocol_bytes;
  config.coherence = machine.coherence;
  return config;
}

coherent_config nodes_of(std::uint32_t nodes, consistency_kind consistency) {
  return nodes_of(coherent_nodes(nodes, consistency, cache_sizes::small));
}

class programs_on_coherent_nodes : public ::testing::TestWithParam<consistency_kind> {};

TEST_P(programs_on_coherent_nodes, algorithms_are_serial) {
  std::size_t judged = 0;
  for (const named_body& each : algorithms()) {
    for (const std::uint32_t nodes : {2U, 8U, each.most_nodes}) {
      if (testing::sanitized && nodes > 8) continue;
      const flash_config config = coherent_nodes(nodes, GetParam(), cache_sizes::small);
      recorded_nodes run(nodes_of(config), config.processor, make_program(each.run), nodes);
      const testing::history& seen = run.run(at_most);
      ASSERT_EQ(find_violation(seen), "") << each.name << " on " << nodes << " nodes";
      judged += seen.requests.size();
    }
  }
  RecordProperty("references", std::to_string(judged));
  EXPECT_GT(judged, testing::scaled(20000));
}

/// References of all kinds to a few words, some of which share lines.
body random_references(std::uint64_t seed, std::uint64_t words) {
  return [=](program_context& context) {
    random_stream draws(seed, context.rank(), 1U);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t number = draws.below(words);
      const std::uint64_t address = context.shared_address(
          mm_id{static_cast<std::uint32_t>(number % context.size())}, 16 + number);
      const auto what = static_cast<operation>(draws.below(operation_count));
      switch (draws.below(8)) {
        case 0:
          context.fence();
          break;
        case 1:
          context.post(operation::store, address, draws.below(4), 0);
          break;
        case 2: {
          const word_t found = context.load_linked(address);
          if (draws.below(2) == 0) context.delay(draws.below(300));
          context.store_conditional(address, found + 1);
          break;
        }
        case 3:
        case 4:
          context.load(address);
          break;
        default:
          context.perform(what, address, draws.below(4), draws.below(4));
          break;
      }
      context.delay(draws.below(one_of(draws, {2U, 300U})));
    }
  };
}

coherent_config random_nodes(std::uint64_t seed, consistency_kind consistency) {
  random_stream random(seed, 2U, 0U);
  coherent_config config = nodes_of(1U << between(random, 1, 4), consistency);
  config.machine.network.hop_latency = one_of(random, {1U, 20U, 200U});
  config.machine.node.caches.levels.outstanding = between(random, 1, 4);
  config.machine.node.caches.levels.accesses = between(random, 1, 8);
  config.machine.node.caches.levels.retry_cycles = between(random, 1, 100);
  config.coherence.elements = 16;
  return config;
}

TEST_P(programs_on_coherent_nodes, random_references_are_serial) {
  std::size_t judged = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(40); ++seed) {
    processing_element_config processor;
    processor.start_window = 50;
    processor.turnaround = seed % 2 == 0 ? 1 : 10;
    recorded_nodes run(random_nodes(seed, GetParam()), processor,
                       make_program(random_references(seed, 1 + seed % 8)), seed);
    const testing::history& seen = run.run(at_most);
    ASSERT_EQ(find_violation(seen), "") << "seed " << seed;
    judged += seen.requests.size();
  }
  RecordProperty("references", std::to_string(judged));
  EXPECT_GT(judged, testing::scaled(50000));
}

void delay_until(program_context& context, cycle_t when) {
  const cycle_t now = context.now();
  if (now < when) context.delay(when - now);
}

/// All load two words, and then each of two processors stores to one of them and loads the other.
/// These two loaded theirs early and so lose their lines late, because a home sends the first
/// invalidations to the nodes that it noted last.
body stores_and_loads(bool fenced) {
  return [fenced](program_context& context) {
    const std::uint32_t rank = context.rank();
    for (std::uint64_t round = 0; round < 20; ++round) {
      const cycle_t begin = 1000 + 10000 * round;
      const std::uint64_t words[2] = {context.shared_address(mm_id{2}, 16 + 32 * round),
                                      context.shared_address(mm_id{3}, 16 + 32 * round)};
      delay_until(context, begin + (rank == 4 ? 0 : rank < 2 ? 1000 : 2000 + 30 * rank));
      for (const std::uint64_t each : words) context.load(each);
      if (rank >= 2) continue;
      delay_until(context, begin + 6000 + context.random(100));
      context.store(words[rank], 1);
      if (fenced) context.fence();
      context.load(words[1 - rank]);
    }
  };
}

testing::history history_of_stores_and_loads(consistency_kind consistency, bool fenced) {
  coherent_config config = nodes_of(32, consistency);
  config.machine.node.network_interface.out_depth = 4;
  processing_element_config processor;
  processor.start_window = 1;
  processor.turnaround = 1;
  recorded_nodes run(config, processor, make_program(stores_and_loads(fenced)), 1);
  return run.run(at_most);
}

/// As if a fence stood between any two references of a processor.
std::string violation_with_fences(testing::history seen) {
  for (testing::observed_request& each : seen.requests) each.fences = each.id.sequence;
  return find_violation(seen);
}

TEST(coherent_serialisability, a_missing_fence_is_found_in_relaxed_consistency_only) {
  const testing::history fenced = history_of_stores_and_loads(consistency_kind::relaxed, true);
  EXPECT_EQ(find_violation(fenced), "");
  const testing::history relaxed = history_of_stores_and_loads(consistency_kind::relaxed, false);
  EXPECT_EQ(find_violation(relaxed), "");
  const std::string found = violation_with_fences(relaxed);
  EXPECT_NE(found.find("no order of all words agrees with the fences"), std::string::npos) << found;
  const testing::history strict = history_of_stores_and_loads(consistency_kind::sequential, false);
  EXPECT_EQ(find_violation(strict), "");
  EXPECT_EQ(violation_with_fences(strict), "");
}

/// Otherwise the rule of real time could hold for them too.
TEST(coherent_serialisability, loads_are_late_by_the_clock_of_a_relaxed_machine) {
  testing::history seen = history_of_stores_and_loads(consistency_kind::relaxed, false);
  seen.loads_may_be_late = false;
  const std::string found = find_violation(seen);
  EXPECT_NE(found.find("comes after it in the order"), std::string::npos) << found;
}

INSTANTIATE_TEST_SUITE_P(consistencies, programs_on_coherent_nodes,
                         ::testing::Values(consistency_kind::relaxed,
                                           consistency_kind::sequential));

}  // namespace
}  // namespace tributary
