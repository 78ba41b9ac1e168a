// SPDX-License-Identifier: Apache-2.0
// All states of small machines whose nodes run the handlers of locks and barriers themselves, with
// the programs of flash_lock.cpp and flash_barrier.cpp: no state breaks an invariant, and from each
// one everything ends once caches evict no more, buffers are free and lanes have room. Machines
// with a fault show that the exploration can fail. The long form, with more acquisitions, runs with
// ./dev test --full.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <support/explored_barriers.h>
#include <support/explored_locks.h>
#include <support/explored_synchronization.h>
#include <support/whole_exploration.h>

namespace tributary {
namespace {

using testing::explored_barriers;
using testing::explored_barriers_setup;
using testing::explored_locks;
using testing::explored_locks_setup;
using testing::explored_synchronization;
using testing::lock_fault;
using testing::synchronizing_state;
using testing::whole_exploration;

constexpr std::size_t most_states = 3'000'000;

/// What was found.
struct findings {
  std::string problem;
  std::size_t states = 0;
  std::uint64_t ran = 0;   ///< handlers, by the bits of their numbers
  std::size_t missed = 0;  ///< steps that wanted a state which was on its way from the caches
};

template <class Protocol, class Check>
findings explore(const Protocol& protocol, Check&& check, std::size_t most = most_states) {
  const explored_synchronization<Protocol> machine(protocol);
  whole_exploration<explored_synchronization<Protocol>> all(machine, check);
  findings found;
  found.problem = all.run(most);
  found.states = all.states();
  found.ran = all.ran();
  found.missed = all.missed();
  std::cout << all.states() << " states, " << all.steps() << " steps, " << all.bytes() / 1000
            << " kB\n";
  return found;
}

template <class Protocol, class Setup>
findings explore(const Setup& setup, std::size_t most) {
  const Protocol protocol(setup);
  return explore(
      protocol, [&](const synchronizing_state& at) { return protocol.fault_of(at); }, most);
}
findings expect_right(const explored_locks_setup& setup, std::size_t most = most_states) {
  findings found = explore<explored_locks>(setup, most);
  EXPECT_EQ(found.problem, "");
  return found;
}
findings expect_right(const explored_barriers_setup& setup, std::size_t most = most_states) {
  findings found = explore<explored_barriers>(setup, most);
  EXPECT_EQ(found.problem, "");
  return found;
}

explored_locks_setup locks_of(std::uint32_t nodes, std::uint8_t acquisitions) {
  explored_locks_setup setup;
  setup.nodes = nodes;
  setup.acquisitions = acquisitions;
  return setup;
}
explored_barriers_setup barrier_of(std::uint32_t nodes, std::uint32_t join_radix,
                                   std::uint32_t release_radix) {
  explored_barriers_setup setup;
  setup.trees.nodes = nodes;
  setup.trees.join_radix = join_radix;
  setup.trees.release_radix = release_radix;
  return setup;
}

/// Names of handlers that did not run.
template <class Protocol>
std::vector<std::string> missing(const Protocol& protocol, std::uint64_t ran) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < protocol.names().size(); ++i) {
    if ((ran >> i & 1) == 0) names.push_back(protocol.names()[i]);
  }
  return names;
}

// --- locks ---------------------------------------------------------------------------------------

