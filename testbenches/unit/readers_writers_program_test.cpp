// SPDX-License-Identifier: Apache-2.0
// The program of readers and writers: who writes how often, what a round takes, what it counts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

ultracomputer_config machine_of(std::uint32_t elements, double writers) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.workload.kind = workload_kind::program;
  config.workload.program.name = program_kind::readers_writers;
  config.workload.program.readers_writers.expected_writers = writers;
  config.workload.program.readers_writers.work = 0;
  config.workload.program.readers_writers.delay = 0;
  return config;
}

/// Statistics of a run by their paths below "workload".
class measured {
 public:
  measured(const ultracomputer_config& config, cycle_t cycles, std::uint64_t seed = 1) {
    ultracomputer machine(config, seed);
    machine.run_until(cycles);
    EXPECT_FALSE(machine.finished());
    tree_ = machine.statistics();
    machine.drain();
  }

  double operator()(const std::string& path) const { return tree_.find("workload." + path); }
  double grants(const std::string& of) const { return (*this)("marks." + of + ".count"); }

 private:
  statistics_tree tree_;
};

TEST(readers_writers_program, has_the_expected_share_of_writers) {
  for (const double writers : {0.5, 2.0, 6.0}) {
    const measured run(machine_of(8, writers), 100000);
    const double p = writers / 8;
    const double all = run.grants("grant");
    EXPECT_EQ(all, run.grants("reader_grant") + run.grants("writer_grant"));
    ASSERT_GT(all, 500.0);
    // Each draw leads to one grant: four standard deviations, and the elements that wait.
    EXPECT_NEAR(run.grants("writer_grant"), p * all, 4 * std::sqrt(all * p * (1 - p)) + 8)
        << writers << " of 8";
  }
}

TEST(readers_writers_program, has_no_writers_or_nobody_else) {
  const measured readers(machine_of(8, 0), 10000);
  EXPECT_EQ(readers.grants("writer_grant"), 0.0);
  EXPECT_GT(readers.grants("reader_grant"), 1000.0);
  const measured writers(machine_of(8, 8), 10000);
  EXPECT_EQ(writers.grants("reader_grant"), 0.0);
  EXPECT_GT(writers.grants("writer_grant"), 100.0);
  // Whatever is expected.
  ultracomputer_config config = machine_of(8, 0);
  config.workload.program.readers_writers.roles = readers_writers_roles::all_writers;
  const measured all(config, 10000);
  EXPECT_EQ(all.grants("grant"), writers.grants("grant"));
  config.workload.program.readers_writers.expected_writers = 9;
  EXPECT_EQ(measured(config, 10000).grants("grant"), writers.grants("grant"));
}

TEST(readers_writers_program, takes_a_cycle_to_draw_and_awaits_every_reference) {
  // One element comes to the lock long before the other.
  const auto fastest = [](const ultracomputer_config& config, const std::string& of) {
    return measured(config, 200000)(of + ".min");
  };
  const double reference = 4 + 10;  // 2 k + 2, and the turnaround
  for (const bool writes : {false, true}) {
    SCOPED_TRACE(writes ? "writers" : "readers");
    ultracomputer_config config = machine_of(2, writes ? 2 : 0);
    readers_writers_config& program = config.workload.program.readers_writers;
    program.delay = 3000;
    program.work = 7;
    EXPECT_EQ(fastest(config, "intervals.held.cycles"), 7 * reference);
    const double round = fastest(config, "marks.rotation.interval");
    const double acquire = fastest(config, "intervals.acquire.cycles");
    EXPECT_EQ(acquire, reference);
    EXPECT_EQ(round, 1 + acquire + 7 * reference + reference + 3000);
    program.delay = 3500;
    EXPECT_EQ(fastest(config, "marks.rotation.interval"), round + 500);
    config.workload.program.run.random_cycles = 5;
    EXPECT_EQ(fastest(config, "marks.rotation.interval"), round + 504);
  }
}

TEST(readers_writers_program, refers_to_all_modules_while_it_holds_the_lock) {
  ultracomputer_config config = machine_of(16, 0);
  config.workload.program.readers_writers.work = 10;
  const measured run(config, 20000);
  const double grants = run.grants("grant");
  // Acquire, ten, release; and what is under way.
  EXPECT_NEAR(run("references"), 12 * grants, 16.0 * 12);
}

TEST(readers_writers_program, counts_the_rotations_of_element_0) {
  ultracomputer_config config = machine_of(8, 8);
  config.workload.program.readers_writers.lock = readers_writers_algorithm::mcs_fair;
  config.processor.start_window = 1;
  const measured run(config, 30000);
  // In turn, so each element has had an eighth of the grants.
  EXPECT_NEAR(run.grants("rotation"), run.grants("grant") / 8, 1.0);
}

TEST(readers_writers_program, refuses_more_writers_than_elements) {
  try {
    machine_of(8, 8.5).validate();
    FAIL();
  } catch (const configuration_error& problem) {
    const std::string text = problem.what();
    EXPECT_EQ(text.rfind("workload.program.readers_writers.expected_writers: 8.5 writers", 0), 0U)
        << text;
    EXPECT_NE(text.find("0 to 8"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tributary
