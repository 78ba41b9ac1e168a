// SPDX-License-Identifier: Apache-2.0
// Block transfers as a workload: places that do not overlap, and bytes that are checked.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include <flash/flash_machine.h>
#include <tributary/sim/error.h>

#include <support/failure.h>

namespace tributary {
namespace {

/// Bytes of a node's memory.
struct place {
  node_id node;
  std::uint64_t begin;
  std::uint64_t end;
};

std::array<place, 2> places_of(const planned_transfer& x) {
  return {{{x.source, x.source_offset, x.source_offset + x.bytes},
           {x.destination, x.destination_offset, x.destination_offset + x.bytes}}};
}

bool overlap(const place& a, const place& b) {
  return a.node == b.node && a.begin < b.end && b.begin < a.end;
}

TEST(transfer_workload, transfers_that_may_run_at_once_share_no_bytes) {
  constexpr std::uint32_t nodes = 8;
  transfer_workload_config config;
  config.pattern = transfer_pattern::random;
  config.count = 4;
  for (const transfer_initiator who :
       {transfer_initiator::source, transfer_initiator::destination, transfer_initiator::third}) {
    config.initiator = who;
    const auto plan = config.plan(nodes, 4096, 1 << 20, 1);
    for (std::uint32_t one = 0; one < nodes; ++one) {
      for (std::uint32_t other = 0; other < one; ++other) {
        for (const planned_transfer& x : plan[one]) {
          for (const planned_transfer& y : plan[other]) {
            for (const place& a : places_of(x)) {
              for (const place& b : places_of(y)) EXPECT_FALSE(overlap(a, b));
            }
          }
        }
      }
    }
  }
}

TEST(transfer_workload, wrong_bytes_at_the_destination_end_the_run) {
  flash_machine machine(flash_config{}, 1);
  machine.run_until(200);  // asked for, and nothing sent yet
  memory_controller& source = machine.nodes().node(0).memory();
  source.write(4096, ~source.read(4096));
  try {
    machine.run_until(10000);
    FAIL() << "nothing was noticed";
  } catch (const simulation_error& problem) {
    const std::string message = problem.what();
    EXPECT_NE(message.find("from node 0 to node 1"), std::string::npos) << message;
    EXPECT_NE(message.find("8 wrong bytes of 4096"), std::string::npos) << message;
  }
}

TEST(transfer_workload, takes_as_long_on_a_processor_with_caches) {
  flash_config config;
  const auto run = [&] {
    flash_machine machine(config, 1);
    machine.run_until(1000000);
    EXPECT_TRUE(machine.finished());
    return machine.statistics();
  };
  const statistics_tree without = run();
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  const statistics_tree with = run();
  // The first access begins within a cycle of the node.
  for (const char* time : {"transfer.request.mean", "transfer.time.mean"}) {
    EXPECT_NEAR(with.find(time), without.find(time), 1) << time;
  }
}

TEST(transfer_workload, runs_on_processors_with_caches_again_and_again) {
  flash_config config;
  config.machine.nodes = 4;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  config.workload.pattern = transfer_pattern::ring;
  config.workload.count = 3;
  config.workload.poll = 20;
  for (const transfer_initiator who :
       {transfer_initiator::source, transfer_initiator::destination, transfer_initiator::third}) {
    for (const consistency_kind order : {consistency_kind::relaxed, consistency_kind::sequential}) {
      config.workload.initiator = who;
      config.coherence.consistency = order;
      flash_machine machine(config, 1);
      machine.run_until(1000000);
      EXPECT_TRUE(machine.finished());
      EXPECT_EQ(machine.statistics().find("transfer.bytes"), 4 * 3 * 4096);
    }
  }
}

/// Bytes are compared at the end of each copy.
TEST(transfer_workload, is_copied_by_processors_too) {
  for (const transfer_method method :
       {transfer_method::bcopy, transfer_method::prefetched_bcopy}) {
    flash_config config;
    config.machine.nodes = 4;
    config.processor.turnaround = 1;
    config.workload.method = method;
    config.workload.pattern = transfer_pattern::ring;
    config.workload.source_offset = 8;
    config.workload.count = 3;
    EXPECT_NE(
        testing::failure<configuration_error>([&] { config.validate(); }).find("workload.method"),
        std::string::npos)
        << "caches are missing";
    config.machine.node.caches.present = true;
    flash_machine machine(config, 1);
    machine.run_until(1000000);
    EXPECT_TRUE(machine.finished());
    EXPECT_EQ(machine.statistics().find("transfer.bytes"), 4 * 3 * 4096);
  }
}

flash_config exchanging(copy_method method) {
  flash_config config;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  config.workload.choice.kind = workload_kind::program;
  config.workload.choice.program.name = program_kind::mpi_exchange;
  config.workload.choice.program.mpi_exchange.messages = 3;
  config.workload.choice.program.mpi_exchange.method = method;
  return config;
}

/// The receiver compares every word.
TEST(mpi_exchange, messages_arrive_whoever_copies) {
  for (const copy_method method :
       {copy_method::bcopy, copy_method::prefetched_bcopy, copy_method::fbcopy}) {
    for (const consistency_kind order : {consistency_kind::relaxed, consistency_kind::sequential}) {
      for (const std::uint64_t bytes : {8U, 2040U, 2048U, 9000U}) {
        flash_config config = exchanging(method);
        config.coherence.consistency = order;
        config.workload.choice.program.mpi_exchange.message_bytes = bytes;
        flash_machine machine(config, 1);
        machine.run_until(1000000);
        ASSERT_TRUE(machine.finished()) << bytes;
        EXPECT_EQ(machine.statistics().find("workload.samples.message.count"), 3);
      }
    }
  }
}

TEST(mpi_exchange, is_refused_where_it_cannot_run) {
  flash_config uncached = exchanging(copy_method::fbcopy);
  uncached.machine.node.caches.present = false;
  EXPECT_NE(testing::failure<configuration_error>([&] {
              uncached.validate();
            }).find("workload.program.mpi_exchange.method"),
            std::string::npos);
  for (const std::uint64_t bytes : {std::uint64_t{12}, std::uint64_t{1} << 24}) {
    flash_config config = exchanging(copy_method::bcopy);
    config.workload.choice.program.mpi_exchange.message_bytes = bytes;
    EXPECT_NE(testing::failure<configuration_error>([&] {
                config.validate();
              }).find("mpi_exchange.message_bytes"),
              std::string::npos)
        << bytes;
  }
}

}  // namespace
}  // namespace tributary
