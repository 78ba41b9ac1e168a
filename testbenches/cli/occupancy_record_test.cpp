// SPDX-License-Identifier: Apache-2.0
// The occupancy of queues and wait buffers over time.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include <run/experiment.h>
#include <run/run_experiment.h>

#include "support/scratch_directory.h"

namespace tributary {
namespace {

class occupancy_record_test : public ::testing::Test {
 protected:
  /// A baseline machine with settings.
  experiment made(const std::vector<std::string>& sets) const {
    return load_experiments(here_.write("a.json", "{}"), sets).experiments.at(0);
  }
  /// The path of a trace with these lines.
  std::string trace(const std::string& lines) const {
    return here_.write("requests.trace", "# tributary-trace 1\n" + lines);
  }

  static json_value series(const run_result& result, unsigned stage, const std::string& name) {
    const json_value tree = result.statistics.to_json();
    for (written_statistic& each : statistics_of_kind(tree, "series", "the run")) {
      if (each.path == "network.stage." + std::to_string(stage) + "." + name + "_over_time") {
        return std::move(each.leaf);
      }
    }
    ADD_FAILURE() << "no " << name << " of stage " << stage;
    return json_value::make_object();
  }
  static std::vector<double> values(const run_result& result, unsigned stage,
                                    const std::string& name) {
    const json_value leaf = series(result, stage, name);
    std::vector<double> list;
    for (const json_value& each : leaf.find("values")->as_array()) {
      list.push_back(each.as_number());
    }
    return list;
  }

 private:
  testing::scratch_directory here_;
};

// A lone request that the first switch accepts in cycle c waits in the queue of stage 0 at the
// start of cycle c + 1, in that of stage 1 at the start of c + 2. Four elements have two switches
// a stage, each with two ports of two queues (type B): eight queues.
TEST_F(occupancy_record_test, counts_each_waiting_cycle_in_its_window) {
  const run_result result = run_experiment(
      made({"network.processing_elements=4", "workload.kind=trace",
            "workload.trace.file=" + trace("2 0 load 0\n6 1 load 8\n# end 2\n"), "run.warmup=5",
            "run.cycles=5", "run.occupancy_window=7", "run.drain=false"}),
      1);
  ASSERT_EQ(result.cycles, 10U);
  // Stage 0 in cycles 3 and 7, stage 1 in cycles 4 and 8; the second window ends with the run.
  EXPECT_EQ(values(result, 0, "queue_occupancy"), (std::vector<double>{2.0 / (7 * 8), 0}));
  EXPECT_EQ(values(result, 1, "queue_occupancy"),
            (std::vector<double>{1.0 / (7 * 8), 1.0 / (3 * 8)}));
  EXPECT_EQ(values(result, 0, "wait_buffer_occupancy"), (std::vector<double>{0, 0}));
  // After cycle 7 the second request waits in stage 1; after cycle 10 nothing does.
  EXPECT_EQ(values(result, 0, "fullest_queue"), (std::vector<double>{0, 0}));
  EXPECT_EQ(values(result, 1, "fullest_queue"), (std::vector<double>{1, 0}));
  const json_value leaf = series(result, 1, "queue_occupancy");
  EXPECT_EQ(leaf.find("first_cycle")->as_unsigned(), 1U);
  EXPECT_EQ(leaf.find("last_cycle")->as_unsigned(), 10U);
  EXPECT_EQ(leaf.find("window")->as_unsigned(), 7U);
}

TEST_F(occupancy_record_test, measured_windows_have_the_mean_that_the_run_reports) {
  const run_result result =
      run_experiment(made({"network.processing_elements=64", "workload.traffic.hot_spot=1",
                           "run.warmup=500", "run.cycles=1000", "run.occupancy_window=250"}),
                     3);
  for (unsigned stage = 0; stage < 6; ++stage) {
    for (const std::string name : {"queue_occupancy", "wait_buffer_occupancy"}) {
      const std::vector<double> windows = values(result, stage, name);
      ASSERT_EQ(windows.size(), 6U);
      EXPECT_NEAR(std::accumulate(windows.begin() + 2, windows.end(), 0.0) / 4,
                  result.value("network.stage." + std::to_string(stage) + "." + name), 1e-12)
          << name << " of stage " << stage;
    }
  }
  // Elements start one by one, so the queues next to memory fill first.
  const std::vector<double> last = values(result, 5, "queue_occupancy");
  EXPECT_LT(last.front(), last.back());
  EXPECT_GT(result.value("network.stage.5.wait_buffer_occupancy"), 0.0);
}

// FG 2 and 3.1: the queues next to the polled module fill, then those behind them; the wait buffer
// of eight is full before long.
TEST_F(occupancy_record_test, shows_how_tree_saturation_grows_from_the_memory) {
  const run_result result = run_experiment(
      made({"network.processing_elements=256", "network.adaptive_limit=0",
            "workload.traffic.hot_spot=1", "run.cycles=1000", "run.occupancy_window=20"}),
      1);
  const auto first_full = [&](unsigned stage) {
    const std::vector<double> fullest = values(result, stage, "fullest_queue");
    return std::find(fullest.begin(), fullest.end(), 4.0) - fullest.begin();
  };
  EXPECT_LT(first_full(7), first_full(6));
  EXPECT_LT(first_full(6), first_full(5));
  EXPECT_LT(first_full(5), 200);
  for (unsigned stage = 0; stage < 8; ++stage) {
    for (const double each : values(result, stage, "fullest_queue")) EXPECT_LE(each, 4);
    for (const double each : values(result, stage, "fullest_wait_buffer")) EXPECT_LE(each, 8);
  }
  const std::vector<double> held = values(result, 5, "fullest_wait_buffer");
  EXPECT_EQ(*std::max_element(held.begin(), held.end()), 8);
}

TEST_F(occupancy_record_test, changes_no_other_statistic_and_is_off_unless_asked_for) {
  for (const std::string until : {"cycles", "steady"}) {
    const std::vector<std::string> sets{"network.processing_elements=32",
                                        "workload.traffic.hot_spot=0.5", "run.warmup=300",
                                        "run.cycles=900", "run.until=" + until};
    std::vector<std::string> recorded = sets;
    recorded.emplace_back("run.occupancy_window=1000");
    const run_result off = run_experiment(made(sets), 1);
    const run_result on = run_experiment(made(recorded), 1);
    EXPECT_TRUE(statistics_of_kind(off.statistics.to_json(), "series", "off").empty());
    EXPECT_EQ(off.cycles, on.cycles);
    const std::vector<flat_statistic> before = off.statistics.flatten();
    const std::vector<flat_statistic> after = on.statistics.flatten();
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].path, after[i].path);
      const bool nothing = std::isnan(before[i].value) && std::isnan(after[i].value);
      EXPECT_TRUE(nothing || before[i].value == after[i].value)
          << before[i].path << ": " << before[i].value << " and " << after[i].value;
    }
    EXPECT_EQ(values(on, 0, "queue_occupancy").size(), (on.cycles + 999) / 1000);
  }
}

TEST_F(occupancy_record_test, more_windows_than_allowed_are_refused_without_a_file_too) {
  experiment what = made({"network.processing_elements=4"});
  what.run.warmup = 0;
  what.run.cycles = 100001;
  what.run.occupancy_window = 1;
  EXPECT_THROW(run_experiment(what, 1), configuration_error);
  what.run.cycles = 100000;
  EXPECT_EQ(values(run_experiment(what, 1), 0, "queue_occupancy").size(), 100000U);
}

}  // namespace
}  // namespace tributary
