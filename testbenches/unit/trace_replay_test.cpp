// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/trace_replay.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

#include "machine_run.h"

namespace tributary {
namespace {

using testing::log_of;
using testing::scratch_directory;
using testing::small_machine;

/// Records a run to `path`; returns its event log.
std::string record(const ultracomputer_config& config, const std::string& path,
                   std::uint64_t cycles) {
  const scratch_directory here;
  ultracomputer machine(config, 7);
  event_files files;
  files.log = here.path("log");
  files.record = path;
  event_observation observation(files, machine);
  machine.step(cycles);
  machine.drain();
  observation.finish(false);
  return here.read("log");
}

ultracomputer_config replaying(ultracomputer_config config, const std::string& path) {
  config.workload.kind = workload_kind::trace;
  config.workload.trace.file = path;
  return config;
}

std::vector<std::pair<std::string, ultracomputer_config>> designs() {
  std::vector<std::pair<std::string, ultracomputer_config>> found;
  found.emplace_back("baseline", small_machine());
  found.back().second.network.switches.wait_buffer_entries = 8;
  found.emplace_back("adaptive", small_machine());
  found.back().second.network.switches.adaptive_limit = 1;
  found.emplace_back("aggressive", small_machine());
  found.back().second.network.switches.type = queue_type::a;
  found.back().second.network.switches.coupled = true;
  found.emplace_back("no combining", small_machine());
  found.back().second.network.switches.combining = false;
  found.emplace_back("several outstanding", small_machine());
  found.back().second.interface.outstanding = 4;
  found.back().second.interface.policy = issue_policy::one_per_word;
  found.emplace_back("open loop", small_machine());
  found.back().second.workload.kind = workload_kind::open_loop;
  found.back().second.interface.outstanding = 2;
  found.emplace_back("every operation", small_machine());
  auto& operations = found.back().second.workload.traffic.operations;
  operations.clear();
  for (std::size_t op = 0; op < operation_count; ++op) {
    operations.push_back({static_cast<operation>(op), 1});
  }
  found.emplace_back("node-local", small_machine());
  found.back().second.workload.traffic.region = "local";
  found.back().second.workload.traffic.hot_spot = 0.3;
  return found;
}

TEST(trace_replay, a_recorded_run_gives_the_same_events) {
  for (const auto& [name, config] : designs()) {
    SCOPED_TRACE(name);
    const scratch_directory here;
    const std::string path = here.path("trace.gz");
    const std::string recorded = record(config, path, 400);
    EXPECT_GT(testing::lines_of(recorded).size(), 1000U);
    // Another seed, since nothing of a replay is drawn.
    EXPECT_EQ(log_of(replaying(config, path), 8, 400), recorded);
  }
}

TEST(trace_replay, ends_when_the_last_request_is_answered) {
  const scratch_directory here;
  const std::string path =
      here.write("t",
                 "# tributary-trace 1\n3 0 fetch_add 64 5\n3 0 fetch_add 64 6\n9 1 load 64\n"
                 "# end 3\n");
  ultracomputer machine(replaying(small_machine(4), path), 1);
  EXPECT_FALSE(machine.finished());
  machine.step(8);
  EXPECT_FALSE(machine.finished());
  while (!machine.finished()) machine.step();
  EXPECT_LT(machine.now(), 30U);
  const address_region& shared = *machine.addresses().region_of(64);
  const mm_id module = machine.addresses().module_of(shared, 64);
  EXPECT_EQ(machine.memories().words().read(location_of(module, 64)), 11U);
}

TEST(trace_replay, stops_when_told_to) {
  const scratch_directory here;
  const std::string path =
      here.write("t", "# tributary-trace 1\n1 0 load 64\n500 0 load 64\n# end 2\n");
  ultracomputer machine(replaying(small_machine(4), path), 1);
  machine.step(10);
  machine.drain();
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(machine.interfaces().latency().count(), 1U);
}

TEST(trace_replay, a_position_beyond_the_trace_is_refused) {
  const scratch_directory here;
  const address_map map(address_map_config{}, 4);
  trace_replay_config config;
  config.file = here.write("long", "# tributary-trace 1\n1 0 load 0\n1 0 load 0\n# end 2\n");
  trace_replay long_one(config, {}, map);
  network_interface ports(network_interface_config{}, map, 1, 2, 4);
  long_one.advance(1, ports);
  config.file = here.write("short", "# tributary-trace 1\n1 0 load 0\n# end 1\n");
  trace_replay short_one(config, {}, map);
  EXPECT_THROW(short_one.restore(long_one.save()), input_error);
  EXPECT_THROW(short_one.restore("?"), input_error);
}

TEST(trace_replay, a_trace_must_be_named_and_fit) {
  const scratch_directory here;
  ultracomputer_config config = replaying(small_machine(4), "");
  EXPECT_THROW(config.validate(), configuration_error);
  config.workload.trace.file = here.path("none");
  EXPECT_THROW(config.validate(), input_error);
  config.workload.trace.file = here.write("t", "# tributary-trace 1\n1 4 load 0\n# end 1\n");
  EXPECT_THROW(config.validate(), input_error);
  config.network.processing_elements = 8;
  EXPECT_NO_THROW(config.validate());
}

}  // namespace
}  // namespace tributary
