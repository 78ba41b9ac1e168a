// SPDX-License-Identifier: Apache-2.0
// The program with good input: what it prints, what it writes, and how it is interrupted.
#include "program_fixture.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <tributary/sim/json_document.h>
#include <tributary/sim/parameters.h>

#include <run/experiment.h>
#include <run/json_path.h>

namespace tributary {
namespace {

constexpr const char* small = R"({"network.processing_elements": 16,
  "workload.traffic.hot_spot": 1, "run": {"warmup": 100, "cycles": 500}})";

class run_command_test : public program_fixture {
 protected:
  void expect_success(const std::vector<std::string>& arguments) {
    const program_outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  json_document results(const std::string& name) const {
    return json_document::from_text(read(name + "/results.json"), name);
  }
};

TEST_F(run_command_test, same_seed_same_bytes_on_any_number_of_threads) {
  write("run.json", R"({"vary": {"network.processing_elements": [4, 8, 16]},
                        "workload.traffic.hot_spot": 0.5, "run.cycles": 500})");
  expect_success({"run", "run.json", "--out", "a", "--threads", "1", "--seeds", "1..3"});
  expect_success({"run", "run.json", "--out", "b", "--threads", "3", "--seeds", "1..3"});
  expect_success({"run", "run.json", "--out", "c", "--seeds", "2..4"});
  EXPECT_TRUE(read("a/results.json") == read("b/results.json"));
  EXPECT_FALSE(read("a/results.json") == read("c/results.json"));
}

TEST_F(run_command_test, results_hold_configuration_seeds_version_and_statistics) {
  write("run.json", small);
  expect_success({"run", "run.json", "--out", "deep/er", "--seeds", "1..2,7"});
  EXPECT_EQ(names_in("deep/er"), std::vector<std::string>{"results.json"});
  const json_document document = results("deep/er");
  const json_value& root = document.root();
  EXPECT_EQ(root.find("schema")->as_string(), "tributary.results/1");
  EXPECT_NE(root.find("version"), nullptr);
  EXPECT_FALSE(root.find("partial")->as_boolean());
  EXPECT_EQ(root.find("seeds")->to_text(0), "[1,2,7]");
  const json_value& point = root.find("points")->as_array().at(0);
  EXPECT_EQ(
      point.find("configuration")->find("network")->find("processing_elements")->as_unsigned(),
      16U);
  EXPECT_EQ(point.find("runs")->as_array().size(), 3U);
  EXPECT_EQ(point.find("runs")->as_array().at(2).find("seed")->as_unsigned(), 7U);
  EXPECT_EQ(point.find("runs")->as_array().at(0).find("cycles")->as_unsigned(), 600U);
  const json_value* latency = point.find("summary")->find("interface.latency.mean");
  ASSERT_NE(latency, nullptr);
  EXPECT_GT(latency->find("mean")->as_number(), 9.0);
}

TEST_F(run_command_test, settings_override_the_file_and_what_it_varies) {
  write("run.json", R"({"vary": {"network.processing_elements": [4, 8]}, "run.cycles": 100})");
  const program_outcome outcome = run({"run", "run.json", "--set", "network.processing_elements=16",
                                       "--set", "memory.interval=[4,8]", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json_document document = results("out");
  const auto& points = document.root().find("points")->as_array();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].find("name")->as_string(),
            "network.processing_elements = 16, memory.interval = 8");
}

TEST_F(run_command_test, a_line_for_each_run_where_there_is_no_terminal) {
  write("run.json", small);
  const program_outcome loud = run({"run", "run.json", "--seeds", "1..2"});
  EXPECT_NE(loud.err.find("2/2"), std::string::npos) << loud.err;
  EXPECT_EQ(loud.err.find('\r'), std::string::npos);
  EXPECT_EQ(run({"run", "run.json", "--quiet"}).err, "");
}

