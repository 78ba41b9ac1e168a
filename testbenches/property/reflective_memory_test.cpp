// SPDX-License-Identifier: Apache-2.0
// Programs over reflective memory: random stores of several writers, and the collectives.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/bill_board.h>
#include <tributary/nic/reflective_ring.h>
#include <tributary/processor/program.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

#include <reflective/reflective_config.h>
#include <reflective/reflective_simulation.h>
#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using testing::failure;
using testing::names;

constexpr cycle_t end_of_time = std::numeric_limits<cycle_t>::max() / 4;

/// Every node applies the stores of each writer in the writer's order, and loses none.
class order_watcher final : public observer<applied_word> {
 public:
  void on_event(const applied_word& event) override {
    std::uint64_t& next = next_[{event.node, event.word.source}];
    EXPECT_EQ(event.word.number, next)
        << "node " << event.node << ", writer " << event.word.source << ", cycle " << event.cycle;
    next = event.word.number + 1;
    ++applied;
  }
  std::uint64_t of(std::uint32_t node, std::uint32_t writer) { return next_[{node, writer}]; }

  std::uint64_t applied = 0;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> next_;
};

/// Numbers of a test, as `random_stream` draws them.
class drawn {
 public:
  explicit drawn(std::uint64_t seed) : draws_(seed, 0U, 900U) {}
  std::uint32_t from(std::uint64_t least, std::uint64_t most) {
    return static_cast<std::uint32_t>(least + draws_.below(most - least + 1));
  }

 private:
  random_stream draws_;
};

reflective_config drawn_machine(drawn& draw) {
  reflective_config config;
  config.nodes = draw.from(2, 9);
  config.ring.slot = draw.from(1, 600);
  config.ring.fifo = draw.from(1, 6);
  config.ring.read = draw.from(1, 900);
  config.ring.request = draw.from(0, config.ring.read);
  config.ring.write = draw.from(1, 400);
  config.ring.own = draw.from(0, 1) == 0 ? own_store::at_once : own_store::after_round_trip;
  return config;
}

constexpr std::uint64_t words_each = 8;

/// Stores to words of the writer's own, in a random order, between loads and pauses.
void write_at_random(program_context& context, std::vector<word_t>& last) {
  const std::uint64_t first = context.rank() * words_each;
  const std::uint64_t stores = 20 + context.random(60);
  for (std::uint64_t i = 0; i < stores; ++i) {
    const std::uint64_t word = context.random(words_each);
    last[static_cast<std::size_t>(first + word)] = i + 1;
    context.store(reflected_address(first + word), i + 1);
    if (context.random(4) == 0) context.load(reflected_address(context.random(words_each)));
    if (context.random(8) == 0) context.delay(context.random(3000));
  }
  context.fence();
}

TEST(reflective_memory, random_writers_lose_nothing_and_keep_their_orders) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    const reflective_config config = drawn_machine(draw);
    std::vector<word_t> last(static_cast<std::size_t>(config.nodes * words_each));
    reflective_simulation machine(config, seed, make_program([&](program_context& context) {
                                    write_at_random(context, last);
                                  }));
    order_watcher watcher;
    machine.ring().applied().attach(watcher);
    machine.run_until(end_of_time);
    ASSERT_TRUE(machine.finished());
    const statistics_tree all = machine.statistics();
    EXPECT_EQ(all.find("ring.stripped"), all.find("ring.stored"));
    EXPECT_LE(all.find("ring.fifo.max"), config.ring.fifo);
    EXPECT_EQ(static_cast<double>(watcher.applied), all.find("ring.stored") * config.nodes);
    for (std::uint32_t node = 0; node < config.nodes; ++node) {
      for (std::size_t i = 0; i < last.size(); ++i) {
        EXPECT_EQ(machine.ring().peek(node, i), last[i]) << "node " << node << ", word " << i;
      }
      for (std::uint32_t writer = 0; writer < config.nodes; ++writer) {
        EXPECT_EQ(watcher.of(node, writer), watcher.of(writer, writer));
      }
    }
    machine.ring().applied().detach(watcher);
  }
}

