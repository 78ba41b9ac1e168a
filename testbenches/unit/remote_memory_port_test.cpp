// SPDX-License-Identifier: Apache-2.0
// Remote memory: what messages accesses are, what order they keep, and the run-time on it.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/flag_data_parallel.h>
#include <tributary/nic/remote_memory_port.h>
#include <tributary/sim/error.h>

#include <support/attached_programs.h>
#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::attached_programs;
using testing::failure;
using testing::names;

struct remote_machine {
  explicit remote_machine(std::uint32_t nodes, const attached_programs::body& run,
                          const remote_memory_config& config = {},
                          const message_network_config& network = testing::two_lanes())
      : programs(
            network, nodes, config.memory_bytes, messages,
            [&, config](const attachment_place& place) {
              return std::make_unique<remote_memory_port>(config, address_layout(), place,
                                                          messages);
            },
            run) {}

  remote_message_pool messages;
  attached_programs programs;
};

std::uint64_t word_of(program_context& context, std::uint32_t node, std::uint64_t word) {
  return context.local_address(pe_id{node}, word);
}

TEST(remote_memory_port, a_load_is_a_request_and_a_word_a_store_is_a_word_and_its_acknowledgement) {
  std::vector<word_t> seen;
  remote_machine b(2, [&](program_context& context) {
    if (context.rank() == 1) return;
    context.set_purpose(static_cast<std::uint8_t>(communication_purpose::send));
    context.store(word_of(context, 1, 3), 7);
    context.store_bytes(word_of(context, 1, 3), 0xaaaabbbbcccc0009, 0x0f);
    context.set_purpose(static_cast<std::uint8_t>(communication_purpose::get));
    seen.push_back(context.load(word_of(context, 1, 3)));
  });
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(seen, std::vector<word_t>{0xcccc0009});
  EXPECT_EQ(b.programs.of("write for send"), 2U);
  EXPECT_EQ(b.programs.bytes_of("write for send"), 12U);
  EXPECT_EQ(b.programs.of("acknowledgement for send"), 2U);
  EXPECT_EQ(b.programs.bytes_of("acknowledgement for send"), 0U);
  EXPECT_EQ(b.programs.of("read for get"), 1U);
  EXPECT_EQ(b.programs.bytes_of("read for get"), 0U);
  EXPECT_EQ(b.programs.of("write for get"), 1U);
  EXPECT_EQ(b.programs.bytes_of("write for get"), 8U);
  EXPECT_EQ(b.programs.local(1, 3), 0xcccc0009U);
}

TEST(remote_memory_port, posted_stores_go_on_and_a_fence_waits_for_their_acknowledgements) {
  cycle_t posted = 0;
  cycle_t fenced = 0;
  remote_machine b(2, [&](program_context& context) {
    if (context.rank() == 1) return;
    for (std::uint64_t i = 0; i < 4; ++i) {
      context.post(operation::store, word_of(context, 1, i), i + 1);
    }
    posted = context.now();
    context.fence();
    fenced = context.now();
  });
  ASSERT_TRUE(b.programs.run());
  // There and back, each at least the base latency of the network.
  EXPECT_LT(posted, 10U);
  EXPECT_GE(fenced, posted + 40);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(b.programs.local(1, i), i + 1);
}

TEST(remote_memory_port, functions_are_performed_at_the_word_one_after_the_other) {
  constexpr std::uint32_t nodes = 5;
  constexpr word_t rounds = 20;
  remote_machine b(nodes, [&](program_context& context) {
    for (word_t i = 0; i < rounds; ++i) context.fetch_add(word_of(context, 2, 0), 1);
  });
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(b.programs.local(2, 0), nodes * rounds);
  EXPECT_EQ(b.programs.of("read for computing"), (nodes - 1) * rounds);
  EXPECT_EQ(b.programs.bytes_of("read for computing"), 8 * (nodes - 1) * rounds);
}

/// Reads and writes of everybody to everybody with one place of each kind: where service is slow,
/// and where answers wait for the network.
TEST(remote_memory_port, everything_drains_with_the_least_buffers) {
  for (const std::uint32_t service : {1U, 60U}) {
    remote_memory_config config;
    config.outstanding = 8;
    config.replies = 1;
    config.service = service;
    message_network_config network = testing::two_lanes();
    network.router_buffers = 1;
    network.endpoint_buffers = 1;
    constexpr std::uint32_t nodes = 4;
    std::vector<word_t> sums(nodes);
    remote_machine b(
        nodes,
        [&](program_context& context) {
          std::vector<pending> open;
          for (std::uint64_t i = 0; i < 64; ++i) {
            const auto to = static_cast<std::uint32_t>(context.rank() + 1 + i % 3) % nodes;
            context.post(operation::fetch_add, word_of(context, to, 1), 1);
            open.push_back(context.issue(operation::load, word_of(context, to, 2)));
          }
          for (const pending& each : open) sums[context.rank()] += context.wait(each);
          context.fence();
        },
        config, network);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      b.programs.machine.node(i).attachment().poke(b.programs.half + 16, 5);
    }
    ASSERT_TRUE(b.programs.run());
    for (std::uint32_t i = 0; i < nodes; ++i) {
      EXPECT_EQ(sums[i], 64U * 5);
      EXPECT_EQ(b.programs.local(i, 1), 64U) << i;
    }
  }
}

