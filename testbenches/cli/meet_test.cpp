// SPDX-License-Identifier: Apache-2.0
// One program on five machines: each work ends on each of them, with times in one unit.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include <run/experiment.h>
#include <run/run_experiment.h>

namespace tributary {
namespace {

std::vector<experiment> points_of(const std::string& preset, const std::vector<std::string>& sets) {
  const std::string presets = TRIBUTARY_SOURCE_DIR "/platforms/ultracomputer/presets/";
  return load_experiments(presets + preset + ".json", sets).experiments;
}

/// The program throws where the machines would not end with the same words in memory.
class meet_test : public ::testing::TestWithParam<const char*> {};

TEST_P(meet_test, every_work_ends_on_every_machine) {
  const std::vector<experiment> points =
      points_of(GetParam(), {"processors=[2, 8]", "workload.program.coordination.count=6"});
  ASSERT_EQ(points.size(), 5U * 7 * 2);
  for (const experiment& point : points) {
    SCOPED_TRACE(point.name());
    const run_result result = run_experiment(point, 1);
    EXPECT_TRUE(result.steady);
    EXPECT_EQ(result.statistics.find("workload.marks.operation.count"),
              6.0 * static_cast<double>(point.processors().as_unsigned()));
    const double cycle = static_cast<double>(point.machine->program_cycle()) / 1000;
    EXPECT_DOUBLE_EQ(result.statistics.find("time.operation.mean"),
                     result.statistics.find("workload.intervals.operation.cycles.mean") * cycle);
    EXPECT_DOUBLE_EQ(result.statistics.find("time.operation.rate"),
                     result.statistics.find("workload.marks.operation.rate") * 1000 / cycle);
  }
}

INSTANTIATE_TEST_SUITE_P(presets, meet_test, ::testing::Values("meet", "meet_equal"),
                         [](const auto& preset) { return std::string(preset.param); });

TEST(coordination, refuses_what_the_controllers_do_not_keep) {
  for (const char* kept : {"barrier", "lock"}) {
    const std::string key = std::string("workload.program.coordination.") + kept;
    try {
      points_of("meet", {key + "=flash"});
      ADD_FAILURE() << key << " is not refused";
    } catch (const configuration_error& problem) {
      EXPECT_NE(std::string(problem.what()).find(key), std::string::npos) << problem.what();
    }
  }
}

}  // namespace
}  // namespace tributary
