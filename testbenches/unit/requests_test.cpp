// SPDX-License-Identifier: Apache-2.0
// Null requests and fetched blocks: the same protocols on SMP nodes and on MAGIC.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/smp_programs.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::remote;
using body = std::function<void(program_context&)>;

constexpr std::uint64_t blocks = 24;
constexpr std::uint32_t tags = 8;  // accesses that MAGIC has under way

/// The words of the blocks of all nodes, drawn.
template <class Machine>
void fill_memories(Machine& machine) {
  for (std::size_t node = 0; node < machine.size(); ++node) {
    random_stream draws(77, static_cast<std::uint32_t>(node), 5U);
    for (std::uint64_t at = 0; at < blocks * 128; at += 8) {
      machine.node(node).memory().write(at, draws.next_u64());
    }
  }
}

/// What a machine of two nodes with fetches has in the end.
struct fetch_outcome {
  std::vector<std::vector<word_t>> answers;  // by node
  std::vector<std::vector<word_t>> sent;     // by node and block
  std::vector<std::vector<word_t>> places;   // by node: the words of its first processor's place
  std::vector<std::vector<word_t>> memories;

  template <class Machine>
  void take(Machine& machine, std::uint32_t line) {
    for (std::uint32_t node = 0; node < 2; ++node) {
      const auto& protocol =
          static_cast<const fetch_block_protocol&>(machine.node(node).protocols().at(0));
      const word_memory& memory = machine.node(node).memory();
      sent.emplace_back();
      for (std::uint64_t i = 0; i < blocks; ++i) {
        sent[node].push_back(protocol.times_sent(memory, i * line));
      }
      places.emplace_back();
      for (std::uint64_t i = 0; i < line; i += 8) {
        places[node].push_back(memory.read(protocol.place_of(0) + i));
      }
      memories.emplace_back();
      for (std::uint64_t i = 0; i < blocks * line; i += 8) {
        memories[node].push_back(memory.read(i));
      }
    }
  }
};

/// The program of both machines: fetches words of the other node's blocks, drawn from a stream of
/// the node, and at last the word of block 7.
void fetch(program_context& context, std::uint32_t line, std::vector<word_t>& answers,
           std::map<std::uint64_t, word_t>& counts) {
  const std::uint32_t other = 1 - index(context.node());
  random_stream draws(5, other, 6U);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t offset = draws.below(blocks * line / 8) * 8;
    answers.push_back(context.load(remote(other, offset)));
    ++counts[offset / line];
  }
  answers.push_back(context.load(remote(other, 7 * std::uint64_t{line} + 16)));
  ++counts[7];
}

fetch_outcome fetch_on_smp(schedule_kind kind, std::uint32_t processors, std::uint32_t line,
                           std::vector<std::map<std::uint64_t, word_t>>& counts) {
  smp_machine_config config = testing::small_machine(kind, processors);
  config.node.memory.line_bytes = line;
  fetch_outcome found;
  found.answers.resize(2);
  testing::smp_programs machine(config, testing::block_fetches(processors, blocks),
                                [&](program_context& context) {
                                  if (context.rank() % context.processes() != 0) return;
                                  const std::uint32_t node = index(context.node());
                                  fetch(context, line, found.answers[node], counts[1 - node]);
                                });
  fill_memories(machine.machine);
  EXPECT_TRUE(machine.run());
  found.take(machine.machine, line);
  return found;
}

magic_machine_config magic_config(std::uint32_t line) {
  magic_machine_config config;
  config.node.memory.line_bytes = line;
  return config;
}

/// Runs a program on the processors of two nodes with MAGIC.
class magic_programs {
 public:
  magic_programs(const magic_machine_config& config, const protocol_maker& protocols,
                 const body& run)
      : machine(config, protocols), programs_(config, make_program(run)) {
    programs_.elements().add_all(machine);
  }
  bool run() {
    machine.run_until(1'000'000, [&] { return programs_.work().finished(); });
    machine.run_until(machine.now() + 1000);
    return programs_.work().finished();
  }

