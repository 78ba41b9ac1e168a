// SPDX-License-Identifier: Apache-2.0
// Random networks whose switches go off and on under load: all that is sent arrives or is counted
// as discarded, nothing is stuck, no credit is lost or doubled, afterwards all hosts that are on
// can talk, and a network that was saved in the middle goes on as the one it was saved from. The
// long form: TRIBUTARY_LONG=1.
#include <tributary/network/reconfiguration/reconfigured_network.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/random_graph.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/open_loop_load.h"
#include "support/random_choice.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

enum draw : std::uint32_t { of_network, of_events };

/// A network, its configuration and what happens to it, all from one seed.
struct experiment {
  explicit experiment(std::uint64_t seed) {
    random_stream random(seed, 0U, of_network);
    const std::uint32_t switches = 2 * between(random, 3, 6);
    hosts = between(random, 1, 2);
    graph = std::make_shared<const network_graph>(
        random_regular_graph({switches, between(random, 3, 4), hosts, seed}));
    links = testing::flit_links(16);
    channels.switches.switching = flit_switching::cut_through;
    channels.switches.channels = between(random, 2, 3);
    channels.switches.buffer_flits = between(random, 16, 40);
    channels.switches.misroute_limit = between(random, 1, 8);
    how.mode = one_of(random, {reconfiguration_mode::fixed, reconfiguration_mode::ordered});
    how.opening = one_of(random, {static_opening::all, static_opening::each});
    how.orientation =
        one_of(random, {reconfigured_orientation::mdst, reconfigured_orientation::post,
                        reconfigured_orientation::kept});
    how.compute_cycles = one_of(random, {0U, 7U, 500U});
    how.detection_cycles = between(random, 1, 200);
    how.time_out_cycles = between(random, 300, 1500);
    load = one_of(random, {0.02, 0.1, 0.4});
    channels.switches.link_cycles = between(random, 1, 6);
    channels.switches.host_link_cycles = between(random, 1, 6);
    draw_events(seed, switches);
  }

  std::unique_ptr<reconfigured_network> network() const {
    return std::make_unique<reconfigured_network>(links, channels, how, graph);
  }

  std::shared_ptr<const network_graph> graph;
  message_network_config links;
  channel_network_config channels;
  reconfiguration_config how;
  std::uint32_t hosts = 1;
  double load = 0.1;

 private:
  /// Those that the network allows.
  void draw_events(std::uint64_t seed, std::uint32_t switches) {
    random_stream random(seed, 1U, of_events);
    const std::uint32_t mean = one_of(random, {30U, 300U, 2500U});
    cycle_t at = 200;
    std::vector<bool> on(switches, true);
    for (int i = 0; i < 6; ++i) {
      at += 1 + random.below(2 * mean);
      const auto which = static_cast<std::uint32_t>(random.below(switches));
      how.events.push_back({at, switch_id{which}, !on[which]});
      try {
        how.validate(*graph);
        on[which] = !on[which];
      } catch (const configuration_error&) {
        how.events.pop_back();
      }
    }
  }
};

void expect_all_pairs_can_talk(reconfigured_network& network, testing::open_loop_load& load) {
  const std::uint64_t arrived = load.arrived;
  const std::uint64_t discards = network.discards();
  std::uint64_t sent = 0;
  const auto is_on = [&](std::uint32_t host) {
    return network.settled(network.graph().switch_of(host_id{host}));
  };
  for (std::uint32_t from = 0; from < network.nodes(); ++from) {
    for (std::uint32_t to = 0; to < network.nodes(); ++to) {
      if (!is_on(from) || !is_on(to)) continue;
      network_transfer message;
      message.source = node_id{from};
      message.destination = node_id{to};
      message.bytes = 15;
      while (!network.ready(message.source, 0, load.now())) load.run(1);
      network.send(message, load.now());
      ++sent;
      load.run(1);
    }
  }
  load.run(2000);
  EXPECT_EQ(load.arrived, arrived + sent);
  EXPECT_EQ(network.discards(), discards);
}

struct seen {
  std::uint64_t discards = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t overlapping = 0;
};