/// As docs/models/flash_locks.md says.
TEST(synchronization_exploration, three_nodes_and_a_lock) {
  const explored_locks_setup setup = locks_of(3, 1);
  const findings found = expect_right(setup);
  EXPECT_EQ(found.states, 147'050U);
  EXPECT_GT(found.missed, 0U);
  const std::vector<std::string> not_run = {"unknown_lock", "tick", "check"};
  EXPECT_EQ(missing(explored_locks(setup), found.ran), not_run);
}

TEST(synchronization_exploration, three_nodes_and_a_lock_out_of_order) {
  explored_locks_setup setup = locks_of(3, 1);
  setup.in_order = false;
  expect_right(setup);
}

TEST(synchronization_exploration, two_nodes_and_a_lock) {
  explored_locks_setup setup = locks_of(2, 2);
  expect_right(setup);
  setup.late_deliveries = true;
  expect_right(setup);
  setup.home = 1;
  expect_right(setup);
}

/// Between the release in its copy and the command behind it, the other process of the node may
/// ask.
TEST(synchronization_exploration, two_nodes_of_two_processes_and_a_lock) {
  explored_locks_setup setup = locks_of(2, 1);
  setup.processes = 2;
  EXPECT_EQ(expect_right(setup).states, 342'727U);
  setup.aggressive = true;
  expect_right(setup);
}

/// A process may have used the lock before its controller knows that it has asked.
TEST(synchronization_exploration, two_aggressive_nodes) {
  explored_locks_setup setup = locks_of(2, 2);
  setup.aggressive = true;
  expect_right(setup);
}

/// A program that asks before the home was told gives up, and nobody else is disturbed.
TEST(synchronization_exploration, two_nodes_tell_each_other_the_home) {
  explored_locks_setup setup = locks_of(2, 1);
  setup.tell_home = true;
  const findings found = expect_right(setup);
  const std::vector<std::string> not_run = {"tick", "check"};
  EXPECT_EQ(missing(explored_locks(setup), found.ran), not_run);
}

/// Tokens that their processors have not used are taken away at any time. Three nodes have too many
/// states.
TEST(synchronization_exploration, two_nodes_and_time_outs) {
  explored_locks_setup setup = locks_of(2, 1);
  setup.timeouts = true;
  const findings found = expect_right(setup);
  EXPECT_EQ(missing(explored_locks(setup), found.ran), std::vector<std::string>{"unknown_lock"});
  setup.late_deliveries = true;
  expect_right(setup);
}

// --- barriers ------------------------------------------------------------------------------------

/// As docs/models/flash_barriers.md says.
TEST(synchronization_exploration, four_nodes_and_a_barrier) {
  explored_barriers_setup setup = barrier_of(4, 2, 2);
  EXPECT_EQ(expect_right(setup).states, 168'726U);
  setup.tell_trees = true;
  const findings found = expect_right(setup);
  EXPECT_EQ(missing(explored_barriers(setup), found.ran), std::vector<std::string>{});
}

TEST(synchronization_exploration, four_nodes_and_other_trees) {
  expect_right(barrier_of(4, 2, 1));
  expect_right(barrier_of(4, 1, 3));
  explored_barriers_setup setup = barrier_of(4, 2, 2);
  setup.trees.two_phase = true;
  expect_right(setup);
}

TEST(synchronization_exploration, three_nodes_and_late_deliveries) {
  explored_barriers_setup setup = barrier_of(3, 2, 1);
  setup.late_deliveries = true;
  expect_right(setup);
}

// --- machines that must be wrong -----------------------------------------------------------------

/// S.V50: what happens without a rule, exclusion apart from all other invariants.
std::string problem_without(lock_fault rule, explored_locks_setup setup) {
  setup.fault = rule;
  const explored_locks protocol(setup);
  const auto check = [&](const synchronizing_state& at) { return protocol.fault_of_exclusion(at); };
  const std::string problem = explore(protocol, check).problem;
  std::cout << problem << "\n";
  return problem.substr(0, problem.find(','));
}

TEST(synchronization_exploration, exclusion_needs_rules_n1_to_n4) {
  explored_locks_setup with_timeouts = locks_of(2, 1);
  with_timeouts.timeouts = true;
  const std::string broken = "two processes hold the lock";
  EXPECT_EQ(problem_without(lock_fault::n1, locks_of(2, 2)), broken);
  EXPECT_EQ(problem_without(lock_fault::n2, locks_of(2, 2)), broken);
  EXPECT_EQ(problem_without(lock_fault::n3, with_timeouts), broken);
  EXPECT_EQ(problem_without(lock_fault::n4, locks_of(2, 2)), broken);
}

TEST(synchronization_exploration, without_rule_w2_a_waiter_hangs) {
  EXPECT_EQ(problem_without(lock_fault::w2, locks_of(2, 2)), "a node waits for ever");
}

TEST(synchronization_exploration, finds_a_lost_invalidation) {
  explored_barriers_setup setup = barrier_of(3, 2, 2);
  setup.keeps_lines = true;
  const std::string problem = explore<explored_barriers>(setup, most_states).problem;
  EXPECT_EQ(problem.rfind("a processor waits for ever", 0), 0U) << problem;
  std::cout << problem << "\n";
}

// --- the long form -------------------------------------------------------------------------------

class synchronization_exploration_long : public ::testing::Test {
 protected:
  static constexpr std::size_t most = 20'000'000;
};

TEST_F(synchronization_exploration_long, three_nodes_acquire_twice) {
  expect_right(locks_of(3, 2), most);
}

TEST_F(synchronization_exploration_long, two_nodes_acquire_twice_with_time_outs) {
  explored_locks_setup setup = locks_of(2, 2);
  setup.timeouts = true;
  expect_right(setup, most);
}

TEST_F(synchronization_exploration_long, two_nodes_of_two_processes) {
  explored_locks_setup setup = locks_of(2, 1);
  setup.processes = 2;
  setup.home = 1;
  setup.late_deliveries = true;
  expect_right(setup, most);
  setup.home = 0;
  setup.in_order = false;
  expect_right(setup, most);
}

TEST_F(synchronization_exploration_long, three_aggressive_nodes) {
  explored_locks_setup setup = locks_of(3, 1);
  setup.aggressive = true;
  expect_right(setup, most);
}

TEST_F(synchronization_exploration_long, three_nodes_with_late_deliveries) {
  explored_locks_setup setup = locks_of(3, 1);
  setup.late_deliveries = true;
  expect_right(setup, most);
}

TEST_F(synchronization_exploration_long, four_nodes_with_late_deliveries) {
  explored_barriers_setup setup = barrier_of(4, 2, 2);
  setup.late_deliveries = true;
  expect_right(setup, most);
}

}  // namespace
}  // namespace tributary
