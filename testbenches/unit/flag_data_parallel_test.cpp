// SPDX-License-Identifier: Apache-2.0
// The run-time on shared addresses: random programs on every architecture, against what the
// primitives mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/algorithms/flag_data_parallel.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/primitive_scripts.h>
#include <support/shared_memory_machine.h>
#include <support/sizes.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::cast_words;
using testing::data_words;
using testing::failure;
using testing::meant;
using testing::names;
using testing::outcome;
using testing::primitive;
using testing::run_primitive;
using testing::script;
using testing::script_writer;
using testing::shared_memory;
using testing::shared_memory_choice;
using testing::shared_memory_machine;

/// An architecture by its name.
struct architecture {
  const char* name = "";
  shared_memory kind = shared_memory::remote;
  bool asynchronous = false;
  bool updates = false;
};
constexpr architecture architectures[]{{"remote memory", shared_memory::remote},
                                       {"ring", shared_memory::ring},
                                       {"ring, aw", shared_memory::ring, true},
                                       {"ring, wu", shared_memory::ring, false, true},
                                       {"ring, aw and wu", shared_memory::ring, true, true},
                                       {"homes", shared_memory::home},
                                       {"homes, aw", shared_memory::home, true}};

shared_memory_choice choice_of(const architecture& each, std::uint32_t nodes,
                               const flag_data_parallel_options& options,
                               std::uint64_t data_bytes = (data_words + cast_words) * word_bytes) {
  shared_memory_choice made;
  made.kind = each.kind;
  made.nodes = nodes;
  made.caches.asynchronous_writes = each.asynchronous;
  if (each.updates) {
    const std::uint64_t local = made.remote.memory_bytes / 2;
    made.caches.update_from =
        local + flag_data_parallel::tree_words(data_bytes, options) * word_bytes;
    made.caches.update_to = local + flag_data_parallel::words(data_bytes, options) * word_bytes;
  }
  return made;
}

void check_script(const architecture& on, std::uint64_t seed, std::size_t phases) {
  random_stream draws(seed, 3U, 5U);
  const auto nodes = static_cast<std::uint32_t>(4 + draws.below(5));
  flag_data_parallel_options options;
  options.arity = static_cast<std::uint32_t>(2 + draws.below(3));
  options.slots = static_cast<std::uint32_t>(1 + draws.below(4));
  options.slot_bytes = 16;
  options.combining = draws.below(2) == 0 ? combining_way::lock : combining_way::operation;
  options.reads_locks = on.kind != shared_memory::remote;
  const script what = script_writer(seed, nodes).write(phases);
  outcome found(nodes);
  shared_memory_machine b(
      choice_of(on, nodes, options),
      [&](program_context& context) {
        flag_data_parallel all(context, (data_words + cast_words) * word_bytes, options);
        for (const auto& phase : what) {
          for (const primitive& each : phase) {
            run_primitive(each, all, found.seen[context.rank()]);
          }
          context.delay(context.random(200));
          all.barrier();
        }
      },
      seed);
  ASSERT_TRUE(b.programs.run()) << on.name << ", seed " << seed;
  EXPECT_EQ(b.audit(), "") << on.name << ", seed " << seed;
  const outcome expected = meant(what, nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t i = 0; i < data_words + cast_words; ++i) {
      EXPECT_EQ(b.programs.local(node, i), expected.data[node][i])
          << on.name << ", seed " << seed << ", word " << i << " of node " << node;
    }
  }
  EXPECT_EQ(found.seen, expected.seen) << on.name << ", seed " << seed;
}

TEST(flag_data_parallel, random_programs_do_what_their_primitives_mean) {
  for (const architecture& each : architectures) {
    for (std::uint64_t seed = 1; seed <= testing::scaled(32); ++seed) {
      check_script(each, seed, 10);
    }
  }
}

/// Klaiber 5.5.2: that of doubles depends on the order, which is the tree's.
TEST(flag_data_parallel, doubles_are_summed_in_the_order_of_the_tree) {
  const auto double_of_rank = [](std::uint32_t rank) { return rank == 0 ? 1e16 : 1.0 + rank; };
  const auto as_word = [](double value) {
    return combined(combining_operation::sum_double, 0, [&] {
      word_t word = 0;
      static_assert(sizeof word == sizeof value);
      std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                  reinterpret_cast<char*>(&word));
      return word;
    }());
  };
  std::vector<word_t> sums;
  shared_memory_choice choice;
  choice.nodes = 6;
  shared_memory_machine b(choice, [&](program_context& context) {
    flag_data_parallel all(context, 64);
    sums.push_back(
        all.reduce(as_word(double_of_rank(context.rank())), combining_operation::sum_double, 8));
  });
  ASSERT_TRUE(b.programs.run());
  const double one = (2.0 + 4.0) + 5.0;  // node 1 and its children 3 and 4
  const double two = 3.0 + 6.0;
  EXPECT_EQ(sums, std::vector<word_t>(6, as_word((1e16 + one) + two)));
}

