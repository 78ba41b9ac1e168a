// SPDX-License-Identifier: Apache-2.0
// Self-scheduled loops under random timing: every iteration of every loop once, by whoever comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/centralized_barrier.h>
#include <tributary/algorithms/self_scheduled_loop.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/algorithm_runs.h"
#include "support/faulty_context.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::context_fault;
using testing::faulty_context;

constexpr memory_place place{1, 3, 0};

struct loop_shape {
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
};

struct plan {
  std::vector<loop_shape> loops;
  /// A barrier after each loop, behind which all of its iterations must be over.
  bool barriers = false;
  context_fault fault = context_fault::none;
  testing::adversity luck;
};

/// Elements run the loops one after the other; each iteration posts a 1 into a word of its own.
class loops final : public program {
 public:
  explicit loops(const plan& what) : plan_(what) {
    for (const loop_shape& each : plan_.loops) done_.emplace_back(each.iterations);
  }

  void run(program_context& context) override {
    faulty_context faulty(context, plan_.fault, plan_.luck);
    self_scheduled_loop loop(faulty, place);
    centralized_barrier barrier(context, {2, 8, 0});
    std::uint64_t base = 0;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      loop.run(plan_.loops[i].iterations, plan_.loops[i].chunk,
               [&](std::uint64_t iteration) { perform(faulty, i, base, iteration); });
      if (plan_.barriers) {
        barrier.cross();
        check_words(context, i, base);
      }
      base += plan_.loops[i].iterations;
    }
    faulty.finish();
    if (++ended_ == context.size()) check_all();
  }

 private:
  void perform(program_context& context, std::size_t loop, std::uint64_t base,
               std::uint64_t iteration) {
    if (iteration >= done_[loop].size()) throw simulation_error("there is no such iteration");
    if (++done_[loop][iteration] > 1) {
      throw simulation_error("iteration " + std::to_string(iteration) + " of loop " +
                             std::to_string(loop) + " for the second time");
    }
    context.delay(context.random(30));
    context.post(operation::store, word(context, base + iteration), 1);
  }

  /// Each element looks at some of the words that others wrote.
  void check_words(program_context& context, std::size_t loop, std::uint64_t base) const {
    for (std::uint64_t i = context.rank(); i < done_[loop].size(); i += context.size()) {
      if (context.load(word(context, base + i)) != 1) {
        throw simulation_error("iteration " + std::to_string(i) + " of loop " +
                               std::to_string(loop) + " is not over behind the barrier");
      }
    }
  }

  void check_all() const {
    for (std::size_t loop = 0; loop < done_.size(); ++loop) {
      const auto missed = std::find(done_[loop].begin(), done_[loop].end(), 0);
      if (missed != done_[loop].end()) {
        throw simulation_error("nobody did iteration " +
                               std::to_string(missed - done_[loop].begin()) + " of loop " +
                               std::to_string(loop));
      }
    }
  }

  static std::uint64_t word(const program_context& context, std::uint64_t i) {
    return context.shared_address(1024 + i);
  }

  plan plan_;
  std::uint32_t ended_ = 0;
  std::vector<std::vector<std::uint32_t>> done_;
};

testing::program_maker maker(const plan& what) {
  return [what](const std::string&) { return std::make_unique<loops>(what); };
}

/// Loops of all kinds: none, few and many iterations, chunks that fit and those that do not.
plan random_plan(std::uint64_t seed) {
  random_stream random(seed, 0U, 0U);
  plan what;
  for (int i = 0; i < 6; ++i) {
    what.loops.push_back({random.below(3) == 0 ? random.below(4) : random.below(100),
                          1 + random.below(random.below(2) == 0 ? 2 : 20)});
  }
  what.barriers = seed % 2 == 0;
  if (seed % 4 > 1) what.luck = {300, true};
  return what;
}

TEST(self_scheduled_loop, every_iteration_once) {
  const std::uint64_t seeds = testing::long_form() ? 200 : testing::scaled(12);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::uint32_t elements : {2U, 8U, 32U}) {
      ASSERT_EQ(testing::failure_on_any(elements, seed, maker(random_plan(seed))), "");
    }
  }
}

TEST(self_scheduled_loop, every_iteration_once_on_many_coherent_nodes) {
  for (const std::uint32_t nodes : testing::many_nodes()) {
    plan what;
    what.loops = {{nodes, 1}, {3, 5}};
    what.barriers = true;
    EXPECT_EQ(testing::failure_on_coherent_nodes(nodes, 1, maker(what)), "");
  }
}

TEST(self_scheduled_loop, a_missing_fence_and_split_updates_are_found) {
  plan what;
  what.loops = {{30, 2}, {30, 1}};
  what.barriers = true;
  what.luck.holds_posts = true;
  what.fault = context_fault::no_fence;
  std::string found = testing::failure_within(10, 8, maker(what));
  EXPECT_NE(found.find("not over behind the barrier"), std::string::npos) << found;
  what.fault = context_fault::split_updates;
  found = testing::failure_within(10, 8, maker(what));
  EXPECT_NE(found.find("for the second time"), std::string::npos) << found;
}

/// A chunk a reference, and one for each element in the first loop.
TEST(self_scheduled_loop, references) {
  const std::vector<loop_shape> shapes{{100, 7}, {64, 1}, {3, 5}, {0, 1}, {200, 10}};
  std::uint64_t chunks = 0;
  for (const loop_shape& each : shapes) chunks += (each.iterations + each.chunk - 1) / each.chunk;
  for (const testing::named_design& design : testing::designs_for_programs()) {
    const auto bare = [&shapes](program_context& context) {
      self_scheduled_loop loop(context, place);
      for (const loop_shape& each : shapes) {
        loop.run(each.iterations, each.chunk, [&](std::uint64_t) { context.delay(50); });
      }
    };
    ultracomputer machine(testing::program_machine(design, 16), 1, make_program(bare));
    testing::run_to_end(machine);
    EXPECT_EQ(machine.statistics().find("workload.references"), chunks + 16) << design.name;
  }
}

TEST(self_scheduled_loop, chunks_of_nothing_are_refused) {
  const auto refused = [](program_context& context) {
    self_scheduled_loop loop(context, place);
    EXPECT_THROW(loop.run(10, 0, [](std::uint64_t) {}), configuration_error);
  };
  ultracomputer machine(testing::program_machine(testing::designs_for_programs()[0], 2), 1,
                        make_program(refused));
  testing::run_to_end(machine);
}

}  // namespace
}  // namespace tributary
