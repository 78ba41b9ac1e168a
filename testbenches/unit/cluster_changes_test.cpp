// SPDX-License-Identifier: Apache-2.0
// Switches of a cluster that go off and on: what a run file may say, and what the platform does.
#include <cluster/cluster_changes.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <cluster/cluster_config.h>
#include <cluster/cluster_model.h>
#include <cluster/cluster_simulation.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Eight random switches of two hosts, under a load.
cluster_config changing(const std::string& events) {
  cluster_config config;
  cluster_network& network = config.network;
  network.kind = cluster_network_kind::channels;
  network.adaptive = true;
  network.links.bandwidth = 2000;  // a byte a cycle: each is a flit
  network.links.header_bytes = 1;
  network.links.payload_bytes = 15;
  network.links.least_payload = 0;
  network.links.gap_bytes = 0;
  network.channels.switches.switching = flit_switching::cut_through;
  network.channels.switches.buffer_flits = 16;
  network.graph.kind = cluster_graph_kind::random;
  network.graph.switches = 8;
  network.graph.hosts_per_switch = 2;
  network.changes.events = events;
  config.traffic.kernel = cluster_kernel::load;
  config.traffic.load = 0.05;
  config.traffic.bytes = 15;
  return config;
}

std::string refused(const std::function<void(cluster_config&)>& change) {
  cluster_config config = changing("2000 off 0, 6000 on 0");
  change(config);
  try {
    config.validate();
  } catch (const configuration_error& refusal) {
    return refusal.problem() == nullptr ? refusal.what() : refusal.problem()->key;
  }
  return "nothing";
}

std::string refused_events(const std::string& events) {
  return refused([&](cluster_config& c) { c.network.changes.events = events; });
}

TEST(cluster_changes, are_read_in_their_order) {
  cluster_changes changes;
  EXPECT_FALSE(changes.present());
  changes.events = "150000 off 3,200000  on 3 ";
  changes.off_at_first = "7, 9";
  EXPECT_TRUE(changes.present());
  const reconfiguration_config made = changes.made();
  ASSERT_EQ(made.events.size(), 2U);
  EXPECT_EQ(made.events[0].at, 150000U);
  EXPECT_EQ(made.events[0].which, switch_id{3});
  EXPECT_FALSE(made.events[0].on);
  EXPECT_EQ(made.events[1].at, 200000U);
  EXPECT_TRUE(made.events[1].on);
  ASSERT_EQ(made.off_at_first.size(), 2U);
  EXPECT_EQ(made.off_at_first[1], switch_id{9});
}

TEST(cluster_changes, are_refused_by_their_key) {
  const std::string key = "network.reconfiguration.events";
  EXPECT_EQ(refused([](cluster_config&) {}), "nothing");
  for (const char* each : {"2000", "off 0", "2000 out 0", "2000 off", "2000 off 0 1", "-1 off 0",
                           "2000 off 0,,3000 on 0", "2000 off 8", "2000 on 0", "0 off 0",
                           "3000 off 0, 2000 on 0", "2000 off 0 3000 on 0"}) {
    EXPECT_EQ(refused_events(each), key) << each;
  }
  for (const char* each : {"x", "8", "-1", "1;2"}) {
    EXPECT_EQ(refused([&](cluster_config& c) { c.network.changes.off_at_first = each; }),
              "network.reconfiguration.off_at_first")
        << each;
  }
}

TEST(cluster_changes, need_adaptive_channels_and_hosts_that_wait_for_nothing) {
  EXPECT_EQ(refused([](cluster_config& c) { c.network.adaptive = false; }),
            "network.reconfiguration.events");
  EXPECT_EQ(refused([](cluster_config& c) { c.network.kind = cluster_network_kind::buffered; }),
            "network.reconfiguration.events");
  EXPECT_EQ(refused([](cluster_config& c) {
              c.network.channels.switches.switching = flit_switching::wormhole;
            }),
            "network.channels.discipline");
  EXPECT_EQ(refused([](cluster_config& c) { c.traffic.kernel = cluster_kernel::fan_in; }),
            "traffic.kernel");
}

