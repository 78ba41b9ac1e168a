// SPDX-License-Identifier: Apache-2.0
// Run files: what is layered over what, and which points come out.
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>

#include <flash/flash_model.h>
#include <platforms.h>
#include <run/experiment.h>
#include <run/json_path.h>
#include <run/run_experiment.h>
#include <ultracomputer/ultracomputer_model.h>

#include "support/scratch_directory.h"

namespace tributary {
namespace {

class experiment_test : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return here_.write(name, text);
  }

 private:
  testing::scratch_directory here_;
};

TEST_F(experiment_test, an_empty_file_is_one_point_with_the_defaults) {
  const experiment_file file = load_experiments(write("a.json", "{}"));
  ASSERT_EQ(file.experiments.size(), 1U);
  EXPECT_EQ(file.platform, "ultracomputer");
  EXPECT_EQ(ultracomputer_in(file.experiments[0].machine).network.processing_elements, 1024U);
  EXPECT_EQ(file.experiments[0].run.cycles, 10000U);
}

TEST_F(experiment_test, points_are_the_cross_product_series_by_series) {
  const experiment_file file = load_experiments(write("a.json", R"({
    "series": [{"name": "x", "network.slots": 5}, {"name": "y", "network.slots": 6}],
    "vary": {"network.processing_elements": [4, 8], "memory.interval": [1, 2, 3]}})"));
  ASSERT_EQ(file.experiments.size(), 12U);
  EXPECT_EQ(file.experiments[0].name(), "x, network.processing_elements = 4, memory.interval = 1");
  EXPECT_EQ(file.experiments[11].name(), "y, network.processing_elements = 8, memory.interval = 3");
  EXPECT_EQ(ultracomputer_in(file.experiments[11].machine).network.switches.slots, 6U);
  EXPECT_EQ(ultracomputer_in(file.experiments[11].machine).memory.interval, 3U);
}

// Later in this list wins: file extended, series' file, own file, series, varied, --set.
TEST_F(experiment_test, layers) {
  write("base.json", R"({"network": {"slots": 10, "adaptive_limit": 1}, "memory.interval": 10,
      "memory.latency": 10, "memory.pipeline": 10, "processor.turnaround": 11})");
  write("design.json", R"({"network": {"slots": 20, "adaptive_limit": 2}, "memory.interval": 20,
      "memory.latency": 20, "memory.pipeline": 20})");
  const experiment_file file = load_experiments(write("a.json", R"({
    "extends": "base.json",
    "network": {"slots": 30}, "memory.interval": 30, "memory.latency": 30, "memory.pipeline": 30,
    "series": [{"name": "x", "extends": "design.json", "memory.interval": 40, "memory.latency": 40,
                "memory.pipeline": 40}],
    "vary": {"memory.latency": [50], "memory.pipeline": [50]}})"),
                                                {"memory.pipeline=60"});
  const ultracomputer_config& machine = ultracomputer_in(file.experiments.at(0).machine);
  EXPECT_EQ(machine.processor.turnaround, 11U);
  EXPECT_EQ(machine.network.switches.adaptive_limit, 2U);
  EXPECT_EQ(machine.network.switches.slots, 30U);
  EXPECT_EQ(machine.memory.interval, 40U);
  EXPECT_EQ(machine.memory.latency, 50U);
  EXPECT_EQ(machine.memory.pipeline, 60U);
  EXPECT_EQ(file.experiments[0].point[1].second.as_unsigned(), 60U);
}

TEST_F(experiment_test, series_may_be_of_several_platforms) {
  write("node.json", R"({"platform": "flash", "network.hop_latency": 7})");
  const experiment_file file = load_experiments(write("a.json", R"({
    "series": [{"name": "network", "memory.interval": 5},
               {"name": "nodes", "platform": "flash", "extends": "node.json"}],
    "vary": {"processors": [4, 8]},
    "workload.kind": "program"})"),
                                                {"processors=[2, 16]"});
  ASSERT_EQ(file.experiments.size(), 4U);
  EXPECT_EQ(ultracomputer_in(file.experiments[1].machine).network.processing_elements, 16U);
  EXPECT_EQ(ultracomputer_in(file.experiments[1].machine).memory.interval, 5U);
  EXPECT_EQ(flash_in(file.experiments[2].machine).machine.nodes, 2U);
  EXPECT_EQ(flash_in(file.experiments[3].machine).machine.network.hop_latency, 7U);
  EXPECT_EQ(file.experiments[3].name(), "nodes, processors = 16");
  EXPECT_EQ(file.experiments[3].processors().as_unsigned(), 16U);
}

