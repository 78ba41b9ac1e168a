// SPDX-License-Identifier: Apache-2.0
// Nodes at level B: requests are accesses of caches and words of the network interface.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/smp_programs.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::failure;
using testing::names;
using testing::null_requests;
using testing::remote;
using testing::small_machine;
using testing::smp_programs;

constexpr std::uint64_t line = 128;
constexpr std::uint32_t blocks = 16;

smp_machine_config on_bus(schedule_kind schedule, std::uint32_t processors) {
  smp_machine_config config = small_machine(schedule, processors);
  config.node.level = node_level::bus;
  config.node.caches.levels[0].bytes = 4096;
  config.node.costs.submit = config.node.costs.resume = 64;
  config.node.costs.acquire = 20;
  config.node.costs.activation = 50;
  config.node.costs.migration = 0;
  return config;
}

protocol_maker fetching(std::uint32_t processors) {
  return [=](node_id) {
    return testing::list_of(std::make_unique<fetch_block_protocol>(
        request_costs{138, 138, 138}, testing::request_space, processors, blocks));
  };
}

protocol_maker asking() {
  return [](node_id) {
    return testing::list_of(
        std::make_unique<null_request_protocol>(request_costs{15, 15, 15}, testing::request_space));
  };
}

/// Cycles of each of some requests of the first processor of node 0.
std::vector<cycle_t> round_trips(const smp_machine_config& config, const protocol_maker& protocols,
                                 std::uint64_t reply_bytes) {
  std::vector<cycle_t> took;
  smp_programs machine(config, protocols, [&](program_context& context) {
    if (context.rank() != 0) return;
    for (std::uint64_t i = 0; i < 4; ++i) {
      context.delay(1000);
      const cycle_t since = context.now();
      context.load(remote(1, i * line));
      for (std::uint64_t at = 0; at < reply_bytes; at += 32) {
        context.load(testing::address_of(0, 0, blocks * line + at));
      }
      took.push_back(context.now() - since);
    }
  });
  EXPECT_TRUE(machine.run());
  return took;
}

/// W1 at level B, with the costs that platforms/smp has for it. The first request finds no flag in
/// any cache.
TEST(node_bus, round_trips_are_those_of_the_paper_once_caches_are_warm) {
  const std::vector<cycle_t> null = round_trips(on_bus(schedule_kind::fixed, 2), asking(), 0);
  EXPECT_GT(null[0], 600U);
  EXPECT_EQ(null[1], 600U);
  EXPECT_EQ(null[2], 600U);
  const std::vector<cycle_t> fetch =
      round_trips(on_bus(schedule_kind::fixed, 2), fetching(2), line);
  EXPECT_NEAR(static_cast<double>(fetch[1]), 1600, 80);
  EXPECT_NEAR(static_cast<double>(fetch[2]), 1600, 80);
}

double transactions(smp_programs& machine, std::uint32_t node) {
  double sum = 0;
  for (std::size_t i = 0; i < bus_transaction_count; ++i) {
    sum += machine.statistics().find("node." + std::to_string(node) + ".bus.transactions." +
                                     name_of(static_cast<bus_transaction>(i)));
  }
  return sum;
}

/// By hand, of each null request once caches are warm. Node 0: the entry and the count of requests
/// go to the protocol processor and back, 4; the request is 2 uncached words; the count of arrivals
/// goes to the interface and back, 2; the reply is 2 words; the answer goes to the requester and
/// back, 2. Node 1: the count of arrivals, 2, and 2 words in and out.
TEST(node_bus, a_request_has_the_transactions_that_it_needs) {
  const auto counted = [](int requests, std::uint32_t node) {
    smp_programs machine(on_bus(schedule_kind::fixed, 2), asking(), [&](program_context& context) {
      for (int i = 0; i < (context.rank() == 0 ? requests : 0); ++i) context.load(remote(1));
    });
    EXPECT_TRUE(machine.run());
    return transactions(machine, node);
  };
  EXPECT_EQ(counted(12, 0) - counted(2, 0), 10 * 12);
  EXPECT_EQ(counted(12, 1) - counted(2, 1), 10 * 6);
}

/// W33
TEST(node_bus, who_polls_for_messages_has_the_count_in_the_cache) {
  const auto counted = [](int polls) {
    std::uint64_t flag = 0;
    smp_programs machine(on_bus(schedule_kind::fixed, 2), asking(), [&](program_context& context) {
      for (int i = 0; i < polls; ++i) {
        context.load(testing::address_of(index(context.node()), 0, flag));
      }
    });
    flag = machine.machine.node(0).on_bus()->flags().arrivals();
    EXPECT_TRUE(machine.run());
    return transactions(machine, 0);
  };
  EXPECT_EQ(counted(0), 0);
  EXPECT_EQ(counted(1), 1);
  EXPECT_EQ(counted(500), 1);
}