void run_case(std::uint64_t seed, seen& total) {
  const experiment what(seed);
  const std::unique_ptr<reconfigured_network> network = what.network();
  std::uint64_t lost = 0;
  network->on_discard([&](const network_transfer&, cycle_t) { ++lost; });
  testing::open_loop_load load(*network, 16, testing::uniform_among(network->nodes()), seed);
  load.set_load(what.load);
  const cycle_t end = (what.how.events.empty() ? 0 : what.how.events.back().at) + 1000;
  while (load.now() < end) {
    load.run(std::min<cycle_t>(40, end - load.now()));
    ASSERT_NO_THROW(network->check_credits());
  }
  load.set_load(0);
  for (int i = 0; i < 400 && (load.under_way() != 0 || network->reconfiguring()); ++i) {
    load.run(1000);
  }
  ASSERT_EQ(load.under_way(), 0U) << "packets are stuck";
  ASSERT_FALSE(network->reconfiguring());
  load.run(2 * what.how.time_out_cycles + 4000);
  ASSERT_NO_THROW(network->check_credits());
  EXPECT_EQ(network->next_wakeup(), never);
  EXPECT_EQ(load.made, load.arrived + lost);
  EXPECT_EQ(lost, network->discards());
  const reconfiguration_statistics& measured = network->reconfigurations();
  EXPECT_EQ(lost, measured.discards().lost() + measured.discards().of(discard_cause::unreachable));
  for (const reconfiguration_record& each : measured.records()) {
    EXPECT_NE(each.finished, never);
    total.overlapping += each.begun > what.graph->neighbours(switch_id{0}).size() ? 1 : 0;
  }
  total.discards += lost;
  total.timed_out += measured.discards().of(discard_cause::timed_out);
  expect_all_pairs_can_talk(*network, load);
}

TEST(reconfigured_network_traffic, loses_nothing_but_what_it_counts_and_works_again) {
  seen total;
  const std::uint64_t cases = testing::long_form() ? 5'000 : testing::scaled(60);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    run_case(seed, total);
    if (HasFailure()) return;
  }
  if (testing::sanitized) return;
  EXPECT_GT(total.discards, 0U);
  EXPECT_GT(total.timed_out, 0U);
  EXPECT_GT(total.overlapping, 0U);
}

/// Sends without being told of anything, so that a run can go on with another network.
class blind_traffic {
 public:
  blind_traffic(reconfigured_network& network, std::uint64_t seed)
      : network_(&network), hosts_(network.nodes()) {
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      hosts_[h].draws = random_stream(seed, h, 2U);
    }
    move_to(network);
  }
  void move_to(reconfigured_network& network) {
    network_ = &network;
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) network.attach(node_id{h}, hosts_[h]);
  }
  void run(cycle_t cycles) {
    for (const cycle_t last = now_ + cycles; now_ < last;) {
      ++now_;
      for (std::uint32_t h = 0; h < hosts_.size(); ++h) step(node_id{h}, hosts_[h]);
      network_->advance_to(now_);
    }
  }

 private:
  struct host final : network_endpoint {
    void room(std::uint8_t, cycle_t) override {}
    void arrive(const network_transfer&, cycle_t, cycle_t) override { ++to_give_back; }
    random_stream draws;
    std::uint32_t to_give_back = 0;
  };
  void step(node_id self, host& from) {
    for (; from.to_give_back != 0; --from.to_give_back) network_->give_back(self, 0, now_);
    if (from.draws.below(150) != 0 || !network_->ready(self, 0, now_)) return;
    network_transfer message;
    message.source = self;
    message.destination = node_id{static_cast<std::uint32_t>(from.draws.below(hosts_.size()))};
    message.bytes = 15;
    network_->send(message, now_);
  }

  reconfigured_network* network_;
  std::vector<host> hosts_;
  cycle_t now_ = 0;
};

TEST(reconfigured_network_traffic, goes_on_from_the_middle_as_it_would_have) {
  std::uint64_t in_the_middle = 0;
  const std::uint64_t cases = testing::long_form() ? 1'000 : testing::scaled(24);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    const experiment what(seed);
    const std::unique_ptr<reconfigured_network> straight = what.network();
    const std::unique_ptr<reconfigured_network> first = what.network();
    const std::unique_ptr<reconfigured_network> second = what.network();
    const cycle_t change =
        what.how.events.empty() ? 100 : what.how.events[0].at + what.how.detection_cycles + 60;
    blind_traffic one(*straight, seed);
    one.run(change + 4000);
    blind_traffic two(*first, seed);
    two.run(change);
    in_the_middle += first->reconfiguring() ? 1 : 0;
    second->restore(first->save());
    ASSERT_EQ(second->save(), first->save());
    two.move_to(*second);
    two.run(4000);
    ASSERT_EQ(second->save(), straight->save());
  }
  EXPECT_GT(in_the_middle, 0U);
}

}  // namespace
}  // namespace tributary