TEST_F(experiment_test, what_only_one_platform_has_is_refused_for_the_others) {
  const auto problem = [&](const std::string& text) {
    try {
      load_experiments(write("a.json", text));
    } catch (const configuration_error& refused) {
      return std::string(refused.what());
    }
    return std::string("nothing");
  };
  const auto names = [](const std::string& message, const char* key) {
    return message.find("a.json, line ") != std::string::npos &&
           message.find(key) != std::string::npos;
  };
  const std::string of_one = problem(R"({"memory.interval": 5,
    "series": [{"name": "nodes", "platform": "flash"}]})");
  EXPECT_TRUE(names(of_one, "memory.interval")) << of_one;
  const std::string unknown = problem(R"({"series": [{"name": "x", "platform": "none"}]})");
  EXPECT_TRUE(names(unknown, "series.0.platform")) << unknown;
  write("node.json", R"({"platform": "flash"})");
  const std::string other = problem(R"({"series": [{"name": "x", "extends": "node.json"}]})");
  EXPECT_TRUE(names(other, "series.0.extends")) << other;
}

TEST_F(experiment_test, paths_are_relative_to_the_file_and_reserved_keys_are_inherited) {
  write("deep/base.json", R"({"title": "base", "vary": {"memory.interval": [1, 2]},
                              "table": {"value": "interface.latency.mean"}})");
  const experiment_file file =
      load_experiments(write("a.json", R"({"extends": "deep/base.json", "memory.latency": 7})"));
  EXPECT_EQ(file.title, "base");
  EXPECT_EQ(file.experiments.size(), 2U);
  EXPECT_EQ(file.tables.size(), 1U);
  EXPECT_EQ(ultracomputer_in(file.experiments[1].machine).memory.latency, 7U);
}

TEST_F(experiment_test, a_single_value_on_the_command_line_replaces_a_list) {
  const std::string path = write("a.json", R"({"vary": {"memory.interval": [1, 2, 3]}})");
  EXPECT_EQ(load_experiments(path).experiments.size(), 3U);
  EXPECT_EQ(load_experiments(path, {"memory.interval=9"}).experiments.size(), 1U);
  EXPECT_EQ(load_experiments(path, {"memory.interval=[8,9]"}).experiments.size(), 2U);
  EXPECT_EQ(load_experiments(path, {"memory.latency=[8,9]"}).experiments.size(), 6U);
  const experiment_file both =
      load_experiments(path, {"memory.interval=7", "memory.interval=[8,9]"});
  EXPECT_EQ(ultracomputer_in(both.experiments.at(1).machine).memory.interval, 9U);
}

/// As somebody would write it who has only results: every parameter by its dotted name.
TEST_F(experiment_test, a_configuration_is_a_run_file_that_gives_it_back) {
  for (const auto& preset : std::filesystem::directory_iterator(
           std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/ultracomputer/presets")) {
    const std::vector<experiment> points = load_experiments(preset.path().string()).experiments;
    for (const experiment& each : {points.front(), points.back()}) {
      json_value flat = json_value::make_object();
      flat.set("platform", json_value(each.machine->platform()));
      for (const auto& [name, value] : flatten_object(each.configuration())) flat.set(name, value);
      const experiment_file again = load_experiments(write("point.json", flat.to_text()));
      ASSERT_EQ(again.experiments.size(), 1U);
      EXPECT_EQ(again.experiments[0].configuration().to_text(), each.configuration().to_text())
          << preset.path() << ", " << each.name();
    }
  }
}

TEST_F(experiment_test, a_run_ends_when_asked_to) {
  experiment what =
      load_experiments(write("a.json", "{}"), {"network.processing_elements=8", "run.cycles=100"})
          .experiments.at(0);
  const run_result whole = run_experiment(what, 1);
  EXPECT_EQ(whole.cycles, 3100U);
  EXPECT_FALSE(whole.partial);
  const std::atomic<bool> cancel{true};
  run_hooks hooks;
  hooks.cancel = &cancel;
  const run_result none = run_experiment(what, 1, hooks);
  EXPECT_EQ(none.cycles, 0U);
  EXPECT_TRUE(none.partial);
}

TEST_F(experiment_test, a_run_interrupted_in_its_drain_check_is_partial) {
  const experiment what =
      load_experiments(write("a.json", "{}"),
                       {"network.processing_elements=64", "run.cycles=100",
                        "workload.traffic.hot_spot=1", "processor.turnaround=1"})
          .experiments.at(0);
  std::atomic<bool> cancel{false};
  run_hooks hooks;
  hooks.cancel = &cancel;
  hooks.end = [&](simulation&, bool partial) {
    EXPECT_FALSE(partial);
    cancel = true;
  };
  const run_result result = run_experiment(what, 1, hooks);
  EXPECT_EQ(result.cycles, 3100U);
  EXPECT_TRUE(result.partial);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("drain check"), std::string::npos);
}