  magic_machine machine;

 private:
  node_programs programs_;
};

fetch_outcome fetch_on_magic(std::uint32_t line,
                             std::vector<std::map<std::uint64_t, word_t>>& counts) {
  fetch_outcome found;
  found.answers.resize(2);
  magic_programs nodes(magic_config(line), testing::block_fetches(tags, blocks),
                       [&](program_context& context) {
                         const std::uint32_t node = index(context.node());
                         fetch(context, line, found.answers[node], counts[1 - node]);
                       });
  fill_memories(nodes.machine);
  EXPECT_TRUE(nodes.run());
  found.take(nodes.machine, line);
  return found;
}

void expect_right(const fetch_outcome& found,
                  const std::vector<std::map<std::uint64_t, word_t>>& counts, std::uint32_t line,
                  const std::string& where) {
  for (std::uint32_t node = 0; node < 2; ++node) {
    const std::uint32_t other = 1 - node;
    random_stream draws(5, other, 6U);
    ASSERT_EQ(found.answers[node].size(), 41U) << where;
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t word = draws.below(blocks * line / 8);
      EXPECT_EQ(found.answers[node][static_cast<std::size_t>(i)], found.memories[other][word])
          << where << ", " << i;
    }
    // What was fetched last lies in the processor's place.
    const std::size_t first = 7 * line / 8;
    for (std::size_t i = 0; i < line / 8; ++i) {
      EXPECT_EQ(found.places[node][i], found.memories[other][first + i]) << where << ", " << i;
    }
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const auto sent = counts[node].find(i);
      EXPECT_EQ(found.sent[node][i], sent == counts[node].end() ? 0 : sent->second)
          << where << ", block " << i << " of node " << node;
    }
  }
}

TEST(fetch_block, blocks_and_tables_are_right_on_smp_nodes_and_on_magic) {
  for (const std::uint32_t line : {128U, 64U}) {
    std::vector<std::map<std::uint64_t, word_t>> magic_counts(2);
    const fetch_outcome magic = fetch_on_magic(line, magic_counts);
    expect_right(magic, magic_counts, line, "magic");
    for (const auto& [kind, processors] :
         {std::pair(schedule_kind::fixed, 2U), std::pair(schedule_kind::single, 1U),
          std::pair(schedule_kind::floating, 3U)}) {
      std::vector<std::map<std::uint64_t, word_t>> counts(2);
      const fetch_outcome smp = fetch_on_smp(kind, processors, line, counts);
      expect_right(smp, counts, line, name_of(kind));
      EXPECT_EQ(smp.answers, magic.answers) << name_of(kind);
      EXPECT_EQ(smp.sent, magic.sent) << name_of(kind);
      EXPECT_EQ(smp.places, magic.places) << name_of(kind);
    }
  }
}

/// Each has its own place and its own entry.
TEST(fetch_block, processors_of_a_node_fetch_side_by_side) {
  constexpr std::uint32_t processors = 4;
  std::vector<std::vector<word_t>> answers(2 * processors);
  testing::smp_programs machine(
      testing::small_machine(schedule_kind::floating, processors),
      testing::block_fetches(processors, blocks), [&](program_context& context) {
        const std::uint32_t other = 1 - index(context.node());
        for (std::uint64_t i = 0; i < 10; ++i) {
          const std::uint64_t block = (context.rank() * 5 + i) % blocks;
          answers[context.rank()].push_back(context.load(remote(other, block * 128 + 8 * i)));
        }
      });
  fill_memories(machine.machine);
  EXPECT_TRUE(machine.run());
  for (std::uint32_t rank = 0; rank < 2 * processors; ++rank) {
    const std::uint32_t node = rank / processors;
    const word_memory& there = machine.machine.node(1 - node).memory();
    for (std::uint64_t i = 0; i < 10; ++i) {
      EXPECT_EQ(answers[rank][i], there.read((rank * 5 + i) % blocks * 128 + 8 * i)) << rank;
    }
    const auto& protocol =
        static_cast<const fetch_block_protocol&>(machine.machine.node(node).protocols().at(0));
    const std::uint64_t place = protocol.place_of(rank % processors);
    EXPECT_EQ(place % 128, 0U);
    for (std::uint64_t i = 0; i < 128; i += 8) {
      EXPECT_EQ(machine.machine.node(node).memory().read(place + i),
                there.read((rank * 5 + 9) % blocks * 128 + i))
          << rank;
    }
  }
}