/// Answers are longer than requests, so that they wait for the link, and requests for them.
TEST(remote_memory_port, requests_go_on_when_an_answer_has_left) {
  remote_memory_config config;
  config.replies = 1;
  config.service = 1;
  message_network_config network = testing::two_lanes();
  network.header_bytes = 1;
  remote_machine b(
      4,
      [](program_context& context) {
        std::vector<pending> open;
        for (std::uint64_t i = 0; i < 16 && context.rank() != 0; ++i) {
          open.push_back(context.issue(operation::load, word_of(context, 0, i)));
        }
        for (const pending& each : open) context.wait(each);
      },
      config, network);
  EXPECT_TRUE(b.programs.run());
}

/// Words that are on their way would be overtaken by a barrier that goes another way.
TEST(remote_memory_port, a_barrier_waits_until_all_stores_are_done) {
  remote_memory_config config;
  config.service = 60;
  config.outstanding = 64;
  message_network_config network = testing::two_lanes();
  network.topology = topology_kind::point_to_point;
  network.endpoint_buffers = 1;
  std::vector<word_t> seen;
  remote_machine b(
      3,
      [&](program_context& context) {
        flag_data_parallel all(context, 1024);
        for (std::uint64_t i = 0; i < 6; ++i) {
          if (context.rank() == 1) all.write(8 * i, i + 1);
          if (context.rank() == 1) all.send({node_id{2}, 512 + 8 * i}, 8 * i, 8);
        }
        all.barrier();
        for (std::uint64_t i = 0; i < 6 && context.rank() == 2; ++i) {
          seen.push_back(all.read(512 + 8 * i));
        }
      },
      config, network);
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(seen, (std::vector<word_t>{1, 2, 3, 4, 5, 6}));
}

TEST(remote_memory_port, what_is_no_word_of_a_node_is_refused) {
  const auto refusal = [](std::uint64_t address, bool operations = true) {
    remote_memory_config config;
    config.memory_bytes = 4096;
    config.operations = operations;
    remote_message_pool messages;
    attached_programs programs(
        testing::two_lanes(), 2, config.memory_bytes, messages,
        [&](const attachment_place& place) {
          return std::make_unique<remote_memory_port>(config, address_layout(), place, messages);
        },
        [](program_context&) {});
    return failure<simulation_error>([&] {
      access swap = {address, function_of(operation::swap, 1)};
      swap.function = function_of(operation::fetch_add, 1);
      programs.machine.node(0).attachment().port().check(0, swap);
    });
  };
  const address_layout layout;
  EXPECT_EQ(refusal(layout.address_of(node_id{1}, 0, 8)), "");
  EXPECT_TRUE(names(refusal(layout.address_of(node_id{2}, 0, 8)), {"node 0", "node 2", "0 to 1"}));
  EXPECT_TRUE(names(refusal(layout.address_of(node_id{1}, 0, 4096)), {"node 1", "below 0x1000"}));
  EXPECT_TRUE(names(refusal(layout.address_of(node_id{1}, 0, 12)), {"multiples of 8"}));
  EXPECT_TRUE(names(refusal(layout.address_of(node_id{1}, 0, 8), false), {"operations"}));
  remote_memory_config odd;
  odd.memory_bytes = 100;
  EXPECT_TRUE(names(failure<configuration_error>([&] {
                      remote_machine(
                          2, [](program_context&) {}, odd);
                    }),
                    {"memory_bytes", "100"}));
}

/// Between any two cycles, with messages and accesses under way.
TEST(remote_memory_port, a_restored_machine_goes_on_as_the_saved_one) {
  const auto run = [](program_context& context) {
    flag_data_parallel all(context, 256);
    for (word_t i = 0; i < 4; ++i) {
      all.write(8, all.reduce(context.rank() + i, combining_operation::sum, 8));
      all.send({node_id{(context.rank() + 1) % 3}, 16 + 8 * i}, 8, 8);
      all.barrier();
    }
  };
  remote_machine whole(3, run);
  ASSERT_TRUE(whole.programs.run());
  remote_machine first(3, run);
  first.programs.machine.run_until(whole.programs.machine.now() / 2);
  remote_machine second(3, run);
  second.programs.restore(first.programs.save());
  EXPECT_EQ(first.programs.save(), second.programs.save());
  ASSERT_TRUE(second.programs.run());
  EXPECT_EQ(second.programs.machine.now(), whole.programs.machine.now());
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint64_t word = 1; word < 6; ++word) {
      EXPECT_EQ(second.programs.local(i, word), whole.programs.local(i, word));
    }
  }
}

// --- the run-time --------------------------------------------------------------------------------