/// The owner of the block is a processor of the other node that has just written it.
TEST(node_bus, a_node_that_waits_leaves_the_bus_alone) {
  const auto counted = [](std::uint64_t cycles) {
    smp_programs machine(on_bus(schedule_kind::fixed, 2), asking(), [&](program_context& context) {
      if (context.rank() != 0) return;
      context.load(remote(1));
      context.delay(cycles);
      context.load(remote(1));
    });
    EXPECT_TRUE(machine.run());
    return transactions(machine, 0) + transactions(machine, 1);
  };
  EXPECT_EQ(counted(100'000), counted(1000));
}

TEST(node_bus, what_is_fetched_is_what_a_cache_of_the_other_node_has) {
  for (const schedule_kind schedule : {schedule_kind::fixed, schedule_kind::floating}) {
    std::vector<word_t> found;
    smp_programs machine(on_bus(schedule, 3), fetching(3), [&](program_context& context) {
      if (context.rank() == context.processes()) {
        for (std::uint64_t i = 0; i < line / 8; ++i) {
          context.store(testing::address_of(1, 0, 5 * line + 8 * i), 100 + i);
        }
      }
      if (context.rank() != 1) return;
      context.delay(5000);
      found.push_back(context.load(remote(1, 5 * line + 16)));
      // It is the node's second processor.
      for (std::uint64_t i = 0; i < line / 8; ++i) {
        found.push_back(context.load(testing::address_of(0, 0, (blocks + 1) * line + 8 * i)));
      }
    });
    EXPECT_TRUE(machine.run());
    std::vector<word_t> expected{102};
    for (word_t i = 0; i < line / 8; ++i) expected.push_back(100 + i);
    EXPECT_EQ(found, expected) << name_of(schedule);
    EXPECT_EQ(machine.machine.node(1).memory().read(5 * line), 0U) << "it is in the cache only";
  }
}

/// Whoever waits for the role has looked at its lock: nobody else does.
TEST(node_bus, those_that_wait_read_the_lock_when_it_is_written) {
  const auto reads = [](std::uint32_t processors) {
    smp_programs machine(on_bus(schedule_kind::floating, processors), asking(),
                         [&](program_context& context) {
                           if (context.node() == node_id{1}) return;
                           for (int i = 0; i < 20; ++i) context.load(remote(1));
                         });
    EXPECT_TRUE(machine.run());
    return machine.statistics().find("node.0.bus.transactions.read");
  };
  EXPECT_GT(reads(4) - reads(2), 2 * 20 * 2.0 * 4 / 2) << "and flags";
}

TEST(node_bus, a_send_queue_that_is_full_holds_the_handler_up) {
  const auto time_with = [](std::uint32_t depth) {
    smp_machine_config config = on_bus(schedule_kind::fixed, 5);
    config.node.interface.depth = depth;
    config.network.header_bytes = 16;
    config.network.bandwidth = 10;  // 160 cycles a message
    smp_programs machine(config, asking(), [&](program_context& context) {
      if (context.node() == node_id{0}) context.load(remote(1));
    });
    EXPECT_TRUE(machine.run());
    return machine.statistics().find("node.0.bus_interface.full");
  };
  EXPECT_GT(time_with(1), 0);
  EXPECT_EQ(time_with(16), 0);
}

TEST(node_bus, stored_words_of_programs_are_in_caches_and_come_back) {
  smp_machine_config config = on_bus(schedule_kind::fixed, 3);
  config.node.caches.levels[0].bytes = 64;
  word_t sum = 0;
  smp_programs machine(config, asking(), [&](program_context& context) {
    if (context.rank() != 0) return;
    for (std::uint64_t i = 0; i < 64; ++i) context.store(testing::address_of(0, 0, 8 * i), i);
    for (std::uint64_t i = 0; i < 64; ++i) sum += context.load(testing::address_of(0, 0, 8 * i));
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(sum, 63U * 64 / 2);
}

TEST(node_bus, goes_on_from_where_it_was_saved) {
  const auto make = [] {
    return std::make_unique<smp_programs>(
        on_bus(schedule_kind::floating, 3), fetching(3), [](program_context& context) {
          for (std::uint64_t i = 0; i < 4; ++i) {
            context.delay(context.random(300));
            context.load(remote(1 - index(context.node()), i * line));
          }
        });
  };
  const auto whole = make();
  EXPECT_TRUE(whole->run());
  for (cycle_t when = 13; when < whole->machine.now(); when += 487) {
    const auto first = make();
    first->run(when);
    const auto second = make();
    second->restore(first->save());
    EXPECT_TRUE(second->run());
    EXPECT_EQ(second->statistics().to_json_text(), whole->statistics().to_json_text()) << when;
  }
}

// --- what cannot be ------------------------------------------------------------------------------

std::string refusal(const smp_machine_config& config) {
  return failure<configuration_error>(
      [&] { smp_programs made(config, asking(), [](program_context&) {}); });
}

TEST(node_bus, machines_that_cannot_work_are_refused_by_their_keys) {
  smp_machine_config other_lines = on_bus(schedule_kind::fixed, 2);
  other_lines.node.bus.line_bytes = 64;
  EXPECT_TRUE(names(refusal(other_lines), {"node.caches.levels", "bus.line_bytes = 64"}));

  smp_machine_config small_blocks = on_bus(schedule_kind::fixed, 2);
  small_blocks.node.bus.line_bytes = small_blocks.node.caches.levels[0].line_bytes = 64;
  small_blocks.node.memory.line_bytes = 32;
  EXPECT_TRUE(names(refusal(small_blocks), {"node.memory.line_bytes", "bus.line_bytes = 64"}));

  smp_machine_config many = on_bus(schedule_kind::fixed, 63);
  EXPECT_TRUE(names(refusal(many), {"node.processors", "63", "62"}));

  smp_machine_config no_room = on_bus(schedule_kind::fixed, 16);
  no_room.node.protocol_bytes = 1024;
  EXPECT_TRUE(names(refusal(no_room), {"node.protocol_bytes", "1024"}));
}

}  // namespace
}  // namespace tributary
