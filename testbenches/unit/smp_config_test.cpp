// SPDX-License-Identifier: Apache-2.0
// What a configuration of SMP nodes is refused for, by the key that is wrong.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <smp/smp_simulation.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using change = std::function<void(smp_config&)>;

std::string refusal(const change& made) {
  smp_config config;
  made(config);
  const std::string said = testing::failure<configuration_error>([&] { config.validate(); });
  // Nothing is built with it either.
  EXPECT_EQ(testing::failure<configuration_error>([&] { smp_simulation built(config, 1); }), said);
  return said;
}

TEST(smp_config, defaults_are_those_of_the_paper) {
  const smp_config config;
  EXPECT_NO_THROW(config.validate());
  EXPECT_TRUE(config.warnings().empty());
  EXPECT_EQ(config.round_trip(), 600U);
  smp_config fetching;
  fetching.protocol = request_protocol::fetch_block;
  EXPECT_EQ(fetching.round_trip(), 1600U);
  EXPECT_DOUBLE_EQ(config.costup(), 1.3);
  EXPECT_EQ(config.resolved_machine().node.costs.submit, 105U);
  EXPECT_EQ(fetching.resolved_machine().node.costs.submit, 60U);
  EXPECT_EQ(fetching.resolved_machine().node.costs.resume, 60U);
}

/// W3 of the specification.
TEST(smp_config, costup_grows_by_the_cost_of_a_processor) {
  smp_config config;
  config.machine.node.processors = 5;
  EXPECT_DOUBLE_EQ(config.costup(), 2.2);
  config.machine.node.processors = 1;
  EXPECT_DOUBLE_EQ(config.costup(), 1);
}

void share(smp_config& config) {
  config.protocol = request_protocol::stache;
  config.workload.choice.kind = workload_kind::program;
}

struct refused_config {
  const char* key;
  change made;
  std::vector<std::string> parts;
};

std::vector<refused_config> refused_configs() {
  return {
      {"network.reorder_window",
       [](smp_config& c) { c.machine.network.reorder_window = 2; },
       {"2 lets messages overtake", "SMP nodes", "allowed: 0"}},
      {"node.processors",
       [](smp_config& c) { c.machine.node.processors = 1; },
       {"fixed", "none to compute", "2 to 64", "single"}},
      {"node.processors",
       [](smp_config& c) { c.machine.node.schedule = schedule_kind::single; },
       {"single", "there are 2", "floating"}},
      {"node.processors", [](smp_config& c) { c.machine.node.processors = 65; }, {"1 to 64"}},
      {"node.processors",
       [](smp_config& c) {
         share(c);
         c.machine.node.processors = 17;
       },
       {"stache", "17 are more", "1 to 16", "another protocol"}},
      {"node.masked_interrupts",
       [](smp_config& c) {
         c.machine.node.schedule = schedule_kind::floating;
         c.machine.node.masked_interrupts = 0b11;
       },
       {"masks every processor", "bits 0 to 1"}},
      {"node.masked_interrupts",
       [](smp_config& c) {
         c.machine.node.schedule = schedule_kind::floating;
         c.machine.node.processors = 64;
         c.machine.node.masked_interrupts = ~std::uint64_t{0};
       },
       {"masks every processor", "bits 0 to 63"}},
      {"node.masked_interrupts",
       [](smp_config& c) {
         c.machine.node.schedule = schedule_kind::single;
         c.machine.node.processors = 1;
         c.machine.node.masked_interrupts = 0b101;
       },
       {"masks every processor"}},
      {"node.protocol_bytes",
       [](smp_config& c) { c.machine.node.protocol_bytes = c.machine.node.memory.bytes; },
       {"no memory", "33554432"}},
      {"node.memory.bytes",
       [](smp_config& c) { c.machine.node.memory.bytes = std::uint64_t{1} << 33; },
       {"node"}},
      {"segment_bytes",
       [](smp_config& c) {
         c.protocol = request_protocol::fetch_block;
         c.machine.node.processors = 4;
         c.segment_bytes = std::uint64_t{16} << 20;
       },
       {"3 segments of 16777216 bytes", "at most 6990336", "memory.bytes"}},
      {"network.payload_bytes",
       [](smp_config& c) { c.machine.network.payload_bytes = 64; },
       {"64 hold no line", "128"}},
      {"node.costs.interrupt",
       [](smp_config& c) { c.machine.node.costs.interrupt = 1; },
       {"2 to 10000000"}},
      {"costs.null_request.resume",
       [](smp_config& c) { c.costs.null_request.resume = 0; },
       {"1 to 10000000"}},
      {"node.costs.delivery_percent",
       [](smp_config& c) { c.machine.node.costs.delivery_percent = 101; },
       {"0 to 100"}},
      {"node.costs.variation",
       [](smp_config& c) { c.machine.node.costs.variation.percent = 100; },
       {"0 to 99"}},
      {"nodes", [](smp_config& c) { c.machine.nodes = 1; }, {"2 to 128"}},
      {"node.addresses.space_bits",
       [](smp_config& c) { c.machine.node.addresses.space_bits = 1; },
       {"no space for registers", "2 to 3"}},
      {"workload.requests.utilisation",
       [](smp_config& c) { c.workload.requests.utilisation = 1; },
       {"0.999"}},
      {"workload.kind",
       [](smp_config& c) { c.workload.choice.kind = workload_kind::program; },
       {"memory that nodes share"}},
      {"workload.kind",
       [](smp_config& c) { c.protocol = request_protocol::fetch_op; },
       {"protocol = fetch_op", "no requests to measure", "another protocol"}},
      {"stache.frames",
       [](smp_config& c) {
         c.protocol = request_protocol::stache;
         c.stache.frames = 187;
       },
       {"187 are too few", "6000 requests", "188 or more"}},
      {"workload.requests.requests",
       [](smp_config& c) {
         c.protocol = request_protocol::stache;
         c.workload.requests.requests = 1000000;
       },
       {"1000000 that each load a block", "1 to 163840"}},
      {"nodes",
       [](smp_config& c) {
         share(c);
         c.machine.nodes = 33;
       },
       {"Stache does not know 33", "2 to 32"}},
      {"stache.page_bytes",
       [](smp_config& c) {
         share(c);
         c.stache.page_bytes = 768;
       },
       {"768 is no power of two", "512, 1024"}},
      {"node.protocol_bytes",
       [](smp_config& c) {
         share(c);
         c.stache.frames = 100000;
       },
       {"12582912 hold less", "at least 4", "lower stache.frames = 100000", "node.memory.bytes"}},
      {"node.protocol_bytes",
       [](smp_config& c) {
         c.protocol = request_protocol::fetch_block;
         c.machine.node.protocol_bytes = 1024;
       },
       {"1024 hold less", "at least 65552", "lower segment_bytes = 1048576"}},
  };
}

