// SPDX-License-Identifier: Apache-2.0
// SMP nodes that share memory word by word, and operations that combine on their network.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include <smp/smp_simulation.h>
#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

/// Increments of one counter; the program checks what each gets, and the sum.
smp_config counting(schedule_kind schedule = schedule_kind::fixed) {
  smp_config config;
  config.protocol = request_protocol::fetch_op;
  config.machine.nodes = 8;
  config.machine.node.schedule = schedule;
  config.machine.node.processors = schedule == schedule_kind::single ? 1 : 5;
  config.workload.choice.kind = workload_kind::program;
  config.workload.choice.program.name = program_kind::shared_counter;
  config.workload.choice.program.shared_counter.increments = 10;
  return config;
}

smp_config on_omega(smp_config config, combining_design design) {
  config.machine.network.topology = topology_kind::omega;
  config.machine.network.omega.combining = design;
  config.machine.network.endpoint_buffers = 2;
  return config;
}

void run(smp_simulation& machine) {
  machine.run_until(10000000);
  ASSERT_TRUE(machine.finished());
}

/// Handlers that node 0, the counter's home, has run.
double handlers_at_home(const smp_config& config) {
  smp_simulation machine(config, 1);
  run(machine);
  return machine.statistics().find("node.0.role.handlers");
}

constexpr combining_design designs[] = {combining_design::none, combining_design::baseline,
                                        combining_design::improved, combining_design::aggressive};

TEST(smp_fetch_op, every_increment_counts_on_every_network_and_schedule) {
  for (const schedule_kind schedule :
       {schedule_kind::fixed, schedule_kind::floating, schedule_kind::single}) {
    const smp_config config = counting(schedule);
    EXPECT_GT(handlers_at_home(config), 0) << name_of(schedule);
    for (const combining_design design : designs) {
      EXPECT_GT(handlers_at_home(on_omega(config, design)), 0) << name_of(schedule);
    }
  }
}

/// Of 7 other nodes with 4 processors each 11 operations, 308 in all, and the last one looks.
TEST(smp_fetch_op, the_home_handles_one_operation_for_several_that_combined) {
  EXPECT_EQ(handlers_at_home(on_omega(counting(), combining_design::none)), 309);
  for (std::size_t i = 1; i < std::size(designs); ++i) {
    EXPECT_LT(handlers_at_home(on_omega(counting(), designs[i])), 200);
  }
}

/// As a null request does, with a handler of each cost once.
TEST(smp_fetch_op, an_operation_takes_what_its_parts_cost) {
  smp_config config = counting();
  config.machine.nodes = 2;
  config.machine.node.processors = 2;
  config.workload.choice.program.shared_counter.increments = 1;
  const auto cycles = [&config] {
    smp_simulation machine(config, 1);
    run(machine);
    return machine.statistics().find("node.1.role.round_trip.min");
  };
  EXPECT_EQ(cycles(), 600);
  config.costs.fetch_op.submit += 1;
  config.costs.fetch_op.handlers.request += 2;
  config.costs.fetch_op.handlers.serve += 4;
  config.costs.fetch_op.handlers.reply += 8;
  config.costs.fetch_op.resume += 16;
  EXPECT_EQ(cycles(), 631);
}

/// Locks, barriers and data in them: loads, stores and operations of the own and other nodes.
TEST(smp_fetch_op, programs_of_every_machine_run) {
  for (const program_kind name : {program_kind::supersteps, program_kind::critical_sections}) {
    for (const combining_design design : {combining_design::none, combining_design::improved}) {
      smp_config config = on_omega(counting(schedule_kind::floating), design);
      config.machine.nodes = 4;
      config.machine.node.processors = 2;
      config.workload.choice.program.name = name;
      config.workload.choice.program.supersteps.count = 3;
      smp_simulation machine(config, 1);
      run(machine);
      EXPECT_GT(machine.statistics().find("machine.cycles"), 0);
    }
  }
}

TEST(smp_fetch_op, a_machine_that_was_saved_goes_on_as_the_other) {
  const smp_config config = on_omega(counting(), combining_design::improved);
  for (const cycle_t when : {200U, 1000U, 3000U}) {
    smp_simulation machine(config, 1);
    machine.run_until(when);
    smp_simulation other(config, 1);
    other.restore(machine.save());
    run(machine);
    run(other);
    EXPECT_EQ(machine.statistics().to_json_text(), other.statistics().to_json_text()) << when;
  }
}

TEST(smp_fetch_op, refuses_a_bus_and_requests) {
  smp_config config = counting();
  config.machine.node.level = node_level::bus;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { config.validate(); }),
                             {"node.level", "fetch_op", "constants"}));
  config = counting();
  config.workload.choice.kind = workload_kind::own;
  EXPECT_TRUE(testing::names(testing::failure<configuration_error>([&] { config.validate(); }),
                             {"workload.kind", "fetch_op", "requests"}));
}

TEST(smp_fetch_op, warns_of_combining_that_means_nothing) {
  smp_config config = on_omega(counting(), combining_design::improved);
  EXPECT_TRUE(config.warnings().empty());
  config.machine.network.topology = topology_kind::mesh;
  ASSERT_EQ(config.warnings().size(), 1U);
  EXPECT_TRUE(testing::names(config.warnings()[0], {"network.omega.combining", "fetch_op"}));
  config.machine.network.topology = topology_kind::omega;
  config.protocol = request_protocol::null_request;
  EXPECT_EQ(config.warnings().size(), 1U);
}

}  // namespace
}  // namespace tributary
