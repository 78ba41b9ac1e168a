// SPDX-License-Identifier: Apache-2.0
// Traffic at a rate, its destinations and sizes; h-relations; messages out of files.
#include <tributary/network/traffic/load_traffic.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/wormhole_network.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/geometric_gaps.h>
#include <tributary/network/traffic/h_relation.h>
#include <tributary/network/traffic/load_measurement.h>
#include <tributary/network/traffic/traffic_replay.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/sim/random_stream.h>

#include "support/failure.h"
#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

/// Switches of 24 cycles a head, links of a byte a cycle, a header of one.
message_network_config links() {
  message_network_config config;
  config.clock.period = 6250;
  config.bandwidth = 160;
  config.header_bytes = 1;
  config.payload_bytes = 4096;
  config.base_latency = 25;
  config.hop_latency = 24;
  return config;
}

std::shared_ptr<const network_graph> one_switch(std::uint32_t hosts) {
  return std::make_shared<const network_graph>(star_graph(1, hosts));
}

std::unique_ptr<wormhole_network> network_of(const std::shared_ptr<const network_graph>& graph) {
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  return std::make_unique<wormhole_network>(links(), 64, graph, up_down_table(routes));
}

// --- gaps ----------------------------------------------------------------------------------------

TEST(load_traffic, gaps_are_those_of_a_trial_in_each_cycle) {
  for (const double p : {1.0, 0.7, 0.5, 0.2, 0.01, 0.0003}) {
    const geometric_gaps gaps(p);
    random_stream draws(1, 0U, 2000U);
    constexpr int count = 20000;
    double sum = 0;
    int first = 0;
    int late = 0;
    const double half_life = std::ceil(std::log(0.5) / std::log1p(-std::min(p, 0.999)));
    for (int i = 0; i < count; ++i) {
      const auto gap = static_cast<double>(gaps.draw(draws));
      ASSERT_GE(gap, 1);
      sum += gap;
      if (gap == 1) ++first;
      if (gap > half_life) ++late;
    }
    // Four standard deviations.
    EXPECT_NEAR(sum / count, 1 / p, 4 * std::sqrt((1 - p) / count) / p) << p;
    EXPECT_NEAR(first, p * count, 4 * std::sqrt(p * (1 - p) * count) + 1e-9) << p;
    const double beyond = std::pow(1 - p, half_life);
    EXPECT_NEAR(late, beyond * count, 4 * std::sqrt(beyond * (1 - beyond) * count) + 1e-9) << p;
  }
}

TEST(load_traffic, a_rate_of_more_than_a_message_a_cycle_is_refused) {
  for (const double p : {0.0, -0.1, 1.01, std::nan("")}) {
    EXPECT_TRUE(testing::names(testing::failure([&] { geometric_gaps gaps(p); }), {"traffic.load"}))
        << p;
  }
}

// --- destinations --------------------------------------------------------------------------------

/// The hosts to which each host sends, by a pattern that draws nothing.
std::vector<std::uint32_t> partners(destination_kind kind, std::uint32_t hosts) {
  const auto graph = one_switch(hosts);
  destination_config config;
  config.kind = kind;
  const destination_pattern pattern(config, *graph);
  random_stream draws(1, 0U, 2001U);
  std::vector<std::uint32_t> to;
  for (std::uint32_t h = 0; h < hosts; ++h) {
    to.push_back(pattern.sends(node_id{h}) ? index(pattern.draw(node_id{h}, draws)) : h);
  }
  return to;
}