TEST(smp_config, refuses_by_key_what_could_not_work) {
  for (const refused_config& each : refused_configs()) {
    const std::string said = refusal(each.made);
    EXPECT_TRUE(testing::contains(said, each.key));
    for (const std::string& part : each.parts) EXPECT_TRUE(testing::contains(said, part));
  }
}

TEST(smp_config, what_just_works_is_accepted) {
  const std::vector<change> accepted{
      [](smp_config& c) { c.machine.node.processors = 64; },
      [](smp_config& c) {
        share(c);
        c.machine.node.processors = 16;
      },
      [](smp_config& c) {
        c.machine.node.schedule = schedule_kind::floating;
        c.machine.node.processors = 64;
        c.machine.node.masked_interrupts = ~std::uint64_t{0} >> 1;
      },
      [](smp_config& c) {
        c.machine.node.schedule = schedule_kind::single;
        c.machine.node.processors = 1;
        c.machine.node.masked_interrupts = 0b10;
      },
      [](smp_config& c) {
        c.machine.node.schedule = schedule_kind::floating;
        c.machine.node.masked_interrupts = 0b01;
      },
      [](smp_config& c) { c.machine.node.masked_interrupts = 0b11; },  // fixed: none is
      [](smp_config& c) { c.segment_bytes = std::uint64_t{31} << 20; },
      [](smp_config& c) { c.machine.node.costs.interrupt = 2; }};
  for (const change& each : accepted) EXPECT_EQ(refusal(each), "");
}

/// Without a machine around it.
TEST(smp_config, a_node_alone_is_checked_for_ranges) {
  smp_node_config node;
  node.schedule = schedule_kind::floating;
  node.processors = 70;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { node.validate(2); }),
                             {"processors", "70", "1 to 64"}));
}

TEST(smp_config, warns_of_masks_that_mean_nothing) {
  smp_config config;
  config.machine.node.masked_interrupts = 1;
  ASSERT_EQ(config.warnings().size(), 1U);
  EXPECT_TRUE(testing::names(config.warnings()[0], {"node.masked_interrupts", "fixed"}));
  config.machine.node.schedule = schedule_kind::floating;
  EXPECT_TRUE(config.warnings().empty());
}

TEST(smp_config, a_program_of_ones_own_shares_memory_whatever_the_workload_is) {
  smp_config config;
  config.protocol = request_protocol::stache;
  smp_simulation machine(config, 1,
                         make_program([](program_context& context) { context.delay(5); }));
  machine.run_until(1000);
  EXPECT_TRUE(machine.finished());
}

/// The round trip of a lone request of each node, as the machine takes it.
double measured_round_trip(smp_config config) {
  config.workload.requests.requests = 1;
  config.workload.requests.utilisation = 0;
  smp_simulation machine(config, 1);
  machine.run_until(1'000'000);
  EXPECT_TRUE(machine.finished());
  return machine.statistics().find("node.0.role.round_trip.mean");
}

TEST(smp_config, the_round_trip_is_that_of_the_nearest_node_on_any_network) {
  struct network {
    const char* name;
    std::uint64_t null_request;
    change made;
  };
  const auto slow = [](smp_config& c) { c.machine.network.bandwidth = 800; };
  const std::vector<network> networks{
      {"mesh", 600, [](smp_config& c) { c.machine.network.topology = topology_kind::mesh; }},
      {"two nodes at a router", 598, [](smp_config& c) { c.machine.network.nodes_per_router = 2; }},
      {"messages that are stored", 622,
       [&](smp_config& c) {
         slow(c);
         c.machine.network.switching = switching_kind::store_and_forward;
       }},
      {"omega", 406, [](smp_config& c) { c.machine.network.topology = topology_kind::omega; }}};
  for (const network& each : networks) {
    smp_config config;
    each.made(config);
    EXPECT_EQ(config.round_trip(), each.null_request) << each.name;
    EXPECT_EQ(measured_round_trip(config), config.round_trip()) << each.name;
    config.protocol = request_protocol::fetch_block;
    EXPECT_EQ(measured_round_trip(config), config.round_trip()) << each.name << ", blocks";
  }
}

/// The computing between requests follows from it, so a nearest node matters if there are others.
TEST(smp_config, the_round_trip_counts_the_hops_of_the_topology) {
  smp_config config;
  config.machine.nodes = 16;
  config.machine.network.topology = topology_kind::hypercube;
  config.machine.network.hop_latency = 11;
  EXPECT_EQ(config.round_trip(), 400U + 2 * (99 + 11));
}

}  // namespace
}  // namespace tributary