/// Whose second word is new has the new first word: by loads alone, as programs see it.
TEST(reflective_memory, no_program_sees_a_flag_before_its_data) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    const reflective_config config = drawn_machine(draw);
    std::uint64_t early = 0;
    reflective_simulation machine(config, seed, make_program([&](program_context& context) {
                                    for (word_t i = 1; i <= 30; ++i) {
                                      if (context.rank() == 0) {
                                        context.store(reflected_address(0), i);
                                        context.store(reflected_address(1), i);
                                        continue;
                                      }
                                      const word_t flag = context.load(reflected_address(1));
                                      if (context.load(reflected_address(0)) < flag) ++early;
                                    }
                                  }));
    machine.run_until(end_of_time);
    EXPECT_EQ(early, 0U);
  }
}

reflective_config drawn_collective(drawn& draw, reflective_operation operation) {
  reflective_config config = drawn_machine(draw);
  config.nodes = draw.from(2, 20);
  config.program.operation = operation;
  config.program.radix = draw.from(2, 9);
  config.program.words = draw.from(0, 6);
  config.program.repetitions = draw.from(3, 6);
  config.program.overhead = draw.from(0, 500);
  config.program.skew = draw.from(0, 20000);
  // Operations of slow rings go on while others have begun the next.
  config.program.interval = draw.from(1, 3) * 5000;
  return config;
}

/// The programs check themselves.
void run_collective(const reflective_config& config, std::uint64_t seed) {
  reflective_simulation machine(config, seed);
  ASSERT_NO_THROW(machine.run_until(end_of_time))
      << parameter_set::of(const_cast<reflective_config&>(config)).resolved_json();
  ASSERT_TRUE(machine.finished());
  EXPECT_EQ(machine.statistics().find("workload.samples.operation.count"),
            static_cast<double>(config.program.repetitions));
}

TEST(reflective_memory, broadcasts_bring_the_roots_words_to_all) {
  for (std::uint64_t seed = 1; seed <= 45; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    reflective_config config = drawn_collective(draw, reflective_operation::broadcast);
    config.program.broadcast = static_cast<reflective_broadcast_algorithm>(seed % 3);
    run_collective(config, seed);
  }
}

TEST(reflective_memory, none_leaves_a_barrier_before_all_have_come) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    reflective_config config = drawn_collective(draw, reflective_operation::barrier);
    config.program.barrier = static_cast<reflective_barrier_algorithm>(seed % 2);
    run_collective(config, seed);
  }
}

TEST(reflective_memory, all_reduce_gives_the_sum_to_all) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    run_collective(drawn_collective(draw, reflective_operation::all_reduce), seed);
  }
}

/// Messages of each node to drawn receivers: each gets what was sent to it, with one buffer in the
/// order of sending.
TEST(reflective_memory, a_bill_board_brings_every_message_once) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    drawn draw(seed);
    const reflective_config config = drawn_machine(draw);
    bill_board_layout layout;
    layout.nodes = config.nodes;
    layout.buffers = draw.from(1, 3);
    layout.words = 2;
    constexpr word_t messages = 6;
    reflective_simulation machine(
        config, seed, make_program([&](program_context& context) {
          bill_board board(context, layout);
          const std::uint32_t next = (context.rank() + 1) % context.size();
          const std::uint32_t before = (context.rank() + context.size() - 1) % context.size();
          word_t sum = 0;
          for (word_t i = 0; i < messages; ++i) {
            board.send(next, {i, context.rank()});
            const bill_board::words got = board.receive(before, 2);
            EXPECT_EQ(got, (bill_board::words{i, before}));
            sum += got[0];
          }
          EXPECT_EQ(sum, messages * (messages - 1) / 2);
        }));
    machine.run_until(end_of_time);
    EXPECT_TRUE(machine.finished());
  }
}

TEST(reflective_memory, a_buffer_is_not_written_before_its_message_was_read) {
  reflective_config config;
  config.nodes = 2;
  bill_board_layout layout;
  layout.buffers = 1;
  layout.words = 1;
  reflective_simulation machine(config, 1, make_program([&](program_context& context) {
                                  bill_board board(context, layout);
                                  for (word_t i = 0; i < 5; ++i) {
                                    if (context.rank() == 0) {
                                      board.send(1, {i});
                                    } else {
                                      context.delay(20000);
                                      EXPECT_EQ(board.receive(0, 1), bill_board::words{i});
                                    }
                                  }
                                }));
  machine.run_until(end_of_time);
  EXPECT_TRUE(machine.finished());
}

