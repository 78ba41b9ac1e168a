// SPDX-License-Identifier: Apache-2.0
// Cycles of refusals. The exploration shows that each access can be granted; here all ways through
// the states of two and three nodes are looked at, in which no queue is served seldom enough to be
// the cause.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include <support/fair_cycles.h>
#include <support/faulty_node.h>
#include <support/state_counts.h>

namespace tributary {
namespace {

using testing::explored_node;
using testing::explored_setup;
using testing::fair_cycles;
using testing::faulty_node;
using testing::seeded_fault;

constexpr std::size_t most = 2'000'000;
constexpr std::size_t most_of_long_form = 100'000'000;

template <class Body>
void in_all_modes(std::uint32_t nodes, Body&& body) {
  for (const bool sequential : {false, true}) {
    for (const bool hints : {false, true}) {
      for (const bool late : {false, true}) {
        explored_setup setup;
        setup.nodes = nodes;
        setup.sequential = sequential;
        setup.hints = hints;
        setup.late_deliveries = late;
        body(setup);
      }
    }
  }
}

std::string text(const explored_setup& setup) {
  return std::string(setup.sequential ? "sequential" : "relaxed") + (setup.hints ? ", hints" : "") +
         (setup.late_deliveries ? ", late deliveries" : "");
}

/// Returns the number of states.
std::size_t expect_no_livelock(const explored_setup& setup, std::size_t most_states = most) {
  const fair_cycles<explored_node> all(setup, most_states);
  std::cout << setup.nodes << " nodes, " << text(setup) << ": " << all.states() << " states\n";
  EXPECT_EQ(all.without_any_grant(), 0U) << text(setup);
  return all.states();
}

/// No livelock: refusals alone never go round.
TEST(coherence_fairness, no_fair_cycle_is_without_any_grant) {
  in_all_modes(2, [](const explored_setup& setup) { expect_no_livelock(setup); });
}

/// When relaxed, hints and late deliveries have more states: see the long form.
TEST(coherence_fairness, no_fair_cycle_of_three_nodes_is_without_any_grant) {
  in_all_modes(3, [](const explored_setup& setup) {
    if (setup.sequential || !(setup.hints || setup.late_deliveries)) expect_no_livelock(setup);
  });
}

TEST(coherence_fairness_long, no_fair_cycle_of_three_nodes_is_without_any_grant) {
  std::size_t largest = 0;
  in_all_modes(3, [&](const explored_setup& setup) {
    if (setup.sequential || !(setup.hints || setup.late_deliveries)) return;
    largest = std::max(largest, expect_no_livelock(setup, most_of_long_form));
  });
  testing::expect_on_page("coherence.md", "up to " + testing::grouped(largest) + " states");
}

/// As if sharers of other lines had all list elements: readers take the line from each other, and
/// must not lose it before it comes.
TEST(coherence_fairness, no_fair_cycle_without_list_elements_is_without_any_grant) {
  for (const bool sequential : {false, true}) {
    explored_setup setup;
    setup.nodes = 3;
    setup.elements = 0;
    setup.sequential = sequential;
    expect_no_livelock(setup);
  }
}

/// One processor can be refused for ever while the other is served, as docs/models/coherence.md
/// says. A write cannot, unless the other gives the line back by its own choice again and again.
TEST(coherence_fairness, who_can_starve) {
  in_all_modes(2, [](const explored_setup& setup) {
    const fair_cycles<explored_node> all(setup, most);
    for (const std::size_t node : {0U, 1U}) {
      for (const bool writes : {false, true}) {
        const std::string who =
            text(setup) + ": node " + std::to_string(node) + (writes ? " writes" : " reads");
        EXPECT_GT(all.that_starve(node, 0, writes, true), 0U) << who;
        EXPECT_EQ(all.that_starve(node, 0, writes, false) == 0, writes) << who;
      }
    }
  });
}

TEST(coherence_fairness, finds_a_line_that_stays_pending) {
  explored_setup setup;
  setup.fault = seeded_fault::kept_pending;
  const fair_cycles<faulty_node> all(setup, most);
  EXPECT_GT(all.without_any_grant(), 0U);
}

}  // namespace
}  // namespace tributary