TEST_F(experiment_test, whatever_a_run_fails_by_its_observers_are_ended) {
  const experiment what =
      load_experiments(write("a.json", "{}"), {"network.processing_elements=4", "run.cycles=100"})
          .experiments.at(0);
  run_hooks hooks;
  std::size_t ends = 0;
  hooks.end = [&](simulation&, bool partial) {
    EXPECT_TRUE(partial);
    ++ends;
    throw input_error("no room");
  };
  hooks.checkpoint_cycle = 10;
  hooks.checkpoint = [](const std::string&) { throw simulation_error("lost"); };
  try {
    run_experiment(what, 1, hooks);
    FAIL() << "It should throw.";
  } catch (const simulation_error& problem) {
    EXPECT_STREQ(problem.what(), "lost\nIn addition: no room");
  }
  hooks.checkpoint = [](const std::string&) { throw std::out_of_range("a user's own"); };
  EXPECT_THROW(run_experiment(what, 1, hooks), std::out_of_range);
  EXPECT_EQ(ends, 2U);
}

TEST_F(experiment_test, progress_of_a_finished_run_is_whole) {
  const experiment_file file = load_experiments(
      write("a.json", R"({"network.processing_elements": 4, "workload.kind": "program",
                          "run.until": "finished"})"));
  std::vector<double> done;
  batch_hooks hooks;
  hooks.progress = [&](std::size_t, const run_progress& step) { done.push_back(step.done); };
  run_all(file.experiments, {1}, 1, hooks);
  ASSERT_GT(done.size(), 1U);
  EXPECT_EQ(done.back(), 1.0);
  done.pop_back();
  // Until then nobody can say when a workload finishes.
  for (const double fraction : done) EXPECT_EQ(fraction, 0.0);
}

TEST_F(experiment_test, results_come_in_order_whatever_the_threads) {
  const experiment_file file =
      load_experiments(write("a.json", R"({"vary": {"network.processing_elements": [4, 32, 8]}})"),
                       {"run.cycles=100"});
  std::size_t finished = 0;
  batch_hooks hooks;
  hooks.finished = [&](std::size_t, const run_result&) { ++finished; };
  const auto one = run_all(file.experiments, {5, 6}, 1);
  const auto two = run_all(file.experiments, {5, 6}, 4, hooks);
  EXPECT_EQ(finished, 6U);
  ASSERT_EQ(two.size(), 3U);
  for (std::size_t i = 0; i < two.size(); ++i) {
    ASSERT_EQ(two[i].size(), 2U);
    EXPECT_EQ(two[i][1].seed, 6U);
    EXPECT_EQ(two[i][1].statistics.to_json_text(), one[i][1].statistics.to_json_text());
  }
}

TEST(platforms_test, a_machine_is_a_value) {
  experiment one("flash");
  flash_in(one.machine).machine.nodes = 4;
  experiment other = one;
  flash_in(other.machine).machine.nodes = 8;
  EXPECT_EQ(flash_in(one.machine).machine.nodes, 4U);
  one = other;
  EXPECT_EQ(flash_in(one.machine).machine.nodes, 8U);
  EXPECT_THROW(ultracomputer_in(one.machine), error);
  EXPECT_THROW(flash_in((other = experiment()).machine), error);
  EXPECT_THROW(experiment("nowhere"), error);
}

TEST(platforms_test, each_has_presets_that_are_of_it) {
  for (const std::string& name : platform_names()) {
    EXPECT_EQ(machine_of(name)->platform(), name);
  }
  EXPECT_EQ(load_experiments(TRIBUTARY_SOURCE_DIR "/platforms/flash/presets/fbcopy.json").platform,
            "flash");
}

}  // namespace
}  // namespace tributary