TEST(fetch_block, refuses_blocks_that_its_table_does_not_have) {
  const auto fetch_last = [](std::uint64_t offset) {
    return [=](program_context& context) {
      if (context.rank() == 0) context.load(remote(1, offset));
    };
  };
  for (const auto& [offset, refused] :
       {std::pair(blocks * 128 - 8, false), std::pair(blocks * 128, true)}) {
    testing::smp_programs smp(testing::small_machine(schedule_kind::fixed, 2),
                              testing::block_fetches(2, blocks), fetch_last(offset));
    const std::string said = testing::failure<simulation_error>([&] { smp.run(); });
    magic_programs magic(magic_config(128), testing::block_fetches(tags, blocks),
                         fetch_last(offset));
    const std::string said_by_magic = testing::failure<simulation_error>([&] { magic.run(); });
    if (!refused) {
      EXPECT_EQ(said + said_by_magic, "");
      continue;
    }
    for (const std::string& each : {said, said_by_magic}) {
      EXPECT_TRUE(testing::names(
          each, {"'fetch_block.serve'", "node 1", "block 24 is fetched", "has 24", "segment"}));
    }
  }
}

TEST(fetch_block, storage_holds_tables_and_places_are_behind_what_can_be_fetched) {
  for (const std::uint32_t line : {32U, 128U, 256U}) {
    fetch_block_protocol protocol({}, 1, 5, 10);
    protocol_storage where;
    where.address = 1000 * std::uint64_t{line};
    where.line = line_size(line);
    class no_memory final : public word_memory {
     public:
      word_t read(std::uint64_t) const override { return 0; }
      void write(std::uint64_t, word_t) override { ADD_FAILURE() << "nothing to write"; }
    } memory;
    protocol.initialize(where, memory);
    EXPECT_EQ(protocol.storage_bytes(), 8U * 15);
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(protocol.place_of(i), (10 + i) * line);
  }
}

TEST(null_request, is_answered_with_0_on_smp_nodes_and_on_magic) {
  std::vector<word_t> answers;
  const auto ask = [&](program_context& context) {
    if (context.node() != node_id{0}) return;
    for (std::uint64_t i = 0; i < 5; ++i) answers.push_back(context.load(remote(1, 8 * i)));
  };
  testing::smp_programs smp(testing::small_machine(schedule_kind::single, 1),
                            testing::null_requests, ask);
  fill_memories(smp.machine);
  EXPECT_TRUE(smp.run());
  EXPECT_EQ(answers, std::vector<word_t>(5, 0));
  magic_programs magic(magic_config(128), testing::null_requests, ask);
  fill_memories(magic.machine);
  EXPECT_TRUE(magic.run());
  EXPECT_EQ(answers, std::vector<word_t>(10, 0));
}

TEST(null_request, may_go_to_the_own_node) {
  word_t answer = 1;
  cycle_t took = 0;
  testing::smp_programs smp(testing::small_machine(schedule_kind::fixed, 2), testing::null_requests,
                            [&](program_context& context) {
                              if (context.rank() != 0) return;
                              const cycle_t since = context.now();
                              answer = context.load(remote(0));
                              took = context.now() - since;
                            });
  EXPECT_TRUE(smp.run());
  EXPECT_EQ(answer, 0U);
  EXPECT_EQ(took, 105U + 65 + 1 + 65 + 1 + 65 + 100);
}

}  // namespace
}  // namespace tributary
