// SPDX-License-Identifier: Apache-2.0
// Requests between nodes with MAGIC as a machine runs them.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include <flash/flash_machine.h>
#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

flash_config asking(flash_request protocol) {
  flash_config config;
  config.workload.choice.kind = workload_kind::requests;
  config.workload.requests.requests = 40;
  config.workload.requests.computing = 500;
  config.requests.protocol = protocol;
  return config;
}

void run(flash_machine& machine) {
  machine.run_until(1000000);
  ASSERT_TRUE(machine.finished());
}

TEST(flash_requests, every_request_is_answered_in_a_time_that_the_costs_lengthen) {
  for (const flash_request protocol : {flash_request::null_request, flash_request::fetch_block}) {
    flash_config config = asking(protocol);
    const auto round_trip = [&config] {
      flash_machine machine(config, 1);
      run(machine);
      const statistics_tree found = machine.statistics();
      EXPECT_EQ(found.find("workload.samples.round_trip.count"), 80);
      EXPECT_GT(found.find("machine.handling"), 0);
      return found.find("workload.samples.round_trip.min");
    };
    const double before = round_trip();
    config.requests.null_request.serve += 7;
    config.requests.fetch_block.reply += 7;
    EXPECT_EQ(round_trip(), before + 7) << static_cast<int>(protocol);
  }
}

TEST(flash_requests, loads_of_shared_memory_fault_and_transfers_arrive) {
  flash_config sharing = asking(flash_request::stache);
  sharing.machine.node.protocol_bytes = 8 << 20;
  sharing.stache.present = true;
  flash_machine shared(sharing, 1);
  run(shared);
  EXPECT_EQ(shared.statistics().find("node.0.tag_interface.faults"), 40);
  EXPECT_EQ(shared.statistics().find("node.0.tag_interface.accesses"), 40);
  flash_machine copies(asking(flash_request::block_transfer), 1);
  run(copies);
  const statistics_tree found = copies.statistics();
  EXPECT_EQ(found.find("workload.samples.round_trip.count"), 80);
  EXPECT_EQ(found.find("node.0.protocol_processor.handler.block_transfer.setup.count"), 40);
}

TEST(flash_requests, computing_is_what_the_workload_says) {
  flash_config config = asking(flash_request::null_request);
  const auto cycles = [&config] {
    flash_machine machine(config, 1);
    run(machine);
    return machine.now();
  };
  const cycle_t with_500 = cycles();
  config.workload.requests.computing = 0;
  config.workload.requests.round_trip = 500;
  config.workload.requests.utilisation = 0.5;
  EXPECT_EQ(cycles(), with_500);
  config.workload.requests.utilisation = 0;
  EXPECT_LT(cycles(), with_500);
}

TEST(flash_requests, a_machine_that_was_saved_goes_on_as_the_other) {
  const flash_config config = asking(flash_request::fetch_block);
  flash_machine machine(config, 3);
  machine.run_until(3000);
  flash_machine other(config, 3);
  other.restore(machine.save());
  run(machine);
  run(other);
  EXPECT_EQ(machine.statistics().to_json_text(), other.statistics().to_json_text());
}

struct refused_config {
  std::function<void(flash_config&)> change;
  std::vector<std::string> parts;
};

TEST(flash_requests, refuses_by_key_what_could_not_work) {
  const std::vector<refused_config> all{
      {[](flash_config& c) { c.workload.requests.computing = 0; },
       {"workload.requests.computing", "round_trip", "1 to 1000000000"}},
      {[](flash_config& c) { c.machine.node.caches.present = true; },
       {"node.processor_caches.present", "requests", "false"}},
      {[](flash_config& c) { c.requests.segment_bytes = 100000000; },
       {"node.protocol_bytes", "requests.segment_bytes = 100000000"}},
      {[](flash_config& c) {
         c.requests.segment_bytes = 16000000;
         c.machine.node.protocol_bytes = 4000000;
       },
       {"requests.segment_bytes", "16000000 do not fit", "node.memory.bytes"}},
      {[](flash_config& c) { c.machine.node.processes = 2; }, {"node.processes", "1 where"}},
      {[](flash_config& c) { c.requests.protocol = flash_request::stache; },
       {"stache.present", "do not share", "true where"}},
      {[](flash_config& c) {
         c.requests.protocol = flash_request::block_transfer;
         c.stache.present = true;
         c.machine.node.protocol_bytes = 8 << 20;
       },
       {"stache.present", "behind its tags", "false where"}},
      {[](flash_config& c) {
         c.requests.protocol = flash_request::block_transfer;
         c.workload.requests.bytes = 130;
       },
       {"workload.requests.bytes", "130 are not whole lines"}},
      {[](flash_config& c) { c.requests.segment_bytes = 0; },
       {"requests.segment_bytes", "256 to 1073741824"}}};
  for (const refused_config& each : all) {
    flash_config config = asking(flash_request::fetch_block);
    each.change(config);
    const std::string said = testing::failure<configuration_error>([&] { config.validate(); });
    for (const std::string& part : each.parts) EXPECT_TRUE(testing::contains(said, part));
  }
}

}  // namespace
}  // namespace tributary