TEST(reflective_memory, a_multicast_is_written_once) {
  reflective_config config;
  config.nodes = 5;
  bill_board_layout layout;
  layout.nodes = 5;
  layout.words = 3;
  reflective_simulation machine(config, 1, make_program([&](program_context& context) {
                                  bill_board board(context, layout);
                                  if (context.rank() == 2) {
                                    board.multicast({0, 3, 4}, {7, 8, 9});
                                  } else if (context.rank() != 1) {
                                    EXPECT_EQ(board.receive(2, 3), (bill_board::words{7, 8, 9}));
                                  }
                                }));
  machine.run_until(end_of_time);
  // The message, a flag for each receiver, and an acknowledgement of each.
  EXPECT_EQ(machine.statistics().find("ring.stored"), 3 + 3 + 3);
}

/// At many places of a run a machine is brought back and goes on; it ends as the whole run.
TEST(reflective_memory, runs_go_on_from_checkpoints) {
  for (const auto operation : {reflective_operation::broadcast, reflective_operation::barrier,
                               reflective_operation::all_reduce, reflective_operation::stream}) {
    reflective_config config;
    config.nodes = 5;
    config.ring.fifo = 2;
    config.program.operation = operation;
    config.program.words = 3;
    config.program.repetitions = 3;
    config.program.interval = 30000;
    reflective_simulation whole(config, 3);
    whole.run_until(end_of_time);
    for (cycle_t at = 1; at < whole.now(); at += whole.now() / 7 + 1) {
      SCOPED_TRACE(at);
      reflective_simulation first(config, 3);
      first.run_until(at);
      reflective_simulation second(config, 3);
      second.restore(first.save());
      EXPECT_EQ(second.save(), first.save());
      second.run_until(end_of_time);
      EXPECT_EQ(second.now(), whole.now());
      EXPECT_EQ(second.statistics().to_json_text(), whole.statistics().to_json_text());
    }
  }
}

/// How many events of a kind were told.
class event_counter final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override { ++count_[event.kind->name]; }
  std::uint64_t of(const std::string& kind) { return count_[kind]; }

 private:
  std::map<std::string, std::uint64_t> count_;
};

TEST(reflective_memory, traces_tell_what_the_statistics_count) {
  reflective_config config;
  config.nodes = 4;
  config.ring.fifo = 2;
  config.program.operation = reflective_operation::stream;
  config.program.words = 30;
  config.program.repetitions = 2;
  reflective_simulation machine(config, 1);
  event_counter told;
  machine.trace().recorder.observers().attach(told);
  machine.run_until(end_of_time);
  const statistics_tree all = machine.statistics();
  EXPECT_EQ(static_cast<double>(told.of("stored")), all.find("ring.stored"));
  EXPECT_EQ(told.of("inserted"), 4U * 60);
  EXPECT_EQ(static_cast<double>(told.of("stalled")), all.find("ring.stalls"));
  EXPECT_EQ(static_cast<double>(told.of("crosses")),
            all.find("ring.stored") + all.find("ring.forwarded"));
  machine.trace().recorder.observers().detach(told);
}

TEST(reflective_memory, refuses_machines_that_cannot_be) {
  const auto of = [](const std::string& text) {
    return failure<configuration_error>([&] {
      reflective_config config;
      parameter_set::of(config).read_json_text(text, "test");
      config.validate();
    });
  };
  EXPECT_TRUE(names(of(R"({"nodes": 1})"), {"nodes", "2 to 1024"}));
  EXPECT_TRUE(names(of(R"({"ring.fifo": 0})"), {"ring.fifo", "1 to 65536"}));
  EXPECT_TRUE(names(of(R"({"program.radix": 1})"), {"program.radix", "2 to 65536"}));
  EXPECT_TRUE(names(of(R"({"ring.memory_words": 50})"),
                    {"ring.memory_words", "4 nodes need 64 words", "64 or more"}));
  EXPECT_TRUE(names(of(R"({"program.writers": 5})"), {"program.writers", "0 to 4"}));
  EXPECT_EQ(of(R"({"ring.memory_words": 64})"), "");
}

TEST(reflective_memory, a_message_that_is_too_long_is_refused) {
  reflective_config config;
  bill_board_layout layout;
  layout.nodes = 4;
  layout.words = 1;
  reflective_simulation machine(config, 1, make_program([&](program_context& context) {
                                  bill_board board(context, layout);
                                  board.send(context.rank() ^ 1U, {1, 2});
                                }));
  EXPECT_THROW(machine.run_until(end_of_time), simulation_error);
}

}  // namespace
}  // namespace tributary
