// SPDX-License-Identifier: Apache-2.0
// Block transfers as a workload: places that do not overlap, and bytes that are checked.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/sizes.h>
#include <support/text_checks.h>

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
    EXPECT_TRUE(testing::names(message, {"8 wrong", "4096"})) << message;
  }
}

/// Memory and flags that are too few come in one message, so that both are mended at once.
TEST(transfer_workload, too_little_memory_and_too_few_flags_are_told_together) {
  constexpr std::uint64_t page = 4096;  // flags for 512 nodes
  const auto refusal = [](std::uint32_t nodes, std::uint64_t user_bytes) {
    return testing::failure<configuration_error>(
        [&] { transfer_workload_config().validate(nodes, page, user_bytes, line_size()); });
  };
  const std::string both = refusal(1024, 1 << 20);
  EXPECT_TRUE(testing::names(
      both, {"workload.bytes", "node.memory.bytes", "block_transfer.page_bytes of 8192 or more"}))
      << both;
  const std::string memory = refusal(512, 1 << 20);
  EXPECT_TRUE(testing::names(memory, {"workload.bytes", "node.memory.bytes"})) << memory;
  EXPECT_EQ(memory.find("page_bytes"), std::string::npos) << memory;
  const std::string flags = refusal(1024, std::uint64_t{1} << 30);
  EXPECT_TRUE(testing::names(flags, {"block_transfer.page_bytes", "8192 or more"})) << flags;
  EXPECT_EQ(flags.find("node.memory.bytes"), std::string::npos) << flags;
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
  for (const transfer_method method : {transfer_method::bcopy, transfer_method::prefetched_bcopy}) {
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

// --- lines that caches have before ---------------------------------------------------------------

/// A copy of a page between nodes 0 and 1 of five with caches.
flash_config coherent_copy(cached_by source, cached_by destination) {
  flash_config config;
  config.machine.nodes = 5;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  config.workload.source_lines = source;
  config.workload.destination_lines = destination;
  config.workload.sharers = 3;
  return config;
}

constexpr std::array<cached_by, 6> all_holders{cached_by::none,          cached_by::shared_local,
                                               cached_by::shared_remote, cached_by::shared_others,
                                               cached_by::dirty_local,   cached_by::dirty_remote};

/// States of the first line of a buffer when the transfer is asked for, by node: no handler has
/// looked at the lines yet.
std::string states_of(flash_machine& machine, bool of_source) {
  while (machine.statistics().find("transfer.request.count") == 0) {
    machine.run_until(machine.now() + 50);
  }
  const flash_config& config = machine.config();
  const planned_transfer transfer =
      config.workload.plan(5, 4096, config.machine.node.protocol_storage(), 1).at(0).at(0);
  const std::uint64_t address = config.machine.node.addresses.address_of(
      of_source ? transfer.source : transfer.destination, 0,
      of_source ? transfer.source_offset : transfer.destination_offset);
  std::string states;
  for (std::size_t i = 0; i < 5; ++i) {
    const line_state state = machine.nodes().node(i).caches()->state_of(address);
    const bool is_shared = state == line_state::shared;
    states += state == line_state::invalid ? '-' : is_shared ? 'S' : 'D';
  }
  return states;
}

TEST(lines_of_transfers, are_in_the_caches_that_the_run_file_names) {
  const std::array<const char*, 6> source{"-----", "S----", "-S---", "--SSS", "D----", "--D--"};
  const std::array<const char*, 6> destination{"-----", "-S---", "S----",
                                               "--SSS", "-D---", "--D--"};
  for (std::size_t i = 0; i < all_holders.size(); ++i) {
    if (testing::sanitized && i % 3 != 2) continue;
    flash_machine one(coherent_copy(all_holders[i], cached_by::none), 1);
    EXPECT_EQ(states_of(one, true), source[i]);
    flash_machine other(coherent_copy(cached_by::none, all_holders[i]), 1);
    EXPECT_EQ(states_of(other, false), destination[i]);
  }
}

TEST(lines_of_transfers, are_of_nodes_that_have_neither_buffer) {
  const std::vector<node_id> expected{node_id{3}, node_id{4}, node_id{0}};
  EXPECT_EQ(further_nodes(node_id{2}, node_id{1}, 5), expected);
}

TEST(lines_of_transfers, are_all_that_a_buffer_touches) {
  flash_config config = coherent_copy(cached_by::dirty_remote, cached_by::none);
  config.workload.bytes = 128;
  config.workload.source_offset = 8;
  flash_machine machine(config, 1);
  machine.run_until(1000000);
  EXPECT_EQ(machine.statistics().find("node.2.cache.miss_latency.count"), 2)
      << "two lines have bytes of it";
}

TEST(lines_of_transfers, come_from_their_owner_over_the_network) {
  flash_config config = coherent_copy(cached_by::dirty_remote, cached_by::none);
  config.workload.count = 2;
  flash_machine machine(config, 1);
  machine.run_until(1000000);
  const statistics_tree found = machine.statistics();
  // Each line twice, and a doubleword for each request to the owner.
  const double requests = 32 + found.find("transfer.refused_lines") / 2;
  EXPECT_EQ(found.find("transfer.payload.mean"), 2 * 4096 + 8 * requests);
  EXPECT_GT(found.find("transfer.line_back_cycles"), 0);
  EXPECT_EQ(found.find("transfer.dropped_cycles"), 0);
}

/// Bytes are compared at the end of each copy, and directories with caches at the end.
TEST(lines_of_transfers, are_copied_wherever_they_are_again_and_again) {
  std::uint64_t number = 0;
  for (const cached_by source : all_holders) {
    for (const cached_by destination : all_holders) {
      if (testing::sanitized && number++ % 5 != 0) continue;
      for (const std::uint64_t shift : {0U, 8U}) {
        for (const remote_lines how : {remote_lines::forward, remote_lines::collect}) {
          flash_config config = coherent_copy(source, destination);
          config.block_transfer.dirty_elsewhere = how;
          config.workload.source_offset = shift;
          config.workload.bytes = 1024;
          config.workload.count = 2;
          flash_machine machine(config, 1);
          machine.run_until(1000000);
          ASSERT_TRUE(machine.finished());
          EXPECT_EQ(machine.statistics().find("transfer.bytes"), 2048);
        }
      }
    }
  }
}

TEST(lines_of_transfers, take_no_time_of_the_copy) {
  const auto time = [](const flash_config& config) {
    flash_machine machine(config, 1);
    machine.run_until(1000000);
    return machine.statistics().find("transfer.time.mean");
  };
  const double without = time(coherent_copy(cached_by::none, cached_by::none));
  EXPECT_EQ(without, time(coherent_copy(cached_by::shared_local, cached_by::none)))
      << "clean lines cost a source nothing (FLASH 5.2.2)";
  flash_config late = coherent_copy(cached_by::dirty_local, cached_by::none);
  const double at_once = time(late);
  EXPECT_GT(at_once, without);
  late.workload.start = 40000;
  EXPECT_EQ(at_once, time(late));
}

TEST(lines_of_transfers, begin_at_the_start_if_they_are_there) {
  flash_config config = coherent_copy(cached_by::dirty_remote, cached_by::none);
  config.workload.start = 40000;
  flash_machine machine(config, 1);
  machine.run_until(40000);
  EXPECT_EQ(machine.statistics().find("transfer.request.count"), 0);
  machine.run_until(40700);
  EXPECT_EQ(machine.statistics().find("transfer.request.count"), 1);
}

TEST(lines_of_transfers, end_with_a_drain) {
  flash_config config = coherent_copy(cached_by::dirty_remote, cached_by::shared_others);
  config.workload.count = 3;
  for (const cycle_t when : {1U, 1000U, 9000U, 20000U}) {
    flash_machine machine(config, 1);
    machine.run_until(when);
    EXPECT_TRUE(machine.drain({})) << when;
    EXPECT_LT(machine.statistics().find("transfer.time.count"), 3) << when;
  }
}

TEST(lines_of_transfers, are_refused_where_nobody_could_have_them) {
  const auto refusal = [](const flash_config& config) {
    return testing::failure<configuration_error>([&] { config.validate(); });
  };
  const auto names = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  flash_config config = coherent_copy(cached_by::dirty_local, cached_by::none);
  config.machine.node.caches.present = false;
  names(refusal(config), "workload.source_lines");
  config = coherent_copy(cached_by::none, cached_by::dirty_local);
  config.machine.node.caches.present = false;
  names(refusal(config), "workload.destination_lines");
  config = coherent_copy(cached_by::none, cached_by::shared_others);
  config.machine.nodes = 4;
  names(refusal(config), "machines of 5 nodes or more");
  config = coherent_copy(cached_by::dirty_remote, cached_by::none);
  config.machine.nodes = 2;
  names(refusal(config), "machines of 3 nodes or more");
  config = coherent_copy(cached_by::dirty_local, cached_by::none);
  config.workload.pattern = transfer_pattern::ring;
  names(refusal(config), "the pattern single");
}

TEST(lines_of_transfers, are_read_where_nobody_copies) {
  flash_config config = coherent_copy(cached_by::none, cached_by::none);
  config.workload.method = transfer_method::read;
  config.workload.pause = 200;
  const auto latency = [&](transfer_initiator who, cached_by lines) {
    config.workload.initiator = who;
    config.workload.source_lines = lines;
    flash_machine machine(config, 1);
    machine.run_until(1000000);
    EXPECT_TRUE(machine.finished());
    return machine.statistics().find("transfer.read_latency");
  };
  const double own = latency(transfer_initiator::source, cached_by::none);
  const double remote = latency(transfer_initiator::destination, cached_by::none);
  const double dirty = latency(transfer_initiator::destination, cached_by::dirty_local);
  const double third = latency(transfer_initiator::destination, cached_by::dirty_remote);
  EXPECT_EQ(own, std::floor(own)) << "counted from an edge of the controller's clock";
  EXPECT_LT(own, remote);
  EXPECT_LT(remote, dirty);
  EXPECT_LT(dirty, third);
  EXPECT_LT(latency(transfer_initiator::source, cached_by::dirty_local), own) << "its own cache";
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
