// SPDX-License-Identifier: Apache-2.0
// One switch with virtual channels and credits, stepped alone, against cycles computed by hand.
#include <tributary/network/switching/channel_switch.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/switching/channel_plan.h>
#include <tributary/network/switching/switch_routes.h>
#include <tributary/sim/error.h>

#include "support/failure.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::failure;
using testing::names;

/// A switch, number 0, with links at ports 0 to 2 to switches 1 to 3, and a host at port 3.
class lone_switch {
 public:
  explicit lone_switch(const channel_switch_config& config, const channel_needs& needs = {2})
      : config_(config),
        plan_(needs),
        routes_(rules(needs)),
        tested_(config, plan_, {false, false, false, true}, 2, 0),
        scratch_(4, plan_.channels()) {
    tested_.add_places(3, 0, 1);
  }

  /// A packet comes as a whole by a port and a channel.
  void put(std::uint32_t port, std::uint8_t channel, std::uint16_t to, std::uint16_t flits,
           std::uint32_t packet, std::uint8_t misroutes = 0) {
    for (std::uint16_t f = 0; f < flits; ++f) {
      channel_flit flit;
      flit.packet = packet;
      flit.age = packet;
      flit.destination = to;
      flit.flits = flits;
      flit.host_port = 3;
      flit.channel = channel;
      flit.misroutes = misroutes;
      flit.head = f == 0;
      flit.tail = f + 1 == flits;
      tested_.accept(port, flit, out_);
    }
  }

  /// What leaves in the next cycles, "2: 0 by 1.0" for cycle 2, packet 0, port 1, channel 0.
  std::vector<std::string> run(std::uint32_t cycles) {
    std::vector<std::string> seen;
    for (std::uint32_t i = 0; i < cycles; ++i) {
      ++now_;
      tested_.step(config_, plan_, routes_, 0, scratch_, out_);
      for (const auto& each : out_.flits) {
        seen.push_back(std::to_string(now_) + ": " + std::to_string(each.flit.packet) + " by " +
                       std::to_string(each.port) + "." + std::to_string(each.flit.channel));
      }
      credits_ += out_.credits.size();
      discarded_ += out_.discarded.size();
      out_.clear();
    }
    return seen;
  }

  channel_switch& core() { return tested_; }
  std::size_t credits() const { return credits_; }
  std::size_t discarded() const { return discarded_; }

 private:
  static switch_route_rules rules(const channel_needs& needs) {
    switch_route_rules made;
    made.ports = 4;
    made.switches = 5;
    made.classes = needs.classes;
    made.ways_on = [](std::uint32_t, switch_id to, std::vector<route_hop>& hops) {
      if (index(to) != 0 && index(to) != 4) {
        hops.push_back({static_cast<std::uint8_t>(index(to) - 1), 0});
      }
    };
    if (needs.adaptive) {
      // What comes by the escape channel of port 0 is in phase 1, in which port 1 leads to 3.
      made.phases = 2;
      made.phase_of_input = [](std::uint32_t port, std::uint32_t) { return port == 0 ? 1U : 0U; };
      made.ways_on = [](std::uint32_t phase, switch_id to, std::vector<route_hop>& hops) {
        if (index(to) == 0 || index(to) == 4) return;
        const bool turned = phase == 1 && index(to) == 3;
        hops.push_back({static_cast<std::uint8_t>(turned ? 1 : index(to) - 1), 0});
      };
      made.minimal_ports = [](switch_id to, std::vector<std::uint8_t>& ports) {
        // Two ways lead to switch 1.
        if (index(to) == 1) ports.push_back(0);
        if (index(to) == 1 || index(to) == 2) ports.push_back(1);
      };
    }
    return made;
  }

  channel_switch_config config_;
  channel_plan plan_;
  switch_routes routes_;
  channel_switch tested_;
  channel_switch_scratch scratch_;
  channel_switch_output out_;
  std::uint32_t now_ = 0;
  std::size_t credits_ = 0;
  std::size_t discarded_ = 0;
};

using texts = std::vector<std::string>;