TEST(load_traffic, patterns_of_bits_send_to_the_partner) {
  using list = std::vector<std::uint32_t>;
  EXPECT_EQ(partners(destination_kind::transpose, 16),
            (list{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_EQ(partners(destination_kind::transpose, 8), (list{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(partners(destination_kind::transpose, 9), (list{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  EXPECT_EQ(partners(destination_kind::bit_reversal, 8), (list{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(partners(destination_kind::shuffle, 8), (list{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(partners(destination_kind::shuffle, 16),
            (list{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(load_traffic, a_drawn_permutation_is_one_circle) {
  for (const std::uint32_t hosts : {2U, 3U, 17U}) {
    const std::vector<std::uint32_t> to = partners(destination_kind::permutation, hosts);
    std::uint32_t at = 0;
    std::set<std::uint32_t> seen;
    while (seen.insert(at).second) at = to[at];
    EXPECT_EQ(seen.size(), hosts);
    EXPECT_EQ(at, 0U);
  }
}

TEST(load_traffic, patterns_that_do_not_fit_are_refused_by_their_key) {
  const auto refused = [](destination_kind kind, std::uint32_t hosts, double share = 0.5) {
    const auto graph = one_switch(hosts);
    destination_config config;
    config.kind = kind;
    config.share = share;
    return testing::failure([&] { destination_pattern pattern(config, *graph); });
  };
  EXPECT_EQ(refused(destination_kind::uniform, 6), "");
  EXPECT_EQ(refused(destination_kind::transpose, 36), "");
  EXPECT_TRUE(testing::names(refused(destination_kind::transpose, 6), {"traffic.pattern", "6"}));
  EXPECT_TRUE(testing::names(refused(destination_kind::bit_reversal, 36), {"traffic.pattern"}));
  EXPECT_TRUE(testing::names(refused(destination_kind::shuffle, 9), {"traffic.pattern"}));
  EXPECT_TRUE(testing::names(refused(destination_kind::hot_spot, 6, 1.5), {"traffic.share"}));
  EXPECT_TRUE(testing::names(refused(destination_kind::local, 6, -1), {"traffic.share"}));
}

/// How often host `from` sends to each.
std::vector<int> counts(const destination_config& config, const network_graph& graph,
                        std::uint32_t from, int draws_of_it) {
  const destination_pattern pattern(config, graph);
  random_stream draws(1, 0U, 2002U);
  std::vector<int> found(graph.hosts());
  for (int i = 0; i < draws_of_it; ++i) ++found[index(pattern.draw(node_id{from}, draws))];
  return found;
}

TEST(load_traffic, drawn_destinations_have_their_chances) {
  constexpr int all = 14000;
  const auto graph = one_switch(8);
  destination_config config;
  const auto near = [](double expected, double share) {
    return std::abs(expected - share * all) < 4 * std::sqrt(share * (1 - share) * all) + 1e-9;
  };
  const std::vector<int> uniform = counts(config, *graph, 3, all);
  for (std::uint32_t h = 0; h < 8; ++h) EXPECT_TRUE(near(uniform[h], h == 3 ? 0 : 1.0 / 7)) << h;
  config.kind = destination_kind::hot_spot;
  config.share = 0.3;
  const std::vector<int> hot = counts(config, *graph, 3, all);
  EXPECT_TRUE(near(hot[0], 0.3 + 0.7 / 7)) << hot[0];
  EXPECT_EQ(hot[3], 0);
  EXPECT_EQ(counts(config, *graph, 0, all)[0], 0);
}

/// A chain of switches of one host each: 2 links and those between switches.
TEST(load_traffic, a_share_stays_within_the_radius) {
  constexpr int all = 10000;
  const network_graph chain = grid_graph({{6}, false, 1, 1});
  destination_config config;
  config.kind = destination_kind::local;
  config.share = 1;
  config.radius = 4;
  const std::vector<int> found = counts(config, chain, 1, all);
  EXPECT_EQ(found[1] + found[4] + found[5], 0);
  EXPECT_NEAR(found[0], all / 3, 200);
  EXPECT_NEAR(found[2], all / 3, 200);
  config.share = 0;
  EXPECT_NEAR(counts(config, chain, 1, all)[5], all / 5, 200);
  // Nobody is near: all are as in uniform.
  config.share = 1;
  config.radius = 2;
  EXPECT_NEAR(counts(config, chain, 1, all)[5], all / 5, 200);
}

// --- load ----------------------------------------------------------------------------------------

TEST(load_traffic, a_network_takes_a_low_load_and_messages_take_their_time) {
  const auto graph = one_switch(4);
  const auto network = network_of(graph);
  load_traffic::options load;
  load.load = 0.02;
  load.bytes = 31;
  const load_sample found =
      measure_load(*network, destination_pattern({}, *graph), load, {1000, 1000000});
  EXPECT_NEAR(found.offered, 0.02, 0.002);
  EXPECT_NEAR(found.accepted, found.offered, 0.0001);
  EXPECT_FALSE(found.is_saturated());
  // 24 cycles of the switch and 32 flits, and one behind the last channel; few wait.
  EXPECT_GE(found.latency, 57);
  EXPECT_LE(found.latency, 59);
}

TEST(load_traffic, what_a_network_does_not_take_waits_at_the_hosts) {
  const auto graph = one_switch(4);
  const auto network = network_of(graph);
  destination_config pattern;
  pattern.kind = destination_kind::hot_spot;
  pattern.share = 1;
  load_traffic::options load;
  load.load = 0.5;
  load.bytes = 31;
  const load_sample found =
      measure_load(*network, destination_pattern(pattern, *graph), load, {1000, 20000});
  EXPECT_TRUE(found.is_saturated());
  // Three hosts share the channel to host 0; host 0 sends its half to them.
  EXPECT_NEAR(found.accepted, (0.5 + 31.0 / 32) / 4, 0.02);
  EXPECT_GT(found.latency, 1000);
}

TEST(load_traffic, a_share_of_messages_is_long) {
  const auto graph = one_switch(4);
  const auto network = network_of(graph);
  load_traffic::options load;
  load.bytes = 10;
  load.long_bytes = 100;
  load.long_share = 0.25;
  load.load = 0.1;
  EXPECT_DOUBLE_EQ(load.mean_bytes(), 32.5);
  load_traffic kernel(load, destination_pattern({}, *graph));
  traffic_run run(*network, kernel);
  run.run_until(200000);
  const double mean =
      static_cast<double>(run.received_bytes()) / static_cast<double>(run.messages().count());
  EXPECT_NEAR(mean, 32.5, 2.5);
  EXPECT_NEAR(static_cast<double>(kernel.posted_bytes()) / (4 * 200000), 0.1, 0.01);
  load.long_share = 2;
  EXPECT_TRUE(
      testing::names(testing::failure([&] { load_traffic(load, destination_pattern({}, *graph)); }),
                     {"traffic.long_share"}));
}

TEST(load_traffic, a_seed_says_all_and_a_saved_run_goes_on) {
  const auto graph = std::make_shared<const network_graph>(random_regular_graph({9, 4, 2, 1}));
  const auto results = [&](std::uint64_t seed, bool saves) {
    load_traffic::options load;
    load.seed = seed;
    const destination_pattern pattern({}, *graph);
    const auto network = network_of(graph);
    load_traffic kernel(load, pattern);
    traffic_run run(*network, kernel);
    run.run_until(3000);
    const auto other_network = network_of(graph);
    load_traffic other_kernel(load, pattern);
    traffic_run other(*other_network, other_kernel);
    if (saves) other.restore(run.save());
    traffic_run& last = saves ? other : run;
    last.run_until(20000);
    last.stop();
    last.run();
    EXPECT_EQ(last.under_way(), 0U);
    return std::pair(last.messages().count(), last.messages().mean());
  };
  EXPECT_EQ(results(1, false), results(1, true));
  EXPECT_NE(results(1, false), results(2, false));
}

// --- h-relations ---------------------------------------------------------------------------------

double superstep(std::uint32_t messages, bool barrier, std::uint32_t supersteps = 4) {
  const auto network = network_of(one_switch(4));
  h_relation kernel({messages, 31, supersteps, barrier, 0});
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.messages().count(), std::uint64_t{messages} * supersteps * 4);
  return kernel.superstep_cycles();
}

/// Messages of a host leave one behind the other, and all receive at the same rate.
TEST(load_traffic, supersteps_take_the_time_of_a_hosts_messages) {
  // Hosts send again in the cycle in which the last byte is there.
  EXPECT_DOUBLE_EQ(superstep(1, true), 56.25);
  EXPECT_DOUBLE_EQ(superstep(2, true) - superstep(1, true), 32);
  EXPECT_DOUBLE_EQ(superstep(7, true) - superstep(6, true), 32);
  EXPECT_LE(superstep(7, false), superstep(7, true));
}

// --- replay --------------------------------------------------------------------------------------

std::string read_failure(const std::string& text) {
  const testing::scratch_directory files;
  const std::string path = files.write("traffic.csv", text);
  return testing::failure<input_error>([&] { read_replay(path); });
}

TEST(load_traffic, a_file_is_refused_by_line_and_column) {
  const std::string names = "cycle,source,destination,bytes\n";
  EXPECT_EQ(read_failure(names), "");
  EXPECT_EQ(read_failure("# by hand\n\n" + names + "0,1,2,3\n0,1,2,4\n"), "");
  EXPECT_TRUE(testing::names(read_failure(""), {"traffic.csv", "no line"}));
  EXPECT_TRUE(testing::names(read_failure("0,1,2,3\n"), {":1", "first line"}));
  EXPECT_TRUE(testing::names(read_failure(names + "0,1,x,3\n"), {":2", "column 5", "destination"}));
  EXPECT_TRUE(testing::names(read_failure(names + "0,1,2\n"), {":2", "column 6", "four numbers"}));
  EXPECT_TRUE(testing::names(read_failure(names + "0,1,2,3,4\n"), {":2", "column 8"}));
  EXPECT_TRUE(testing::names(read_failure(names + "0,1,2,0\n"), {":2", "one byte"}));
  EXPECT_TRUE(testing::names(read_failure(names + "0,1,99999999999,1\n"), {":2", "column 5"}));
  EXPECT_TRUE(
      testing::names(read_failure(names + "7,1,2,1\n5,1,2,1\n"), {":3", "column 1", "5", "7"}));
}

TEST(load_traffic, messages_of_a_file_are_sent_in_their_cycles) {
  const testing::scratch_directory files;
  const auto messages = read_replay(files.write("traffic.csv",
                                                "cycle,source,destination,bytes\n"
                                                "0,1,2,31\n0,1,3,31\n1000,0,1,31\n"));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[2].line, 4U);
  const auto network = network_of(one_switch(4));
  traffic_replay kernel(messages);
  traffic_run run(*network, kernel);
  run.run();
  EXPECT_EQ(run.messages().count(), 3U);
  EXPECT_EQ(run.messages().min(), 57U);
  EXPECT_EQ(run.messages().max(), 57U + 32);
  EXPECT_EQ(run.completion(), 1000U + 57);
}

TEST(load_traffic, messages_of_hosts_that_do_not_exist_are_refused) {
  const auto refused = [](std::uint32_t from, std::uint32_t to) {
    const std::vector<replayed_message> messages{{0, node_id{from}, node_id{to}, 1, 9}};
    return testing::failure([&] { traffic_replay::check(messages, 4); });
  };
  EXPECT_EQ(refused(0, 3), "");
  EXPECT_TRUE(testing::names(refused(0, 4), {"traffic.path", "0 to 3"}));
  EXPECT_TRUE(testing::names(refused(4, 0), {"line 9", "traffic.path"}));
  EXPECT_TRUE(testing::names(refused(2, 2), {"traffic.path", "itself"}));
}

}  // namespace
}  // namespace tributary
