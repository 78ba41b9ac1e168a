// SPDX-License-Identifier: Apache-2.0
// Networks whose switches go off and on: control messages and times computed by hand, what is
// refused, what is discarded.
#include <tributary/network/reconfiguration/reconfigured_network.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/graph/random_graph.h>

#include "support/failure.h"
#include "support/open_loop_load.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::failure;
using testing::flit_links;
using testing::names;

/// Switches joined as `links` say, with a host each; ports 0 on are links.
std::shared_ptr<const network_graph> joined(
    std::uint32_t switches, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links) {
  network_plan plan;
  plan.name = "joined";
  plan.ports.assign(switches, 6);
  std::vector<std::uint32_t> next(switches);
  for (const auto& [a, b] : links) {
    plan.links.push_back({{switch_id{a}, next[a]++}, {switch_id{b}, next[b]++}});
  }
  for (std::uint32_t s = 0; s < switches; ++s) plan.hosts.push_back({switch_id{s}, 5});
  return std::make_shared<const network_graph>(std::move(plan));
}

channel_network_config whole_packets() {
  channel_network_config config;
  config.switches.channels = 2;
  config.switches.buffer_flits = 16;
  config.switches.switching = flit_switching::cut_through;
  return config;
}

reconfiguration_config goes_off(reconfiguration_mode mode, std::uint32_t which) {
  reconfiguration_config how;
  how.mode = mode;
  how.events = {{1000, switch_id{which}, false}};
  return how;
}

// --- messages and times --------------------------------------------------------------------------

/// Of a line of four the last goes off; of what is left, 0 - 1 - 2, switch 2 notices it. A link
/// takes two cycles on top of the flits, one a byte.
TEST(reconfigured_network, static_phases_of_a_line_take_what_their_messages_take) {
  const auto graph = joined(4, {{0, 1}, {1, 2}, {2, 3}});
  reconfigured_network network(flit_links(16), whole_packets(),
                               goes_off(reconfiguration_mode::fixed, 3), graph);
  network.advance_to(5000);
  const control_counts& control = network.reconfigurations().control();
  EXPECT_EQ(control.of(control_kind::propagation), 2U);
  EXPECT_EQ(control.of(control_kind::collection), 2U);
  EXPECT_EQ(control.of(control_kind::distribution), 2U);
  EXPECT_EQ(control.of(control_kind::completion), 2U);
  EXPECT_EQ(control.of(control_kind::opening), 2U);
  EXPECT_EQ(control.of(control_kind::installation), 0U);
  // The first end of a link tells of it: switch 0 of one, switches 0 and 1 of two.
  EXPECT_EQ(control.flits, 2 * 32U + (32 + 8) + (32 + 16) + 2 * (32 + 16) + 4 * 32);
  ASSERT_EQ(network.reconfigurations().records().size(), 1U);
  const reconfiguration_record& record = network.reconfigurations().records()[0];
  EXPECT_EQ(record.changed, 1000U);
  EXPECT_EQ(record.detected, 1100U);
  EXPECT_EQ(record.begun, 1U);
  EXPECT_EQ(record.cycles(), 2 * 34U + (42 + 50) + 2 * 50);
  EXPECT_FALSE(network.reconfiguring());
}

TEST(reconfigured_network, ordered_tables_of_a_line_follow_each_other) {
  const auto graph = joined(4, {{0, 1}, {1, 2}, {2, 3}});
  reconfigured_network network(flit_links(16), whole_packets(),
                               goes_off(reconfiguration_mode::ordered, 3), graph);
  network.advance_to(5000);
  const control_counts& control = network.reconfigurations().control();
  EXPECT_EQ(control.of(control_kind::distribution), 2U);
  EXPECT_EQ(control.of(control_kind::installation), 1U + 2);
  EXPECT_EQ(control.of(control_kind::acknowledgement), 1U + 2);
  EXPECT_EQ(control.of(control_kind::completion), 0U);
  const reconfiguration_record& record = network.reconfigurations().records().at(0);
  // The root's distribution holds its link for 48 cycles; the order for switch 1 waits for it.
  const std::uint64_t learnt = 2 * 34 + 42 + 50;
  const std::uint64_t first = 48 + (32 + 16 + 2) + 34;
  const std::uint64_t second = 2 * (32 + 8 + 2);
  EXPECT_EQ(record.cycles(), learnt + first + second);
}

/// Each link of a ring that is no branch of the tree takes two propagations.
TEST(reconfigured_network, a_flood_takes_two_messages_of_each_link) {
  const auto graph = joined(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}});
  reconfigured_network network(flit_links(16), whole_packets(),
                               goes_off(reconfiguration_mode::fixed, 4), graph);
  network.advance_to(5000);
  const control_counts& control = network.reconfigurations().control();
  EXPECT_EQ(control.of(control_kind::propagation) + control.of(control_kind::collection), 2U * 4);
  EXPECT_EQ(control.of(control_kind::collection), 3U);
  EXPECT_EQ(control.of(control_kind::distribution), 3U);
}