/// V4: 2p - 2 remote accesses.
TEST(remote_memory_port, a_barrier_is_2p_minus_2_remote_accesses) {
  for (const std::uint32_t nodes : {4U, 8U, 16U, 64U}) {
    for (const std::uint32_t arity : {2U, 8U}) {
      flag_data_parallel_options options;
      options.arity = arity;
      remote_machine b(nodes, [&](program_context& context) {
        flag_data_parallel(context, 64, options).barrier();
      });
      ASSERT_TRUE(b.programs.run());
      EXPECT_EQ(b.programs.of("write for barrier"), 2 * nodes - 2) << nodes << ", " << arity;
      EXPECT_EQ(b.programs.of("acknowledgement for barrier"), 2 * nodes - 2);
      EXPECT_EQ(b.programs.sent.size(), 2U) << "nothing else";
    }
  }
}

/// V5 of remote memory, and the tree's hops: data as words, one flag behind them.
TEST(remote_memory_port, a_hop_of_a_broadcast_is_its_words_and_a_flag) {
  constexpr std::uint32_t nodes = 8;
  const auto messages = [&](std::uint32_t owner, std::uint32_t bytes) {
    auto b = std::make_unique<remote_machine>(nodes, [=](program_context& context) {
      flag_data_parallel all(context, 2048);
      for (std::uint64_t i = 0; 8 * i < bytes; ++i) all.write(8 * i, context.rank() * 100 + i);
      all.broadcast(node_id{owner}, 0, bytes);
    });
    EXPECT_TRUE(b->programs.run());
    return b;
  };
  const auto of_root = messages(0, 1024);
  EXPECT_EQ(of_root->programs.of("write for broadcast"), 7 * 128U);
  EXPECT_EQ(of_root->programs.of("write for barrier"), 7U);
  const auto of_other = messages(5, 4);
  EXPECT_EQ(of_other->programs.of("write for broadcast"), 8U);
  EXPECT_EQ(of_other->programs.bytes_of("write for broadcast"), 8 * 4U);
  EXPECT_EQ(of_other->programs.of("write for barrier"), 8U);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    EXPECT_EQ(of_root->programs.local(i, 127), 127U) << i;
    EXPECT_EQ(of_other->programs.local(i, 0), 500U) << i;
  }
}

/// V40: a hand-off by a flag needs the order of messages of one node to another. Where they may
/// overtake each other, the flag comes before its data in some runs; with a fence before it in
/// none.
TEST(remote_memory_port, a_flag_may_overtake_its_data_where_messages_overtake_each_other) {
  const auto wrong = [](std::uint32_t window, bool fenced) {
    flag_data_parallel_options options;
    options.fenced_flags = fenced;
    message_network_config network = testing::two_lanes();
    network.reorder_window = window;
    std::uint64_t stale = 0;
    remote_machine b(
        4,
        [&](program_context& context) {
          flag_data_parallel all(context, 1024, options);
          for (word_t i = 1; i <= 20; ++i) {
            if (context.rank() == 0) all.write(0, i);
            all.broadcast(node_id{0}, 0, 8);
            if (all.read(0) != i) ++stale;
            all.barrier();
          }
        },
        {}, network);
    EXPECT_TRUE(b.programs.run());
    return stale;
  };
  EXPECT_EQ(wrong(0, false), 0U);
  EXPECT_GT(wrong(8, false), 0U);
  EXPECT_EQ(wrong(8, true), 0U);
}

TEST(remote_memory_port, a_reduction_is_a_barrier_with_a_datum_before_each_flag) {
  std::vector<word_t> results;
  remote_machine b(8, [&](program_context& context) {
    flag_data_parallel all(context, 64);
    results.push_back(all.reduce(context.rank() + 1, combining_operation::sum, 4));
  });
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(results, std::vector<word_t>(8, 36));
  EXPECT_EQ(b.programs.of("write for reduce"), 14U);
  EXPECT_EQ(b.programs.bytes_of("write for reduce"), 14 * 4U);
  EXPECT_EQ(b.programs.of("write for barrier"), 14U);
}

TEST(remote_memory_port, broadcasts_without_a_barrier_take_one_when_the_slots_are_full) {
  flag_data_parallel_options options;
  options.slots = 3;
  options.slot_bytes = 16;
  remote_machine b(4, [&](program_context& context) {
    flag_data_parallel all(context, 1024, options);
    for (std::uint64_t i = 0; i < 8; ++i) {
      if (context.rank() == 0) {
        all.write(32 * i, i + 1);
        all.write(32 * i + 24, i + 11);
      }
      all.broadcast(node_id{0}, 32 * i, 32);  // two pieces
    }
  });
  ASSERT_TRUE(b.programs.run());
  EXPECT_EQ(b.programs.of("write for broadcast"), 8 * 4 * 3U);
  EXPECT_EQ(b.programs.of("write for barrier"), 8 * 2 * 3U + 5 * 6U) << "16 pieces, 5 barriers";
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(b.programs.local(3, 4 * i), i + 1);
    EXPECT_EQ(b.programs.local(3, 4 * i + 3), i + 11);
  }
}

}  // namespace
}  // namespace tributary