TEST(cluster_changes, run_in_a_loop_only) {
  cluster_model model;
  model.config = changing("2000 off 0");
  EXPECT_THROW(model.make(engine_kind::systemc, 1), configuration_error);
  EXPECT_NO_THROW(model.make(engine_kind::loop, 1));
  EXPECT_NO_THROW(model.require_checkpoints(engine_kind::loop));
}

TEST(cluster_changes, traffic_goes_on_without_what_was_lost) {
  for (const auto mode : {reconfiguration_mode::fixed, reconfiguration_mode::ordered}) {
    cluster_config config = changing("2000 off 0, 6000 on 0");
    config.network.changes.how.mode = mode;
    cluster_simulation machine(config, 1);
    machine.run_until(10000);
    EXPECT_GT(machine.traffic().messages().count(), 300U);
    EXPECT_GT(machine.traffic().lost_messages(), 0U);
    EXPECT_TRUE(machine.drain({}));
    EXPECT_EQ(machine.backlog(), 0U);
  }
}

TEST(cluster_changes, lost_messages_are_those_of_what_is_measured) {
  cluster_simulation machine(changing("2000 off 0, 6000 on 0"), 1);
  const auto lost = [&] { return machine.statistics().find("traffic.lost"); };
  machine.run_until(1999);
  EXPECT_EQ(lost(), 0);
  machine.run_until(4000);
  const double before = lost();
  EXPECT_GT(before, 0);
  machine.reset_statistics();
  EXPECT_EQ(lost(), 0);
  machine.run_until(10000);
  EXPECT_GT(lost(), 0);
  EXPECT_EQ(before + lost(), static_cast<double>(machine.traffic().lost_messages()));
  // A message is a packet here, and each is discarded once.
  double discards = 0;
  for (const char* cause : {"unreachable", "failed", "emptied", "closed", "timed_out"}) {
    discards += machine.statistics().find("network.reconfiguration.discards." + std::string(cause));
  }
  EXPECT_EQ(discards, lost());
}

TEST(cluster_changes, a_network_without_them_tells_of_no_loss) {
  cluster_simulation machine(changing(""), 1);
  machine.run_until(1000);
  EXPECT_EQ(machine.statistics().to_json_text().find("lost"), std::string::npos);
  EXPECT_EQ(machine.statistics().to_json_text().find("reconfiguration"), std::string::npos);
}

TEST(cluster_changes, a_switch_that_is_off_at_first_comes_on_without_loss_of_others) {
  cluster_config config = changing("2000 on 3");
  config.network.changes.off_at_first = "3";
  cluster_simulation machine(config, 1);
  machine.run_until(1999);
  EXPECT_GT(machine.statistics().find("network.reconfiguration.discards.unreachable"), 0);
  machine.run_until(10000);
  machine.reset_statistics();
  machine.run_until(14000);
  EXPECT_EQ(machine.statistics().find("traffic.lost"), 0);
  EXPECT_GT(machine.traffic().messages().count(), 100U);
}

TEST(cluster_changes, a_run_goes_on_from_a_checkpoint_amid_them) {
  const cluster_config config = changing("2000 off 0, 6000 on 0");
  cluster_simulation whole(config, 3);
  whole.run_until(9000);
  for (const cycle_t at : {1000U, 2150U, 2400U, 7000U}) {
    cluster_simulation first(config, 3);
    first.run_until(at);
    cluster_simulation second(config, 3);
    second.restore(first.save());
    second.run_until(9000);
    EXPECT_EQ(second.statistics().to_json().to_text(), whole.statistics().to_json().to_text())
        << "from cycle " << at;
    EXPECT_EQ(second.traffic().lost_messages(), whole.traffic().lost_messages());
  }
}

}  // namespace
}  // namespace tributary