TEST(channel_switch, a_flit_alone_takes_its_stages) {
  lone_switch tested({});
  tested.put(0, 0, 2, 1, 7);
  EXPECT_EQ(tested.run(5), (texts{"2: 7 by 1.0"}));
  EXPECT_EQ(tested.credits(), 1U);
  EXPECT_FALSE(tested.core().active());

  channel_switch_config slow;
  slow.routing_cycles = 2;
  slow.channel_allocation_cycles = 3;
  slow.switch_allocation_cycles = 4;
  lone_switch other(slow);
  other.put(0, 0, 2, 1, 7);
  EXPECT_EQ(other.run(9), (texts{"6: 7 by 1.0"}));
  // Later stages are on the way to the next switch.
  EXPECT_EQ(slow.flit_delay(10), 3U + 1 + 10);
  EXPECT_EQ(slow.credit_delay(10), 3U + 10 + 1);
}

TEST(channel_switch, flits_of_a_packet_follow_in_each_cycle_and_the_next_head_asks_anew) {
  lone_switch tested({});
  tested.put(0, 1, 2, 3, 0);
  tested.put(0, 1, 2, 2, 1);
  EXPECT_EQ(tested.run(8),
            (texts{"2: 0 by 1.0", "3: 0 by 1.0", "4: 0 by 1.0", "6: 1 by 1.1", "7: 1 by 1.1"}));
}

TEST(channel_switch, a_flit_needs_a_credit) {
  channel_switch_config config;
  config.buffer_flits = 2;
  lone_switch tested(config, {1});
  tested.put(0, 0, 2, 2, 0);
  tested.put(2, 0, 2, 1, 1);
  EXPECT_EQ(tested.run(10), (texts{"2: 0 by 1.0", "3: 0 by 1.0"}));
  tested.core().add_credit(1, 0);
  EXPECT_EQ(tested.run(3), (texts{"11: 1 by 1.0"}));
}

TEST(channel_switch, cut_through_waits_for_room_for_the_whole_packet) {
  channel_switch_config config;
  config.buffer_flits = 4;
  config.switching = flit_switching::cut_through;
  lone_switch tested(config, {1});
  tested.put(0, 0, 2, 1, 0);
  tested.put(2, 0, 2, 4, 1);
  EXPECT_EQ(tested.run(10), (texts{"2: 0 by 1.0"}));
  tested.core().add_credit(1, 0);
  EXPECT_EQ(tested.run(9), (texts{"12: 1 by 1.0", "13: 1 by 1.0", "14: 1 by 1.0", "15: 1 by 1.0"}));
}

TEST(channel_switch, inputs_take_turns) {
  lone_switch tested({}, {1});
  for (std::uint32_t p = 0; p < 3; ++p) tested.put(0, 0, 2, 1, p);
  for (std::uint32_t p = 3; p < 6; ++p) tested.put(2, 0, 2, 1, p);
  EXPECT_EQ(tested.run(14), (texts{"2: 0 by 1.0", "4: 3 by 1.0", "6: 1 by 1.0", "8: 4 by 1.0",
                                   "10: 2 by 1.0", "12: 5 by 1.0"}));
}

TEST(channel_switch, or_the_oldest_goes_first) {
  channel_switch_config config;
  config.arbiter = arbiter_kind::oldest_first;
  lone_switch tested(config, {1});
  for (std::uint32_t p = 3; p < 6; ++p) tested.put(0, 0, 2, 1, p);
  for (std::uint32_t p = 0; p < 3; ++p) tested.put(2, 0, 2, 1, p);
  EXPECT_EQ(tested.run(14), (texts{"2: 0 by 1.0", "4: 1 by 1.0", "6: 2 by 1.0", "8: 3 by 1.0",
                                   "10: 4 by 1.0", "12: 5 by 1.0"}));
}

TEST(channel_switch, one_flit_of_a_port_crosses_in_a_cycle_or_one_of_each_channel) {
  lone_switch one({});
  one.put(0, 0, 2, 1, 0);
  one.put(0, 1, 3, 1, 1);
  EXPECT_EQ(one.run(5), (texts{"2: 0 by 1.0", "3: 1 by 2.0"}));
  channel_switch_config config;
  config.inputs = crossbar_inputs::per_channel;
  lone_switch each(config);
  each.put(0, 0, 2, 1, 0);
  each.put(0, 1, 3, 1, 1);
  EXPECT_EQ(each.run(5), (texts{"2: 0 by 1.0", "2: 1 by 2.0"}));
}