TEST(reconfigured_network, computing_takes_its_cycles_once) {
  const auto graph = joined(4, {{0, 1}, {1, 2}, {2, 3}});
  for (const reconfiguration_mode mode :
       {reconfiguration_mode::fixed, reconfiguration_mode::ordered}) {
    std::vector<cycle_t> cycles;
    for (const std::uint32_t compute : {0U, 16'000U}) {
      reconfiguration_config how = goes_off(mode, 3);
      how.compute_cycles = compute;
      reconfigured_network network(flit_links(16), whole_packets(), how, graph);
      network.advance_to(40'000);
      cycles.push_back(network.reconfigurations().records().at(0).cycles());
    }
    // Ordered, what waited for the distribution no longer does.
    EXPECT_LE(cycles[1], cycles[0] + 16'000);
    EXPECT_GE(cycles[1], cycles[0] + 16'000 - 48);
  }
}

// --- directions ----------------------------------------------------------------------------------

TEST(link_directions, turn_as_few_links_as_they_can) {
  const auto graph = joined(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
  std::vector<bool> works(5, true);
  const learnt_topology all = working_topology(*graph, works);
  const link_directions before = directions_by_level(*graph, all);
  works[0] = false;
  const learnt_topology left = working_topology(*graph, works);
  const std::vector<std::uint8_t> known(5, 1);
  // Without switch 0, both 1 and 2 are roots; 1 stays so, and 2 turns its link to 3.
  link_directions expected = before;
  expected[3] = 1;
  EXPECT_EQ(kept_directions(*graph, left, before, known), expected);
}

TEST(link_directions, a_new_switch_is_below_its_neighbours) {
  const auto graph = joined(3, {{0, 1}, {1, 2}, {2, 0}});
  const learnt_topology all = working_topology(*graph, std::vector<bool>(3, true));
  const link_directions found = kept_directions(*graph, all, link_directions{0, 0, 0}, {0, 1, 1});
  EXPECT_EQ(found, (link_directions{1, 0, 0}));
}

// --- discards ------------------------------------------------------------------------------------

/// All that is sent arrives or is discarded, and afterwards every pair can talk.
TEST(reconfigured_network, a_leaf_that_is_added_costs_no_message) {
  auto made = joined(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}});
  reconfiguration_config how;
  how.off_at_first = {switch_id{4}};
  how.events = {{3000, switch_id{4}, true}};
  reconfigured_network network(flit_links(16), whole_packets(), how, made);
  testing::open_loop_load load(network, 16, testing::uniform_among(5), 1);
  load.set_load(0.2);
  load.run(10'000);
  EXPECT_TRUE(network.settled(switch_id{4}));
  EXPECT_EQ(network.reconfigurations().discards().lost(), 0U);
  EXPECT_GT(network.reconfigurations().discards().of(discard_cause::unreachable), 0U);
  const std::uint64_t before = network.discards();
  load.run(5000);
  EXPECT_EQ(network.discards(), before);
  load.set_load(0);
  load.run(2000);
  EXPECT_EQ(load.made, load.arrived + network.discards());
}

TEST(reconfigured_network, static_stops_deliveries_and_ordered_does_not) {
  const auto graph = std::make_shared<const network_graph>(random_regular_graph({16, 4, 2, 1}));
  std::vector<cycle_t> stalls;
  for (const reconfiguration_mode mode :
       {reconfiguration_mode::fixed, reconfiguration_mode::ordered}) {
    reconfigured_network network(flit_links(16), whole_packets(), goes_off(mode, 0), graph);
    testing::open_loop_load load(network, 16, testing::uniform_among(32), 1);
    load.set_load(0.1);
    load.run(8000);
    stalls.push_back(network.reconfigurations().records().at(0).stall);
    EXPECT_FALSE(network.reconfiguring());
  }
  EXPECT_GT(stalls[0], 800U);
  EXPECT_LT(stalls[1], 300U);
}

// --- what is refused -----------------------------------------------------------------------------

TEST(reconfigured_network, refuses_what_it_cannot_have) {
  const auto graph = joined(3, {{0, 1}, {1, 2}});
  const auto refused = [&](const reconfiguration_config& how,
                           const channel_network_config& channels) {
    return failure([&] { reconfigured_network(flit_links(16), channels, how, graph); });
  };
  reconfiguration_config how = goes_off(reconfiguration_mode::fixed, 1);
  EXPECT_TRUE(names(refused(how, whole_packets()), {"reconfiguration.events", "several parts"}));
  how = goes_off(reconfiguration_mode::fixed, 7);
  EXPECT_TRUE(names(refused(how, whole_packets()), {"reconfiguration.events", "no switch 7"}));
  how = goes_off(reconfiguration_mode::fixed, 2);
  how.events.push_back({500, switch_id{2}, true});
  EXPECT_TRUE(names(refused(how, whole_packets()), {"reconfiguration.events", "cycle 1000"}));
  how.events[1] = {2000, switch_id{2}, false};
  EXPECT_TRUE(names(refused(how, whole_packets()), {"reconfiguration.events", "it is off"}));
  how.events[1] = {2000, switch_id{1}, false};
  EXPECT_TRUE(names(refused(how, whole_packets()), {"reconfiguration.events", "1 hosts"}));
  how.events.pop_back();
  channel_network_config wormhole = whole_packets();
  wormhole.switches.switching = flit_switching::wormhole;
  EXPECT_TRUE(names(refused(how, wormhole), {"network.channels.discipline", "cut_through"}));
  channel_network_config one = whole_packets();
  one.switches.channels = 1;
  EXPECT_TRUE(names(refused(how, one), {"network.channels.number", "escape"}));
  channel_network_config shallow = whole_packets();
  shallow.switches.buffer_flits = 8;
  EXPECT_TRUE(names(refused(how, shallow), {"network.channels.buffer_flits"}));
}

}  // namespace
}  // namespace tributary