/// Of what it says in the specification's 3.3: on the ring with updates one message a line and one
/// a flag; by invalidation four each, of which one has the line.
TEST(flag_data_parallel, a_hop_is_a_message_a_line_and_a_flag_with_updates_and_four_without) {
  constexpr std::uint32_t nodes = 8;
  constexpr std::uint32_t bytes = 1024;
  const auto count = [&](const architecture& on, std::uint64_t times) {
    const flag_data_parallel_options options;
    shared_memory_machine b(choice_of(on, nodes, options, 4096), [&](program_context& context) {
      flag_data_parallel all(context, 4096, options);
      for (std::uint64_t i = 0; i < times; ++i) {
        all.broadcast(node_id{0}, 0, bytes);
        all.barrier();
      }
    });
    EXPECT_TRUE(b.programs.run());
    return b.programs.sent;
  };
  const auto more = [&](const architecture& on) {
    auto few = count(on, 2);
    auto many = count(on, 4);
    for (const auto& [what, times] : few) many[what] -= times;
    for (auto at = many.begin(); at != many.end();) at = at->second == 0 ? many.erase(at) : ++at;
    return many;
  };
  using sent = std::map<std::string, std::uint64_t>;
  const std::uint64_t lines = 2 * 7 * bytes / 32;
  const std::uint64_t flags = 2 * (7 + 14);
  EXPECT_EQ(more({"", shared_memory::ring, false, true}),
            (sent{{"update for broadcast", lines}, {"update for barrier", flags}}));
  for (const shared_memory kind : {shared_memory::ring, shared_memory::home}) {
    for (const bool asynchronous : {false, true}) {
      EXPECT_EQ(more({"", kind, asynchronous}), (sent{{"invalidate for broadcast", lines},
                                                      {"invalidated for broadcast", lines},
                                                      {"fetch_line for broadcast", lines},
                                                      {"line for broadcast", lines},
                                                      {"invalidate for barrier", flags},
                                                      {"invalidated for barrier", flags},
                                                      {"fetch_line for barrier", flags},
                                                      {"line for barrier", flags}}));
    }
  }
}

/// V43: no time changes a count, of programs without locks.
TEST(flag_data_parallel, no_latency_changes_a_count) {
  for (const architecture& each : architectures) {
    const auto count = [&](std::uint32_t latency, std::uint32_t hit, std::uint32_t bandwidth) {
      const flag_data_parallel_options options;
      shared_memory_choice choice = choice_of(each, 6, options, 512);
      choice.network.base_latency = latency;
      choice.network.bandwidth = bandwidth;
      choice.caches.hit = hit;
      choice.remote.memory.latency = hit;
      shared_memory_machine b(choice, [&](program_context& context) {
        flag_data_parallel all(context, 512, options);
        const std::uint32_t rank = context.rank();
        for (std::uint64_t i = 0; i < 3; ++i) {
          all.write(8 * rank, i);
          all.barrier();
          all.get({node_id{(rank + 1) % 6}, 8 * ((rank + 1) % 6)}, 128, 8);
          all.send({node_id{(rank + 2) % 6}, 256}, 8 * rank, 8);
          all.broadcast(node_id{static_cast<std::uint32_t>(2 * i)}, 320, 64);
          all.reduce(rank, combining_operation::sum, 4);
        }
      });
      EXPECT_TRUE(b.programs.run()) << each.name;
      return b.programs.sent;
    };
    const auto usual = count(20, 1, 400);
    EXPECT_EQ(count(300, 1, 400), usual) << each.name;
    EXPECT_EQ(count(2, 20, 400), usual) << each.name;
    EXPECT_EQ(count(20, 1, 20), usual) << each.name;
  }
}

TEST(flag_data_parallel, what_it_cannot_do_is_refused) {
  flag_data_parallel_options options;
  options.slot_bytes = 20;
  EXPECT_TRUE(names(failure<configuration_error>([&] { options.validate(); }),
                    {"slot_bytes", "20", "multiple of 8"}));
  options = {};
  options.slots = 0;
  EXPECT_TRUE(names(failure<configuration_error>([&] { options.validate(); }), {"slots", "0"}));
  const auto refusal = [](auto&& act) {
    std::string told;
    shared_memory_machine b({}, [&](program_context& context) {
      flag_data_parallel all(context, 64);
      if (context.rank() == 0) told = failure<simulation_error>([&] { act(all); });
    });
    EXPECT_TRUE(b.programs.run());
    return told;
  };
  EXPECT_TRUE(names(refusal([](auto& all) { all.read(64); }), {"node 0", "0x40", "below 0x40"}));
  EXPECT_TRUE(names(refusal([](auto& all) { all.get({node_id{1}, 0}, 8, 12); }), {"12 bytes"}));
  EXPECT_TRUE(names(refusal([](auto& all) { all.write(12, 0); }), {"multiples of 8"}));
}

}  // namespace
}  // namespace tributary