TEST(channel_switch, a_host_takes_as_many_packets_as_it_has_places) {
  lone_switch tested({});
  tested.put(0, 0, 0, 1, 0);
  tested.put(1, 0, 0, 1, 1);
  EXPECT_EQ(tested.run(6), (texts{"2: 0 by 3.0"}));
  tested.core().add_places(3, 0, 1);
  EXPECT_EQ(tested.run(6), (texts{"8: 1 by 3.0"}));
}

/// Channel 0 is the escape, 1 is adaptive.
TEST(channel_switch, adaptive_routing_prefers_its_channels_and_escapes_when_none_is_free) {
  channel_switch_config config;
  config.switching = flit_switching::cut_through;
  config.buffer_flits = 1;
  lone_switch tested(config, {2, 1, 1, true, "the escape"});
  for (std::uint32_t p = 0; p < 4; ++p) {
    tested.put(p < 2 ? 0 : 2, static_cast<std::uint8_t>(p % 2), 1, 1, p);
  }
  // Two adaptive channels, then the escape's only way; the fourth waits.
  EXPECT_EQ(tested.run(10), (texts{"2: 0 by 0.1", "3: 1 by 1.1", "4: 2 by 0.0"}));
  EXPECT_EQ(tested.core().counts().adaptive.value(), 2U);
  EXPECT_EQ(tested.core().counts().escapes.value(), 1U);
  EXPECT_EQ(tested.core().counts().misroutes.value(), 0U);
}

/// The escape leads to switch 3, which is no nearer by any way.
TEST(channel_switch, escapes_that_bring_no_nearer_are_counted) {
  channel_switch_config config;
  config.switching = flit_switching::cut_through;
  lone_switch tested(config, {2, 1, 1, true, "the escape"});
  tested.put(2, 0, 3, 1, 0);
  EXPECT_EQ(tested.run(3), (texts{"2: 0 by 2.0"}));
  EXPECT_EQ(tested.core().counts().misroutes.value(), 1U);
}

/// From an adaptive channel it begins anew; on the escape it keeps its phase.
TEST(channel_switch, a_packet_that_escapes_begins_in_phase_0) {
  channel_switch_config config;
  config.switching = flit_switching::cut_through;
  lone_switch tested(config, {2, 1, 1, true, "the escape"});
  tested.put(0, 1, 3, 1, 0);
  EXPECT_EQ(tested.run(3), (texts{"2: 0 by 2.0"}));
  tested.put(0, 0, 3, 1, 1);
  EXPECT_EQ(tested.run(3), (texts{"5: 1 by 1.0"}));
}

/// Only whole packets in buffers are free to leave the escape.
TEST(channel_switch, with_wormhole_switching_a_packet_stays_on_the_escape) {
  for (const bool whole : {false, true}) {
    channel_switch_config config;
    if (whole) config.switching = flit_switching::cut_through;
    lone_switch tested(config, {2, 1, 1, true, "the escape"});
    tested.put(0, 0, 1, 1, 0);
    EXPECT_EQ(tested.run(3), (texts{whole ? "2: 0 by 0.1" : "2: 0 by 0.0"}));
  }
}

TEST(channel_switch, after_too_many_misroutes_a_packet_stays_on_the_escape) {
  for (const std::uint32_t limit : {1U, 2U}) {
    channel_switch_config config;
    config.switching = flit_switching::cut_through;
    config.misroute_limit = limit;
    lone_switch tested(config, {2, 1, 1, true, "the escape"});
    tested.put(2, 1, 1, 1, 0, 1);
    EXPECT_EQ(tested.run(3), (texts{limit == 2 ? "2: 0 by 0.1" : "2: 0 by 0.0"}));
  }
}

TEST(channel_switch, without_a_way_on_a_packet_is_refused_or_discarded) {
  lone_switch strict({});
  strict.put(0, 0, 4, 1, 0);
  const std::string refusal = failure([&] { strict.run(1); });
  EXPECT_TRUE(names(refusal, {"switch 0", "switch 4", "port 0", "virtual channel 0"}));

  channel_switch_config config;
  config.without_route = lost_route::discard;
  lone_switch lax(config);
  lax.put(0, 0, 4, 3, 0);
  lax.put(0, 0, 2, 1, 1);
  EXPECT_EQ(lax.run(5), (texts{"3: 1 by 1.0"}));
  EXPECT_EQ(lax.credits(), 4U);
  EXPECT_EQ(lax.discarded(), 1U);
  EXPECT_EQ(lax.core().counts().discards.value(), 1U);
}