TEST_F(run_command_test, published_numbers_stand_beside_measured_ones) {
  const program_outcome outcome =
      run({"run", "polling", "--series", "improved", "--set", "network.processing_elements=2048",
           "--set", "run.cycles=1000"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string part : {"published", "118", "deviation", "C4"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  }
}

TEST_F(run_command_test, published_numbers_stand_beside_their_own_statistic_only) {
  write("run.json", R"({"extends": ")" TRIBUTARY_SOURCE_DIR
                    R"(/platforms/ultracomputer/presets/figure5.json",
      "vary": {"memory.latency": [2, 3]},
      "table": {"rows": "memory.latency", "columns": "series", "decimals": 3,
                "value": "network.stage.4.combining_rate",
                "published": ["C4", "C5.fifth_from_memory", "C5.sixth_from_memory",
                              "C6.sixth_from_memory"]},
      "run.warmup": 500, "run.cycles": 200})");
  write("published.json",
        read_file(std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/ultracomputer/published.json"));
  const program_outcome outcome = run({"run", "run.json", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // None in C5, a quarter of the maximum in C6; a number of 0 has no deviation in per cent.
  EXPECT_NE(outcome.out.find("Published: C5.sixth_from_memory = 0 1 (FG 3.2, Figure 5 left); "
                             "C6.sixth_from_memory = 0.125 1 (FG 3.2, Figure 5 right)."),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("+0.000"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  const std::size_t first = outcome.out.find("published");
  ASSERT_NE(first, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("  published", first + 1), std::string::npos)
      << "also beside memory of another latency:\n"
      << outcome.out;
}

TEST_F(run_command_test, every_preset_is_valid) {
  const program_outcome listed = run({"list"});
  for (const std::string name :
       {"baseline",        "wait_buffer_100", "improved", "aggressive", "no_combining",
        "polling",         "figure4",         "figure5",  "figure6",    "figure7",
        "figure8",         "figure9",         "figure10", "figure11",   "figure12",
        "figure13",        "figure14",        "figure15", "barrier",    "barriers",
        "readers_writers", "systolic",        "gradual",  "gradual_mix"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << name;
    const program_outcome outcome = run({"validate-config", name});
    EXPECT_EQ(outcome.status, 0) << name << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << name;
    EXPECT_TRUE(json_document::from_text(outcome.out, name).root().is_object());
  }
}

/// A run file as somebody would write it who has only results.json: every parameter by its dotted
/// name.
std::string flattened(const json_value& configuration) {
  json_value file = json_value::make_object();
  file.set("platform", json_value("ultracomputer"));
  for (const auto& [name, value] : flatten_object(configuration)) file.set(name, value);
  return file.to_text();
}

TEST_F(run_command_test, a_configuration_of_results_is_a_run_file_that_gives_it_back) {
  for (const auto& preset : std::filesystem::directory_iterator(
           std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/ultracomputer/presets")) {
    const std::string path = preset.path().string();
    for (const experiment& each : load_experiments(path).experiments) {
      write("point.json", flattened(each.configuration()));
      const experiment_file again = load_experiments((folder() / "work" / "point.json").string());
      ASSERT_EQ(again.experiments.size(), 1U);
      EXPECT_EQ(again.experiments[0].configuration().to_text(), each.configuration().to_text())
          << path << ", " << each.name();
    }
    // The program itself, with one small point of the preset.
    const experiment shrunk =
        load_experiments(path, {"network.processing_elements=4", "run.warmup=10", "run.cycles=50"})
            .experiments.front();
    write("point.json", flattened(shrunk.configuration()));
    expect_success({"run", "point.json", "--out", "out", "--quiet"});
    const json_document document = results("out");
    const json_value& point = document.root().find("points")->as_array().at(0);
    EXPECT_EQ(point.find("configuration")->to_text(), shrunk.configuration().to_text()) << path;
  }
}

TEST_F(run_command_test, ten_thousand_points_are_validated_one_by_one) {
  std::string turnarounds;
  for (int i = 1; i <= 2500; ++i) turnarounds += (i == 1 ? "[" : ",") + std::to_string(i);
  write("run.json", R"({"series": [{"name": "x", "network.slots": 5}, {"name": "y"}],
      "vary": {"memory.interval": [4, 5], "processor.turnaround": )" +
                        turnarounds + "]}}");
  const program_outcome outcome = run({"validate-config", "run.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json_document document = json_document::from_text(outcome.out, "validated");
  const auto& points = document.root().find("points")->as_array();
  ASSERT_EQ(points.size(), 10000U);
  EXPECT_EQ(points.front().to_text(0),
            R"({"series":"x","network.slots":5,"memory.interval":4,"processor.turnaround":1})");
  EXPECT_EQ(points[9999].to_text(0),
            R"({"series":"y","network.slots":4,"memory.interval":5,"processor.turnaround":2500})");
  const json_value& common = *document.root().find("configuration");
  EXPECT_EQ(common.find("network")->find("slots"), nullptr);
  EXPECT_NE(common.find("network")->find("coupled"), nullptr);
}

TEST_F(run_command_test, describe_names_every_parameter_with_range_and_default) {
  const program_outcome text = run({"describe", "ultracomputer"});
  const program_outcome json = run({"describe", "--json"});
  ASSERT_EQ(text.status, 0);
  const json_document document = json_document::from_text(json.out, "describe");
  const auto& listed = document.root().find("parameters")->as_array();
  experiment any;
  const std::vector<parameter_description> parameters = parameter_set::of(any).describe();
  ASSERT_EQ(listed.size(), parameters.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].find("name")->as_string(), parameters[i].name);
    EXPECT_NE(text.out.find("  " + parameters[i].name + " "), std::string::npos);
    EXPECT_NE(listed[i].find("range")->as_string(), "");
    EXPECT_NE(listed[i].find("description")->as_string(), "");
  }
}

TEST_F(run_command_test, interrupted_run_leaves_partial_results_marked_as_such) {
  for (const int signal : {SIGINT, SIGTERM}) {
    write("run.json", R"({"network.processing_elements": 64, "workload.traffic.hot_spot": 1,
                          "vary": {"network.slots": [4, 5, 6, 7, 8]}, "run.cycles": 1000000000})");
    const started_program started = start(
        {"run", "run.json", "--out", "out", "--log", "/dev/null", "--set", "network.slots=4"});
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    ASSERT_EQ(::kill(started.process, signal), 0);
    const program_outcome outcome = finish(started);
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("partial"), std::string::npos) << outcome.err;
    const json_document document = results("out");
    EXPECT_TRUE(document.root().find("partial")->as_boolean());
    const json_value& point = document.root().find("points")->as_array().at(0);
    EXPECT_TRUE(point.find("runs")->as_array().at(0).find("partial")->as_boolean());
    EXPECT_EQ(names_in("out"), std::vector<std::string>{"results.json"});
  }
}

TEST_F(run_command_test, interrupted_batch_keeps_what_was_finished) {
  write("run.json", R"({"network.processing_elements": 16, "workload.traffic.hot_spot": 1,
                        "series": [{"name": "short", "run.cycles": 1000},
                                   {"name": "long", "run.cycles": 1000000000}]})");
  const started_program started = start({"run", "run.json", "--out", "out", "--threads", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  ASSERT_EQ(::kill(started.process, SIGINT), 0);
  EXPECT_EQ(finish(started).status, 130);
  const json_document document = results("out");
  const auto& points = document.root().find("points")->as_array();
  EXPECT_FALSE(points[0].find("runs")->as_array().at(0).find("partial")->as_boolean());
  EXPECT_TRUE(points[1].find("runs")->as_array().at(0).find("partial")->as_boolean());
}

TEST_F(run_command_test, steady_run_says_how_well_the_mean_is_known) {
  write("run.json", R"({"network.processing_elements": 16, "workload": {"kind": "open_loop",
      "traffic.hot_spot": 0.05, "open_loop.load": 0.1}, "run": {"until": "steady"}})");
  expect_success({"run", "run.json", "--out", "out"});
  const json_document document = results("out");
  const json_value& run =
      document.root().find("points")->as_array().at(0).find("runs")->as_array().at(0);
  const json_value* steadiness = run.find("statistics")->find("run");
  ASSERT_NE(steadiness, nullptr);
  EXPECT_NE(steadiness->find("reached_half_width"), nullptr);
  EXPECT_EQ(steadiness->find("steady")->find("value")->as_unsigned(), 1U);
}

TEST_F(run_command_test, steady_run_that_never_is_gives_up_with_a_warning) {
  write("run.json", R"({"network.processing_elements": 16, "workload.traffic.hot_spot": 0.3,
      "run": {"until": "steady", "half_width": 0.000001, "maximum_cycles": 20000}})");
  const program_outcome outcome = run({"run", "run.json", "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("not steady"), std::string::npos) << outcome.err;
}

TEST_F(run_command_test, programs_run_to_their_end) {
  const program_outcome outcome = run({"run", "barrier", "--quiet", "--series", "improved", "--set",
                                       "network.processing_elements=16"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(run_command_test, failed_run_leaves_its_events) {
  const program_outcome outcome =
      run({"run", "barrier", "--quiet", "--series", "improved", "--set",
           "network.processing_elements=16", "--set", "workload.program.patience=3", "--log",
           "stuck.log", "--out", "out"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("no program has gone on"), std::string::npos) << outcome.err;
  EXPECT_NE(read("stuck.log").find("# partial "), std::string::npos);
  EXPECT_TRUE(names_in("out").empty());
}

TEST_F(run_command_test, recorded_trace_replays_to_the_same_events) {
  write("run.json", small);
  expect_success({"run", "run.json", "--record", "t.gz", "--log", "a.log"});
  expect_success({"run", "run.json", "--set", "workload.kind=trace", "--set",
                  "workload.trace.file=t.gz", "--log", "b.log"});
  ASSERT_FALSE(read("a.log").empty());
  EXPECT_TRUE(read("a.log") == read("b.log"));
}

TEST_F(run_command_test, compare_looks_at_series_over_time_too) {
  write("run.json", small);
  // The second differs from the first in what it records only, the third in the first cycles too.
  expect_success({"run", "run.json", "--out", "a", "--set", "run.occupancy_window=50"});
  expect_success({"run", "run.json", "--out", "b", "--set", "run.occupancy_window=60"});
  expect_success({"run", "run.json", "--out", "c", "--set", "run.occupancy_window=50", "--set",
                  "processor.start_window=500"});
  const std::string series = "network.stage.3.queue_occupancy_over_time";
  EXPECT_EQ(run({"compare", "a", "a"}).status, 0);
  const program_outcome other_windows = run({"compare", "a", "b"});
  EXPECT_EQ(other_windows.status, 1);
  EXPECT_NE(other_windows.out.find(series + "        12 windows of 50  10 windows of 60"),
            std::string::npos)
      << other_windows.out;
  EXPECT_EQ(other_windows.out.find("latency"), std::string::npos) << other_windows.out;
  const program_outcome other_start = run({"compare", "a", "c", "--statistic", series});
  EXPECT_EQ(other_start.status, 1);
  EXPECT_NE(other_start.out.find("from window "), std::string::npos) << other_start.out;
  EXPECT_NE(other_start.out.find("1 of 1 statistics differ"), std::string::npos) << other_start.out;
  expect_success({"run", "run.json", "--out", "d"});
  EXPECT_NE(run({"compare", "a", "d"}).out.find("only on one side"), std::string::npos);
}

TEST_F(run_command_test, compare_tells_equal_from_different) {
  write("run.json", small);
  expect_success({"run", "run.json", "--out", "a", "--seeds", "1..4"});
  expect_success({"run", "run.json", "--out", "b", "--seeds", "1..4"});
  expect_success({"run", "run.json", "--out", "c", "--seeds", "1..4", "--set", "memory.latency=9"});
  const program_outcome same = run({"compare", "a", "b/results.json"});
  EXPECT_EQ(same.status, 0);
  EXPECT_NE(same.out.find("0 of "), std::string::npos) << same.out;
  const program_outcome different = run({"compare", "a", "c"});
  EXPECT_EQ(different.status, 1);
  for (const std::string part : {"memory.latency: 2 | 9", "interface.latency.mean", "±", "*"}) {
    EXPECT_NE(different.out.find(part), std::string::npos) << different.out;
  }
  EXPECT_EQ(run({"compare", "a", "b", "--all", "--statistic", "interface.latency"}).status, 0);
  EXPECT_EQ(run({"compare", "a", "b", "--statistic", "nothing"}).status, 2);
}

TEST_F(run_command_test, help_and_version) {
  EXPECT_EQ(run({"--version"}).out.rfind("tributary ", 0), 0U);
  EXPECT_NE(run({"--help"}).out.find("Examples"), std::string::npos);
  const program_outcome of_run = run({"run", "--help"});
  EXPECT_EQ(of_run.status, 0);
  EXPECT_EQ(of_run.out.find("Examples"), std::string::npos) << of_run.out;
}

TEST_F(run_command_test, a_window_after_the_run_is_warned_of) {
  write("run.json", small);
  const program_outcome late =
      run({"run", "run.json", "--quiet", "--log", "log", "--window", "601.."});
  EXPECT_EQ(late.status, 0);
  EXPECT_NE(late.err.find("warning: --window 601.. begins after"), std::string::npos) << late.err;
  EXPECT_NE(late.err.find("600"), std::string::npos) << late.err;
  EXPECT_EQ(run({"run", "run.json", "--quiet", "--log", "log", "--window", "600.."}).err, "");
}

}  // namespace
}  // namespace tributary
