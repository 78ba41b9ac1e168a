// SPDX-License-Identifier: Apache-2.0
// Programs on the processors of FLASH nodes: fences, programs that are cut short.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>

#include <support/failure.h>
#include <support/protocol_lists.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using body = std::function<void(program_context&)>;

/// Two nodes whose processors load and store words.
struct two_nodes {
  explicit two_nodes(const body& what)
      : machine(magic_machine_config{}, testing::uncached_only),
        programs(machine.config(), make_program(what)) {
    programs.elements().add_all(machine);
  }

  magic_machine machine;
  node_programs programs;
};

/// Runs `what` on node 0 alone, to the end.
void run_alone(const body& what) {
  two_nodes nodes([&](program_context& c) {
    if (c.rank() == 0) what(c);
  });
  nodes.machine.run_until(100000);
  EXPECT_TRUE(nodes.machine.idle());
  EXPECT_TRUE(nodes.programs.finished(0));
}

/// Cycles that loads of local and remote words take one by one, turnaround included.
std::vector<std::uint64_t> lone_loads() {
  std::vector<std::uint64_t> taken;
  run_alone([&](program_context& c) {
    for (std::uint32_t home = 0; home < 2; ++home) {
      const cycle_t begin = c.now();
      c.load(c.local_address(pe_id{home}, 1));
      taken.push_back(c.now() - begin);
    }
  });
  return taken;
}

TEST(node_elements, a_fence_waits_for_the_last_of_all_references) {
  const std::vector<std::uint64_t> lone = lone_loads();
  ASSERT_EQ(lone.size(), 2U);
  ASSERT_LT(lone[0], lone[1]);
  run_alone([&](program_context& c) {
    const cycle_t begin = c.now();
    const pending remote = c.issue(operation::load, c.local_address(pe_id{1}, 1));
    const pending local = c.issue(operation::load, c.local_address(1));
    c.fence();
    EXPECT_GE(c.now(), begin + lone[1]);
    const cycle_t over = c.now();
    c.wait(local);
    c.wait(remote);
    c.fence();
    EXPECT_EQ(c.now(), over) << "what a fence has waited for takes no more time";
  });
}

/// Two processes of each node without caches: what they ask comes back to who asked, and a word
/// that all change is changed by each.
TEST(node_elements, processes_of_a_node_share_its_processor) {
  magic_machine_config config;
  config.node.processes = 2;
  magic_machine machine(config, testing::uncached_only);
  std::vector<std::uint64_t> ranks;
  node_programs programs(config, make_program([&](program_context& c) {
                           ranks.push_back(c.rank());
                           const std::uint64_t own = c.local_address(3);
                           c.store(own, 10 + c.rank());
                           c.fence();
                           EXPECT_EQ(c.load(own), 10 + c.rank());
                           EXPECT_EQ(c.size(), 4U);
                           EXPECT_EQ(c.nodes(), 2U);
                           EXPECT_EQ(index(c.node()), c.rank() / 2);
                         }));
  programs.elements().add_all(machine);
  machine.run_until(100000);
  EXPECT_TRUE(machine.idle());
  EXPECT_TRUE(programs.work().finished());
  EXPECT_EQ(ranks.size(), 4U);
}

/// The report and the error of a program name its process.
TEST(node_elements, a_program_that_fails_is_named_by_node_and_process) {
  magic_machine_config config;
  config.node.processes = 3;
  magic_machine machine(config, testing::uncached_only);
  node_programs programs(config, make_program([&](program_context& c) {
                           if (c.rank() == 4) c.load(3);
                           c.delay(1000000);
                         }));
  programs.elements().add_all(machine);
  const std::string told = testing::failure([&] { machine.run_until(100000); });
  EXPECT_TRUE(testing::names(told, {"element 4 (process 1 of node 1)", "cycle"})) << told;
}

TEST(node_elements, a_fence_ends_with_the_turnaround) {
  const std::uint64_t lone = lone_loads().at(0);
  run_alone([&](program_context& c) {
    for (const std::uint64_t computed : {std::uint64_t{1}, lone - 20, lone - 1, lone, lone + 50}) {
      const cycle_t begin = c.now();
      c.post(operation::load, c.local_address(1));
      c.delay(computed);
      c.fence();
      EXPECT_EQ(c.now(), begin + std::max(computed, lone)) << computed;
    }
    const cycle_t begin = c.now();
    c.fence();
    EXPECT_EQ(c.now(), begin);
  });
}

TEST(node_elements, posted_stores_are_over_after_a_fence) {
  run_alone([&](program_context& c) {
    for (word_t i = 1; i <= 20; ++i) c.post(operation::store, c.local_address(i), i);
    c.fence();
    const cycle_t begin = c.now();
    c.fence();
    EXPECT_EQ(c.now(), begin);
    for (word_t i = 1; i <= 20; ++i) EXPECT_EQ(c.load(c.local_address(i)), i);
  });
}

TEST(node_elements, a_machine_may_end_before_its_programs) {
  struct ends_at_the_end {
    program_context& context;
    bool& done;
    ~ends_at_the_end() {
      context.end("held");
      context.mark("released");
      context.post(operation::store, context.local_address(2), 1);
      context.fence();
      context.delay(5);
      context.store(context.local_address(pe_id{1}, 1), 0);
      EXPECT_EQ(context.spin(context.local_address(1), [](word_t seen) { return seen == 9; }), 0U);
      done = true;
    }
  };
  bool unwound = false;
  {
    two_nodes nodes([&](program_context& c) {
      if (c.rank() != 0) return;
      c.begin("held");
      const ends_at_the_end guard{c, unwound};
      c.spin(c.local_address(1), [](word_t seen) { return seen == 9; });
    });
    nodes.machine.run_until(2000);
    EXPECT_FALSE(nodes.programs.finished(0));
  }
  EXPECT_TRUE(unwound);
}

}  // namespace
}  // namespace tributary