TEST(channel_switch, a_packet_that_waits_is_discarded_at_its_own_channel) {
  // Of three: those of a port are counted in fours.
  lone_switch here({}, {3});
  here.put(1, 2, 3, 2, 7);
  here.put(1, 1, 3, 2, 8);
  channel_switch_output out;
  here.core().discard_waiting(1, 2, out);
  ASSERT_EQ(out.discarded.size(), 1U);
  EXPECT_EQ(out.discarded[0].packet, 7U);
  ASSERT_EQ(out.credits.size(), 2U);
  EXPECT_EQ(out.credits[0].port, 1U);
  EXPECT_EQ(out.credits[0].channel, 2U);
  EXPECT_EQ(here.core().flits_in(1, 2), 0U);
  EXPECT_EQ(here.core().flits_in(1, 1), 2U);
}

TEST(channel_switch, control_messages_hold_a_port) {
  lone_switch tested({});
  EXPECT_EQ(tested.core().hold(1, 4), 0U);
  EXPECT_EQ(tested.core().hold(1, 2), 4U);
  tested.put(0, 0, 2, 1, 0);
  tested.put(0, 1, 3, 1, 1);
  EXPECT_EQ(tested.run(10), (texts{"2: 1 by 2.0", "7: 0 by 1.0"}));
}

TEST(channel_switch, a_flit_without_room_is_refused) {
  channel_switch_config config;
  config.buffer_flits = 2;
  lone_switch tested(config);
  tested.put(0, 0, 2, 2, 0);
  const std::string refusal = failure([&] { tested.put(0, 0, 2, 1, 1); });
  EXPECT_TRUE(names(refusal, {"port 0", "virtual channel 0", "credit"}));
}

// --- plan ----------------------------------------------------------------------------------------

TEST(channel_plan, shares_channels_between_lanes_and_classes) {
  const channel_plan plan({12, 3, 2, false, "table"});
  EXPECT_EQ(plan.width(), 2U);
  EXPECT_EQ(plan.of_network(1), 0b000011110000U);
  EXPECT_EQ(plan.of_class(1, 0), 0b000000110000U);
  EXPECT_EQ(plan.of_class(2, 1), 0b110000000000U);
  EXPECT_EQ(plan.class_of(5), 0U);
  EXPECT_EQ(plan.class_of(6), 1U);
  EXPECT_EQ(plan.network_of(2), 2U);
  EXPECT_EQ(channel_plan({2, 1, 2, false, ""}).network_of(2), 0U);
}

TEST(channel_plan, leaves_adaptive_channels_behind_the_escape) {
  const channel_plan plan({8, 2, 1, true, "table"});
  EXPECT_EQ(plan.of_class(1, 0), 0b00010000U);
  EXPECT_EQ(plan.adaptive_of(1), 0b11100000U);
  EXPECT_EQ(plan.class_of(4), 0U);
  EXPECT_EQ(plan.class_of(7), channel_plan::adaptive_class);
  EXPECT_EQ(channel_plan({4, 1, 2, false, ""}).adaptive_of(0), 0U);
}

TEST(channel_plan, refuses_what_does_not_fit_by_name) {
  const auto refusal = [](const channel_needs& needs) {
    return failure([&] { const channel_plan plan(needs); });
  };
  EXPECT_TRUE(names(refusal({17}), {"network.channels", "17", "1 to 16"}));
  EXPECT_TRUE(names(refusal({1, 1, 2, false, "dimension order"}),
                    {"network.channels", "1 virtual channel", "dimension order", "2"}));
  EXPECT_TRUE(names(refusal({3, 1, 2, false, "dimension order"}), {"3", "a multiple of 2"}));
  EXPECT_TRUE(names(refusal({6, 4}), {"6", "4 lanes", "a multiple of 4"}));
  EXPECT_TRUE(names(refusal({1, 1, 1, true, "up*/down*"}), {"escape", "up*/down*", "2 or more"}));
}

TEST(channel_switch_config, cut_through_needs_room_for_a_packet) {
  channel_switch_config config;
  config.validate(9);
  config.switching = flit_switching::cut_through;
  config.validate(8);
  const std::string refusal = failure([&] { config.validate(9); });
  EXPECT_TRUE(names(refusal, {"network.channels.buffer_flits", "8 flits", "9 or more"}));
}

}  // namespace
}  // namespace tributary
